"""`acvae neighbors`: predicted links of a named vertex, and the name that was meant."""

import json

import numpy as np
import pytest

from acvae.runs import Run


def test_json_agrees_with_the_library(acvae, run_folder):
    run = Run(run_folder)
    vertex = int(run.test.degrees.argmax())
    name = str(run.graph.name(vertex))
    code, out, err = acvae("neighbors", run_folder, name, "-k", 30, "--by", "distance", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    ids, distances = run.posterior.nearest([vertex], 30, run.graph)
    left = 23 - run.graph.degrees[vertex]
    assert [row["name"] for row in found["neighbors"]] == [run.graph.name(i) for i in ids[0, :left].tolist()]
    np.testing.assert_allclose([row["distance"] for row in found["neighbors"]], distances[0, :left])
    assert found["known_neighbors"] == run.graph.degrees[vertex]
    hidden = {run.graph.name(i) for i in run.test.neighbors(vertex).tolist()}
    assert {row["name"] for row in found["neighbors"] if row["test"]} == hidden
    assert not any(row["known"] for row in found["neighbors"])


def test_table_marks_test_links_and_known_ones(acvae, run_folder):
    run = Run(run_folder)
    vertex = int(np.flatnonzero((run.test.degrees > 0) & (run.graph.degrees > 0))[0])
    name = run.graph.name(vertex)
    code, out, err = acvae("neighbors", run_folder, name, "-k", 23, "--include-known")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["name", "probability"]
    assert lines[1].startswith(" 1  item-")
    assert sum(line.endswith("  known") for line in lines) == run.graph.degrees[vertex]
    assert sum(line.endswith("  test link") for line in lines) == run.test.degrees[vertex]
    n = run.test.degrees[vertex]
    assert f"{n} of its {n} hidden test links {'is' if n == 1 else 'are'} shown" in err
    assert acvae("neighbors", run_folder, name, "--quiet")[2] == ""


def test_numbers_where_there_are_no_names(acvae, error_of, tree_run):
    assert acvae("neighbors", tree_run, "5", "-k", 2)[0] == 0
    for wrong in ("40", "five"):
        assert error_of("neighbors", tree_run, wrong) == (
            f"there is no vertex '{wrong}': the vertices have no names here, but numbers from 0 to 39."
        )


def test_the_name_that_was_meant(error_of, run_folder):
    assert error_of("neighbors", run_folder, "A3") == "no vertex is called 'A3'. Did you mean item-a3?"
    assert error_of("neighbors", run_folder, "Item-B1").endswith("Did you mean item-b1?")
    assert error_of("neighbors", run_folder, "zzz") == (
        "no vertex is called 'zzz'. Names here are like 'item-a0', 'item-a1', 'item-a2'."
    )


@pytest.mark.parametrize("argv", [("-k", "0"), ("-k", "few"), ("--exclude",)])
def test_usage(argv, acvae, run_folder):
    code, _, err = acvae("neighbors", run_folder, "item-a0", *argv)
    assert code == 2
    assert "usage: acvae" in err


def test_a_ranking_that_the_model_does_not_have(acvae, tmp_path):
    run = tmp_path / "run"
    tree = ["tree", "--data-option", "n_vertices=40", "--data-option", "n_features=12"]
    assert acvae("fit", *tree, "--out", run, "--quiet")[0] == 0
    code, _, err = acvae("neighbors", run, 3, "--by", "pairs")
    assert code == 1
    assert err.endswith(
        "the model graph-gaussian has no pair network to rank by; it has link and distance.\n"
    )
