"""Every example runs, small, and prints what its reader is promised."""

import dataclasses
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from acvae.reproduce.compare import Store

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


def around(data, names, size):
    """The part of a data set near some vertices."""
    import acvae

    kept = [data.graph.index(name) for name in names]
    for v in kept:
        kept += [u for u in data.graph.neighbors(v).tolist() if u not in kept][: size - len(kept)]
    ids = np.array(kept)
    graph = data.graph
    edges = graph.edges[np.isin(graph.edges, ids).all(axis=1)]
    place = np.full(graph.n_vertices, -1)
    place[ids] = np.arange(len(ids))
    part = acvae.Graph(len(ids), place[edges], graph.names[ids])
    return dataclasses.replace(data, features=data.features[ids], graph=part)


def test_the_demo_shows_links_reasons_and_scores(tmp_path, monkeypatch, capsys):
    import acvae

    demo = runpy.run_path(str(EXAMPLES / "demo.py"))
    names = [*demo["WELL_KNOWN"], *demo["EXPLAINED"][1:], demo["CLOSE_UP"]]
    small = around(acvae.datasets.load("debian"), names, 150)
    monkeypatch.setattr(acvae.datasets, "load", lambda name: small)
    demo["main"](["--out", str(tmp_path / "out"), "--epochs", "1"])
    printed = capsys.readouterr().out
    for text in (*demo["WELL_KNOWN"], "probability of a link", "both have", "Adamic–Adar", "chance"):
        assert text in printed
    assert [path.name for path in sorted((tmp_path / "out").iterdir())] == [
        "acvae.safetensors",
        "forest.png",
        "graph-gaussian.safetensors",
    ]


def test_the_table_of_peers_is_put_in_the_readme(tmp_path, capsys):
    main = runpy.run_path(str(EXAMPLES.parent / "experiments" / "beyond" / "readme.py"))["main"]
    readme, results = tmp_path / "README.md", tmp_path / "results"
    readme.write_text("before\n<!-- beyond:begin -->\nold\n<!-- beyond:end -->\nafter\n")
    main(["--results", str(results)])
    assert "No results are stored yet" in capsys.readouterr().out
    store = Store(results)
    for split, ncrr in enumerate((0.2, 0.3)):
        store.put("links", "debian", "katz", split, {"ncrr": ncrr, "random_ncrr": 0.003})
    store.put("links", "debian", "graph-gaussian", 0, {"ncrr": 0.4, "random_ncrr": 0.003})
    main(["--results", str(results), "--write", "--readme", str(readme)])
    written = readme.read_text().splitlines()
    half = 12.706 * 0.05  # Student's t at one degree of freedom, times the error of the mean
    assert f"| Katz | 0.250 ± {half:.3f} (2) |" in written
    assert "| GraphGaussian | **0.400** (1) |" in written
    assert "| *chance* | 0.003 |" in written
    assert "old" not in written
    assert (written[0], written[-1]) == ("before", "after")


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
