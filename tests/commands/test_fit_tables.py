"""`acvae fit` on tables as they are: every option of tables as a flag, in a config file and on resumption."""

import numpy as np
import pytest

from acvae.datasets import from_files
from acvae.runs import Run
from acvae.runs.config import ARCHIVE_KEYS, FILE_KEYS

MODEL = ["--model", "vae", "--epochs", 1, "--latent-dim", 2, "--hidden-dim", 3, "--device", "cpu"]
MODEL += ["--likelihood", "gaussian"]

PEOPLE = """who;kind;title;about;size
ada;tea;Ada B.;red boat;1,5
ben;coffee;Ben C.;blue boat;
ben;coffee;Ben C.;blue boat;3,5
cid;tea;Cid D.;red car;2,5
dee;tea;Dee E.;blue car;0,5
"""
KNOWS = """strength;one;other
2,0;ada;ben
4,0;ben;ada
1,0;cid;dee
1,0;ada;cid
3,0;ben;dee
"""
OPTIONS = {
    "id_column": "who",
    "columns": ["size"],
    "text_column": "about",
    "categorical": "kind",
    "label_column": "title",
    "class_column": "kind",
    "missing": "mean",
    "duplicates": "first",
    "decimal": ",",
    "source_column": "one",
    "target_column": "other",
    "weight_column": "strength",
    "combine": "mean",
    "isolated": "drop",
}


@pytest.fixture
def tables(tmp_path):
    for name, text in (("people.csv", PEOPLE), ("knows.csv", KNOWS)):
        (tmp_path / name).write_text(text)
    return ["--features", tmp_path / "people.csv", "--edges", tmp_path / "knows.csv"]


def flags(options):
    out = []
    for name, value in options.items():
        out += [f"--{name.replace('_', '-')}", *(value if isinstance(value, list) else [value])]
    return out


def test_every_option_is_a_flag_a_setting_and_resumed(acvae, tables, tmp_path, monkeypatch):
    expected = from_files(tables[1], tables[3], **OPTIONS)
    first, again, stopped = (tmp_path / name for name in ("first", "again", "stopped"))
    split = ["--all-edges"]  # four edges are too few to hide one of each vertex
    code, _, err = acvae("fit", *tables, *flags(OPTIONS), *MODEL, *split, "--out", first)
    assert code == 0, err
    assert "note: VAE does not use the weights of edges." in err
    run = Run(first)
    assert {key: run.config.data[key] for key in OPTIONS} == OPTIONS
    data = run.load_data()
    assert data.feature_names.tolist() == expected.feature_names.tolist()
    assert np.array_equal(data.features, expected.features)
    assert run.graph.weights.tolist() == expected.graph.weights.tolist()
    assert run.graph.weights[0] == 3.0  # of ada and ben, the mean of 2 and 4
    assert [run.show_name(v) for v in range(4)] == ["Ada B.", "Ben C.", "Cid D.", "Dee E."]
    assert run.class_names().tolist() == ["tea", "coffee", "tea", "tea"]

    assert acvae("fit", "--config", first / "config.toml", "--out", again, "--quiet")[0] == 0
    assert (again / "config.toml").read_bytes() == (first / "config.toml").read_bytes()
    assert np.array_equal(Run(again).posterior.mean, run.posterior.mean)

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("acvae.runs.training.fit_model", interrupted)
    assert acvae("fit", *tables, *flags(OPTIONS), *MODEL, *split, "--out", stopped)[0] == 130
    monkeypatch.undo()
    assert acvae("fit", "--resume", stopped, "--quiet")[0] == 0
    assert np.array_equal(Run(stopped).posterior.mean, run.posterior.mean)


def test_no_option_of_from_files_is_missing():
    import inspect

    assert set(inspect.signature(from_files).parameters) == set(FILE_KEYS)
    assert set(ARCHIVE_KEYS) <= set(FILE_KEYS)


@pytest.mark.parametrize(
    ("without", "message"),
    [
        ("missing", "say by --missing what a gap means ('mean', 'zero' or 'evidence')"),
        (
            "duplicates",
            "has the id 'ben' twice, in rows 2 and 3. Say by --duplicates what to keep: the 'first'",
        ),
        ("categorical", "o take each value of 'kind' as a category, name it in --categorical"),
        (
            "combine",
            "the edge ('ada', 'ben') is given more than once, with the weights 2.0 and 4.0. Say what to "
            "make of them: --combine sum, 'mean' or 'max'.",
        ),
    ],
)
def test_messages_speak_of_flags(without, message, error_of, tables, tmp_path):
    options = {key: value for key, value in OPTIONS.items() if key != without}
    if without == "categorical":
        options = {**options, "columns": ["kind", "size"], "class_column": "title"}
    told = error_of("fit", *tables, *flags(options), *MODEL, "--all-edges", "--out", tmp_path / "run")
    assert message in told
    assert not (tmp_path / "run").exists()


