"""Configs: which runs they give, and that the ones that are shipped say what the paper says."""

import pytest

from acvae.exceptions import DataError, OptionError
from acvae.reproduce.config import NAMES, config_folder, load_experiment
from acvae.reproduce.runner import filter_runs


def keys(experiment):
    return [(s.dataset, s.method, s.gamma, s.run) for s in experiment.runs]


def test_runs_of_a_table(configs):
    table = load_experiment("table1", folder=configs)
    assert sorted(k for k in keys(table) if k[0] == "small" and k[1] == "acvae-eb") == [
        ("small", "acvae-eb", gamma, run) for gamma in (0.001, 10.0) for run in (0, 1)
    ]
    assert [k for k in keys(table) if k[1] == "vae"] == [
        ("small", "vae", None, 0),
        ("small", "vae", None, 1),
        ("away", "vae", None, 0),
    ]
    runs = [k[3] for k in keys(table) if k[0] == "small"]
    assert runs == sorted(runs)  # run 0 of everything comes first
    assert table.optional_data == {"away"}
    vae, acvae_eb = table.runs[0], table.runs[1]
    assert vae.options == {"epochs": 4, "latent_dim": 3, "hidden_dim": 6}
    assert acvae_eb.options == {**vae.options, "pair_hidden_dim": 5}
    assert acvae_eb.every == {"bp": 2, "pairwise": 4}


def test_quick_runs_are_fewer_but_evaluate_the_same(configs):
    table = load_experiment("table1", quick=True, folder=configs)
    small = [s for s in table.runs if s.dataset == "small"]
    assert [(s.method, s.gamma, s.run) for s in small] == [
        ("vae", None, 0),
        ("acvae-eb", 0.1, 0),
        ("random-tree", None, 0),
    ]
    assert small[1].options["epochs"] == 1
    assert small[1].every == {"bp": 1, "pairwise": 1}


def test_a_part_shares_the_very_runs(configs):
    whole, part = load_experiment("table1", folder=configs), load_experiment("table3", folder=configs)
    assert keys(part) == [("small", "acvae-eb", 10.0, 0), ("small", "acvae-eb", 10.0, 1)]
    assert set(map(str, part.runs)) <= set(map(str, whole.runs))


def test_bad_configs(configs):
    with pytest.raises(OptionError, match=r"no config tabel1\.toml.*Did you mean"):
        load_experiment("tabel1", folder=configs)
    (configs / "bad.toml").write_text("= 3")
    with pytest.raises(DataError, match="not valid TOML"):
        load_experiment("bad", folder=configs)
    text = (configs / "table1.toml").read_text()
    (configs / "bad.toml").write_text(text.replace("vae = { epochs = 4", "vea = { epochs = 4"))
    with pytest.raises(OptionError, match="no method 'vea'"):
        load_experiment("bad", folder=configs)
    (configs / "bad.toml").write_text(text.replace("{ independent = 2 }", "{ bp = 2 }"))
    with pytest.raises(OptionError, match="vae cannot be evaluated by 'bp'"):
        load_experiment("bad", folder=configs)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runs = 2", "runs = 'two'"),
        ("runs = 2", ""),
        ("gammas = [0.001, 10]", "gammas = 3"),
        ("sizes = {", "sizes = 3\nother = {"),
        ("vae = {", "vae = 3\nacvae-sp = {"),
        ('title = "Links of a small tree"', "title = " + "[" * 5000),
    ],
)
def test_files_that_are_no_grids(configs, old, new):
    text = (configs / "table1.toml").read_text()
    (configs / "bad.toml").write_text(text.replace(old, new, 1))
    with pytest.raises((DataError, OptionError)):
        list(map(str, load_experiment("bad", folder=configs).runs))


def test_filters(configs):
    runs = load_experiment("table1", folder=configs).runs
    assert len(filter_runs(runs, [])) == len(runs)
    chosen = filter_runs(runs, ["acvae-eb", "gamma=1e1", "run=1"])
    assert [(s.method, s.gamma, s.run) for s in chosen] == [("acvae-eb", 10.0, 1)]
    assert {s.method for s in filter_runs(runs, ["vae", "random-tree", "small"])} == {"vae", "random-tree"}
    assert {s.gamma for s in filter_runs(runs, ["gamma=none"])} == {None}
    with pytest.raises(OptionError, match=r"smal fits no run.*Did you mean 'small'"):
        filter_runs(runs, ["smal"])


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_shipped_configs_can_be_read(name, quick):
    assert (config_folder() / f"{name}.toml").is_file()
    assert load_experiment(name, quick=quick).runs


def test_shipped_sizes_are_the_papers():
    runs = {s.dataset: s for name in NAMES for s in load_experiment(name).runs if s.method == "acvae-eb"}
    sizes = {
        name: tuple(s.options[k] for k in ("latent_dim", "hidden_dim", "pair_hidden_dim"))
        for name, s in runs.items()
    }
    assert sizes == {
        "citation-1998": (10, 30, 100),
        "citation": (10, 30, 100),
        "librarything": (10, 30, 100),
        "epinions": (100, 300, 1000),
        "epinions-tang": (100, 300, 1000),
        "epinions-clustering": (100, 30, 100),
        "epinions-tang-clustering": (100, 30, 100),
    }
    gammas = {s.gamma for s in load_experiment("table1").runs if s.dataset == "citation-1998"} - {None}
    assert gammas == {0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000}
