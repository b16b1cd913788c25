"""`acvae export`: embeddings, links and the model as files."""

import csv

import numpy as np

import acvae as library
from acvae.runs import Run


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_export(acvae, run_folder, tmp_path):
    run = Run(run_folder)
    argv = ["--embeddings", tmp_path / "e.csv", "--links", tmp_path / "l.csv", "--model", tmp_path / "m"]
    assert acvae("export", run_folder, *argv, "-k", 1, "--quiet") == (0, "", "")
    rows = rows_of(tmp_path / "e.csv")
    assert [row["vertex"] for row in rows] == list(run.graph.names)
    mean = np.array([[row[f"mean_{j}"] for j in range(3)] for row in rows], dtype=np.float32)
    np.testing.assert_array_equal(mean, run.posterior.mean)
    assert len(rows_of(tmp_path / "l.csv")) == 24
    again = library.load(tmp_path / "m" / "model.safetensors")
    np.testing.assert_array_equal(again.posterior_.mean, run.posterior.mean)
    assert acvae("export", run_folder, "--embeddings", tmp_path / "e.npy", "--quiet")[0] == 0
    np.testing.assert_array_equal(np.load(tmp_path / "e.npy"), run.posterior.mean)
