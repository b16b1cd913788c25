"""Every example runs, small, and prints what its reader is promised."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = {
    "recommend_dependency.py": (
        ["python3-flask", "--epochs", "1", "-k", "2"],
        ["python3-flask: micro web framework", "near it, without a link:"],
    ),
    "pandas_table.py": (
        ["--people", "60", "--epochs", "3"],
        ["coffee", "might know", "in the same town"],
    ),
    "pyg_data.py": (
        ["--nodes", "30", "--epochs", "3"],
        ["hidden links: NCRR", "in the same block", "back again: Data(x=[90, 8]"],
    ),
    "gaussian_features.py": (
        ["--stations", "60", "--epochs", "3"],
        ["of the forest's edges are rivers", "learnt noise", "before", "after"],
    ),
    "compare_heuristics.py": (
        ["--data", "tree", "--epochs", "1", "--gammas", "1"],
        ["Adamic–Adar", "GraphSAGE", "ACVAE_EB + BP, γ = 1", "CVAE, whole graph, γ = 1", "random ranking"],
    ),
}


def run(name, arguments, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    return runpy.run_path(str(EXAMPLES / name))["main"](arguments)


@pytest.mark.parametrize("name", SMALL)
def test_an_example_runs_and_says_what_it_found(name, monkeypatch, capsys):
    arguments, promised = SMALL[name]
    run(name, arguments, monkeypatch)
    printed = capsys.readouterr().out
    for text in promised:
        assert text in printed


def test_tables_are_written(tmp_path, monkeypatch, capsys):
    run("pandas_table.py", ["--people", "40", "--epochs", "1", "--out", str(tmp_path)], monkeypatch)
    assert (tmp_path / "embeddings.csv").read_text().startswith("vertex,mean_0")
    assert len((tmp_path / "links.csv").read_text().splitlines()) == 1 + 3 * 40


def test_a_misspelt_package_is_told_before_training(monkeypatch):
    with pytest.raises(KeyError, match="Did you mean"):
        run("recommend_dependency.py", ["python3-flaks"], monkeypatch)


class TestCitation:
    @pytest.fixture(autouse=True)
    def no_data(self, tmp_path, monkeypatch):
        monkeypatch.setenv("ACVAE_DATA", str(tmp_path / "none"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def test_without_data_it_says_where_they_come_from(self, monkeypatch, capsys):
        assert run("citation.py", [], monkeypatch) == 0
        printed = capsys.readouterr().out
        assert "not here: cit-HepTh.txt.gz" in printed
        assert "--data-root FOLDER" in printed

    def test_with_data_it_compares_with_a_random_tree(self, monkeypatch, capsys):
        import acvae

        small = acvae.datasets.load("tree", n_vertices=80)
        entry = acvae.datasets.Description("citation-1998", "papers", "a test", here=True)
        monkeypatch.setattr(acvae.datasets, "available", lambda root: (entry,))
        monkeypatch.setattr(acvae.datasets, "load", lambda name, root: small)
        assert run("citation.py", ["--epochs", "1", "--gamma", "1"], monkeypatch) == 0
        printed = capsys.readouterr().out
        assert "hops in a random spanning tree" in printed
        assert "ACVAE_EB + BP, γ = 1" in printed
