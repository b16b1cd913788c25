"""A stranger's path: two tables with names, a type, gaps and weights; five commands; files for others."""

import csv
import json
import re

import numpy as np
import pytest

from acvae.commands.main import main
from acvae.runs import Run
from strangers_path import SIZES, TYPES, commands, make_tables

N, WORDS, EDGES = SIZES["small"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where all five commands were run."""
    place = tmp_path_factory.mktemp("stranger")
    for command in commands(*make_tables(place, N, WORDS, EDGES), place):
        assert main([*command, "--quiet"]) == 0, command
    return place


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_names_types_and_weights_arrive(folder):
    run = Run(folder / "run")
    assert run.config.model == "graph-gaussian"
    cited = rows_of(folder / "cites.csv")
    given = {frozenset((row["citing"], row["cited"])): float(row["weight"]) for row in cited}
    for graph in (run.graph, run.test):
        for (u, v), weight in zip(graph.edges.tolist(), graph.weights.tolist(), strict=True):
            assert given[frozenset((graph.name(u), graph.name(v)))] == weight
    papers = rows_of(folder / "papers.csv")
    assert run.class_names().tolist() == [row["type"] for row in papers]
    assert any(row["year"] == "" for row in papers)


def test_links_of_all_are_in_the_file_and_none_is_known(folder):
    links, run = rows_of(folder / "links.csv"), Run(folder / "run")
    papers = {row["name"]: row["type"] for row in rows_of(folder / "papers.csv")}
    assert len(links) == 10 * N
    assert {row["source"] for row in links} == set(papers)
    for row in links[:50]:
        assert papers[row["source"]] == row["source_class"]
        assert papers[row["target"]] == row["target_class"]
        assert not run.graph.has_edges([[run.graph.index(row["source"]), run.graph.index(row["target"])]])[0]
    chances = np.array([float(row["probability"]) for row in links]).reshape(N, 10)
    assert (np.diff(chances, axis=1) <= 0).all()
    assert ((chances > 0) & (chances < 1)).all()


def test_embeddings_are_in_the_file(folder):
    found, run = rows_of(folder / "embeddings.csv"), Run(folder / "run")
    assert [row["vertex"] for row in found] == run.graph.names.tolist()
    assert {row["class"] for row in found} == set(TYPES)
    mean = np.array([[float(row[f"mean_{j}"]) for j in range(run.posterior.latent_dim)] for row in found])
    assert np.allclose(mean, run.posterior.mean, atol=1e-6)


def test_the_page_speaks_of_the_papers(folder):
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert json.dumps("Paper 7 of Müller, A.") in page
    assert all(name in page for name in TYPES)
    assert re.search(r"NCRR 0\.\d+ on held-out links", page)
