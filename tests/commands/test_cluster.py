"""`acvae cluster`: groups as a table, as CSV and as JSON."""

import csv
import io
import json

import numpy as np
import pytest

from acvae import cluster
from acvae.clustering import MEMORY, cluster_directions
from acvae.clustering.complete import complete_linkage
from acvae.runs import Run


def test_csv_json_and_table_agree_with_the_library(acvae, run_folder):
    run = Run(run_folder)
    expected = cluster(run.posterior, 3)
    code, out, err = acvae("cluster", run_folder, "-k", 3, "--csv", "--quiet")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["name"] for row in rows] == list(run.graph.names)
    assert [int(row["cluster"]) for row in rows] == expected.tolist()
    found = json.loads(acvae("cluster", run_folder, "-k", 3, "--json")[1])
    assert (found["k"], found["by"]) == (3, "distance")
    assert found["sizes"] == np.bincount(expected).tolist()
    assert [row["cluster"] for row in found["vertices"]] == expected.tolist()
    code, out, err = acvae("cluster", run_folder, "-k", 3)
    assert "distances: 24/24" in err
    assert "merges: 23/23" in err
    assert out.splitlines()[0] == "cluster  size  vertices with the most neighbours"
    assert [int(line.split()[1]) for line in out.splitlines()[1:]] == found["sizes"]


def test_numbers_stand_for_names_that_are_not_there(acvae, tree_run):
    found = json.loads(acvae("cluster", tree_run, "--json", "--quiet")[1])
    assert [row["name"] for row in found["vertices"]] == list(range(40))
    assert len(found["sizes"]) == 5


def test_the_command_chooses_by_the_model_and_says_how(acvae, data_flags, run_folder, tmp_path):
    folder = tmp_path / "run"
    assert acvae("fit", *data_flags, "--out", folder, "--quiet")[0] == 0  # graph-gaussian
    posterior = Run(folder).posterior
    code, out, err = acvae("cluster", folder, "-k", 3)
    assert (code, err) == (0, "clusters by direction: k-means on the directions of the embeddings\n")
    sizes = [int(line.split()[1]) for line in out.splitlines()[1:]]
    assert sizes == np.bincount(cluster_directions(posterior, 3)).tolist() == [8, 8, 8]  # the groups
    found = json.loads(acvae("cluster", folder, "-k", 3, "--by", "distance", "--json")[1])
    assert found["by"] == "distance"
    assert [row["cluster"] for row in found["vertices"]] == cluster(posterior, 3).tolist()
    assert "clusters by distance: complete linkage" in acvae("cluster", run_folder, "-k", 3)[2]


@pytest.mark.parametrize(("alone", "told"), [(1, True), (4, False)])
def test_one_cluster_of_nearly_all_is_told_of(alone, told, acvae, run_folder, monkeypatch):
    labels = np.array([0] * (24 - alone) + [1] * alone)
    monkeypatch.setattr("acvae.runs.clusters.cluster", lambda *_, **__: labels)
    code, _, err = acvae("cluster", run_folder, "-k", 2)
    assert code == 0
    assert (f"note: one cluster has {24 - alone} of 24 vertices" in err) is told
    assert "note:" not in acvae("cluster", run_folder, "-k", 2, "--quiet")[2]


def test_the_memory_it_may_use(acvae, run_folder, monkeypatch):
    asked = []

    def watched(posterior, memory, *, progress):
        asked.append((memory, progress))
        return complete_linkage(posterior, memory)

    monkeypatch.setattr("acvae.clustering.hierarchy.complete_linkage", watched)
    assert acvae("cluster", run_folder)[0] == 0
    assert acvae("cluster", run_folder, "--memory", 20, "--quiet")[0] == 0
    assert asked == [(MEMORY, True), (20_000_000, False)]


def test_mistakes(error_of, acvae, run_folder, monkeypatch):
    assert error_of("cluster", run_folder, "-k", 99) == "cannot make 99 clusters of 24 vertices."
    assert acvae("cluster", run_folder, "--json", "--csv")[0] == 2
    code, _, err = acvae("cluster", run_folder, "--memory", "0")
    assert code == 2
    assert "argument --memory: must be a whole number of at least 1, not '0'" in err
    monkeypatch.setattr("acvae.clustering.hierarchy.available_memory", lambda: 0)
    assert error_of("cluster", run_folder).startswith("clustering would take 0.0 GB of memory")
