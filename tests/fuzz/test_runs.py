"""Runs and reports: folders, settings and options of every kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acvae import report, runs
from acvae.report.entry import open_runs
from fuzz import good
from fuzz.odd import Given, arguments, calls, odd, small_odd
from fuzz.outcomes import settle, share

no = st.just(False)
VALUES = {"dataset": "tree", "data_options": {"n_vertices": 12}, "model": "vae", "epochs": 1, "hidden_dim": 3}
SETTINGS = {
    "dataset": st.just("tree"),
    "data_options": st.just({"n_vertices": 12}),
    "data_root_": st.just("."),
    "model_": st.sampled_from(["vae", "graph-gaussian", "acvae-eb"]),
    "split_seed_": good.seeds,
    "test_fraction_": st.floats(0.01, 0.5),
    "all_edges_": good.flags,
    "evaluate_every_": good.whole,
    "checkpoint_every_": good.whole,
    "gamma_": st.floats(0, 10),
}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    return runs.fit_run(runs.RunConfig.from_values(VALUES), folder, progress=False)


def _asked(run):
    config = st.just(runs.RunConfig.from_values(VALUES))
    folders = st.sampled_from([str(run.path), ".", "new", "not/there"])
    return {
        "Run": (runs.Run, {"path": folders}),
        "fit_run": (
            lambda **named: runs.fit_run(**{"progress": False} | named),
            {"config": config, "path": folders, "overwrite_": st.just(False)},
        ),
        "resume_run": (lambda **named: runs.resume_run(**named, progress=False), {"path": folders}),
        "read_config": (runs.read_config, {"path": st.sampled_from([str(run.path / "config.toml"), "."])}),
        "score_run": (
            lambda **named: runs.score_run(**named) and None,
            {
                "run": st.just(run),
                "pair_network_": good.flags,
                "clusters_": good.flags,
                "progress_": no,
            },
        ),
        "open_runs": (open_runs, {"paths": st.lists(folders, max_size=2)}),
        "write_report": (
            report.write_report,
            {
                "entries": st.just([report.Entry.from_run(run, "run")]),
                "path": st.sampled_from(["page.html", ".", "not/there/page.html"]),
                "title_": st.just("a"),
                "maps_": st.sampled_from(["both", "pca"]),
                "clusters_": st.integers(1, 12),
                "progress_": no,
            },
        ),
    }


@share(0.02)
@given(data=st.data())
def test_asked_for_anything(data, fitted):
    table = _asked(fitted)
    name, given = data.draw(calls(table, small_odd))
    settle(table[name][0], given)


@share(0.03)
@given(arguments(odd, **SETTINGS))
def test_settings(given):
    """What is taken is written to a file and read again to the same."""
    found = settle(lambda **named: runs.RunConfig.from_values(named), given)
    if found is not None:
        settle(lambda config: config.settled().values(), {"config": Given("config", found)})


@share(0.01)
@given(odd)
def test_no_settings_at_all(given):
    settle(lambda values: runs.RunConfig.from_values(values), {"values": given})