class TestMissingEvidence:
    @pytest.fixture
    def gaps(self, files, tmp_path):
        """The files with a row of which nothing is known."""
        lines = (files / "words.csv").read_text().splitlines()
        lines[3] = lines[3].split(",")[0] + "," * (len(lines[0].split(",")) - 1)
        (tmp_path / "gaps.csv").write_text("\n".join(lines) + "\n")
        return ["--features", tmp_path / "gaps.csv", "--edges", files / "links.csv"]

    def test_is_told_to_a_model_that_completes(self, acvae, gaps, tmp_path):
        out = tmp_path / "run"
        assert acvae("fit", *gaps, "--missing", "evidence", "--out", out, "--quiet")[0] == 0
        run = Run(out)
        data = run.load_data()
        assert np.flatnonzero(~data.observed).tolist() == [2]
        expected = type(run.model)(progress=False).fit(data.features, run.graph, observed=data.observed)
        assert np.allclose(run.posterior.mean, expected.posterior_.mean)

    def test_is_refused_elsewhere(self, error_of, gaps, tmp_path):
        told = error_of("fit", *gaps, *MODEL, "--missing", "evidence", "--out", tmp_path / "run")
        assert told == (
            "--missing evidence leaves vertices without features, and the model vae does not take such; "
            "--missing mean or 'zero' fills them in."
        )
        assert not (tmp_path / "run").exists()


class TestOneArchive:
    @pytest.fixture
    def archive(self, files, tmp_path):
        data = from_files(files / "words.csv", files / "links.csv")
        features = np.asarray(data.features.todense() if hasattr(data.features, "todense") else data.features)
        kinds = np.array([name[5] for name in data.graph.names])
        path = tmp_path / "all.npz"
        np.savez(path, features=features, edges=data.graph.edges, names=data.graph.names, labels=kinds)
        return path

    @pytest.mark.parametrize("named", [False, True])
    def test_is_all_there_is(self, named, acvae, archive, tmp_path):
        given = ["--features", archive] if named else [archive]
        assert acvae("fit", *given, *MODEL, "--out", tmp_path / "run", "--quiet")[0] == 0
        run = Run(tmp_path / "run")
        assert run.config.data == {"features": str(archive)}
        assert run.config.data_name == "all"
        assert run.class_names()[:2].tolist() == ["a", "a"]
        again = tmp_path / "again"
        assert acvae("fit", "--config", tmp_path / "run" / "config.toml", "--out", again, "--quiet")[0] == 0
        assert np.array_equal(Run(again).posterior.mean, run.posterior.mean)

    def test_takes_the_place_of_the_files_in_a_config(self, acvae, archive, run_folder, tmp_path):
        argv = ["--config", run_folder / "config.toml", archive, "--epochs", 1, "--out", tmp_path / "run"]
        assert acvae("fit", *argv, "--quiet")[0] == 0
        assert Run(tmp_path / "run").config.data == {"features": str(archive)}

    def test_mistakes(self, error_of, archive, files, tmp_path):
        out = ["--out", tmp_path / "run"]
        assert error_of("fit", archive, "--id-column", "id", *out) == (
            "--id-column is for features and edges in two files, and there is no --edges beside 'all.npz'."
        )
        assert error_of("fit", "--features", files / "words.csv", *out) == (
            "--features and --edges belong together, and --edges is missing; one file for both is an .npz "
            "with named arrays."
        )
        assert "does not exist" in error_of("fit", tmp_path / "no.npz", *out)


class TestEdgesAlone:
    """A graph without features, from its file to the page."""

    def test_from_fit_to_report(self, acvae, tmp_path):
        rng = np.random.default_rng(0)
        group = np.arange(40) // 10
        pairs = [(i, j) for i in range(40) for j in range(i) if group[i] == group[j] and rng.random() < 0.5]
        pairs += [(0, 10), (10, 20), (20, 30)]
        lines = ["one,other", *(f"p{i},p{j}" for i, j in pairs)]
        (tmp_path / "knows.csv").write_text("\n".join(lines))
        run = tmp_path / "run"
        code, out, err = acvae("fit", "--edges", tmp_path / "knows.csv", "--out", run)
        assert (code, "graph-gaussian on knows" in out) == (0, True), err
        assert f"{len(pairs)} rows of edges, the first between" in err
        assert Run(run).config.data_name == "knows"
        assert acvae("evaluate", run)[0] == 0
        code, out, _ = acvae("links", run, "p5", "-k", "3")
        assert code == 0
        assert len(out.splitlines()) == 4
        code, out, err = acvae("cluster", run, "-k", "4")
        assert code == 0
        assert "by direction" in err
        sizes = [int(line.split()[1]) for line in out.splitlines()[1:]]
        assert sum(sizes) == 40
        assert max(sizes) <= 20  # by distance, one has nearly all
        assert acvae("report", run, "-o", tmp_path / "page.html")[0] == 0
        assert (tmp_path / "page.html").stat().st_size > 10_000

    def test_mistakes(self, acvae, tables, tmp_path):
        code, _, err = acvae("fit", *tables[2:], "--model", "vae", "--out", tmp_path / "run")
        assert code == 1
        assert "the model vae needs features, and --features is missing" in err
        code, _, err = acvae("fit", *tables[2:], "--id-column", "who", "--out", tmp_path / "run")
        assert code != 0
        assert "--id-column is for a file of features, and there is none." in err


def test_a_header_that_may_be_an_edge_is_told_even_where_all_is_quiet(acvae, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.csv").write_text("a,b\nada,ben\ncid,dee\neve,fay\n")
    fit = ["fit", "--edges", "f.csv", "--all-edges", "--quiet", "--out"]
    code, out, err = acvae(*fit, "asked")
    assert (code, out) == (0, "")
    assert err.startswith("warning: the first line of ")
    assert err.endswith(
        "f.csv' is taken for an edge, between 'a' and 'b'. It may be a header, as neither is an end of "
        "another edge: --edges-header says that it is one, --no-edges-header that it is not.\n"
    )
    assert Run("asked").load_data().graph.n_edges == 4  # which is told once
    assert acvae(*fit, "told", "--edges-header") == (0, "", "")
    assert Run("told").graph.n_edges == 3
