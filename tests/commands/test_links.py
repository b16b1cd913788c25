"""`acvae links`: predicted links as files."""

import csv
import json
import os
import socket
import subprocess
import sys

import numpy as np
import pytest

from acvae.links.stored import load_ranking
from acvae.runs import Run, rankings
from acvae.runs.links import best_links
from acvae.runs.rankings import ranker_by


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_of_all_vertices_to_a_file(acvae, run_folder, tmp_path):
    run, out = Run(run_folder), tmp_path / "links.csv"
    code, text, err = acvae("links", run_folder, "-k", 3, "--by", "distance", "--out", out)
    assert (code, text) == (0, "")
    assert "72 links of 24 vertices in " in err
    rows = rows_of(out)
    ids, distances = run.posterior.nearest(np.arange(24), 3, run.graph)
    assert [row["target"] for row in rows] == [run.graph.name(i) for i in ids.ravel().tolist()]
    np.testing.assert_array_equal([np.float32(row["distance"]) for row in rows], distances.ravel())
    assert [int(row["rank"]) for row in rows[:4]] == [1, 2, 3, 1]
    names = {(row["source"], row["target"]) for row in rows if row["test_link"] == "True"}
    assert names == {
        (row["source"], row["target"])
        for row in rows
        if run.test.has_edges([[run.graph.index(row["source"]), run.graph.index(row["target"])]])[0]
    }


def test_the_ranking_is_read_once(acvae, run_folder, tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(rankings, "load_ranking", lambda *a: calls.append(a) or load_ranking(*a))
    assert acvae("links", run_folder, "--out", tmp_path / "links.csv")[0] == 0
    assert len(calls) == 1


def test_csv_and_parquet_have_the_same_rows(acvae, run_folder, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for ending in ("csv", "parquet"):
        assert acvae("links", run_folder, "-k", 2, "--out", tmp_path / f"l.{ending}", "--quiet")[2] == ""
    one, other = pandas.read_csv(tmp_path / "l.csv"), pandas.read_parquet(tmp_path / "l.parquet")
    pandas.testing.assert_frame_equal(one, other, check_dtype=False)


def test_of_one_vertex(acvae, error_of, run_folder, tmp_path):
    code, out, _ = acvae("links", run_folder, "item-a0", "-k", 2)
    assert code == 0
    assert len(out.splitlines()) == 3
    assert acvae("links", run_folder, "item-a0", "-k", 2, "--out", tmp_path / "l.csv", "--quiet")[0] == 0
    assert [row["source"] for row in rows_of(tmp_path / "l.csv")] == ["item-a0"] * 2
    assert error_of("links", run_folder, "A3") == "no vertex is called 'A3'. Did you mean item-a3?"


def test_a_vertex_that_is_linked_to_all(acvae, tmp_path):
    (tmp_path / "star.csv").write_text("from,to\n" + "".join(f"hub,leaf{i}\n" for i in range(5)))
    run = tmp_path / "run"
    flags = ["--all-edges", "--scales", "2", "--quiet", "--out", run]
    assert acvae("fit", "--edges", tmp_path / "star.csv", *flags)[0] == 0
    for command, shown in (("links", "acvae neighbors --include-known"), ("neighbors", "--include-known")):
        code, out, err = acvae(command, run, "hub")
        assert (code, out) == (0, "")
        assert f"all others are known neighbours of hub, which {shown} shows" in err


def test_rankings(acvae, run_folder, monkeypatch):
    run = Run(run_folder)
    assert ranker_by(run, "distance") == "bp"
    assert ranker_by(run, "pairs") == "pairwise"
    (found,) = best_links(run, [0], 3, by="pairwise", exclude=None)
    pairs = run.model.pairwise_posterior(run.load_data().features)
    np.testing.assert_array_equal(found.ids, pairs.nearest([0], 3)[0])
    # A fixed rule, whatever the test links say: a choice on them would flatter the scores.
    monkeypatch.setattr(Run, "scores", property(lambda run: pytest.fail("the scores were looked at")))
    assert ranker_by(run, None) == "link"
    monkeypatch.setattr("acvae.runs.rankings.has_links", lambda run: False)
    assert ranker_by(run, None) == ranker_by(run, "link") == "bp"
    monkeypatch.undo()
    told = json.loads(acvae("neighbors", run_folder, "item-a0", "--by", "pairs", "--json")[1])
    assert told["ranked_by"] == "pairwise"


def test_mistakes(acvae, error_of, run_folder, tree_run, tmp_path):
    code, _, err = acvae("links", run_folder)
    assert code == 2
    assert "of which vertex? Give NAME, or --out FILE.csv" in err
    assert "must end in .csv or .parquet" in error_of("links", run_folder, "--out", tmp_path / "l.txt")
    assert "there is no folder" in error_of("links", run_folder, "--out", tmp_path / "no" / "l.csv")
    code, _, err = acvae("export", run_folder)
    assert code == 2
    assert "nothing was asked for: give --embeddings FILE" in err
    assert "must end in .csv, .parquet or .npy" in error_of(
        "export", run_folder, "--embeddings", tmp_path / "e"
    )


def test_two_processes_write_the_file_of_one(acvae, run_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert acvae("links", run_folder, "-k", 3, "--out", tmp_path / "one.csv", "--quiet")[0] == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    where = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    command = [
        sys.executable,
        "-m",
        "acvae.commands.main",
        "links",
        run_folder,
        "-k",
        "3",
        "--quiet",
        "--out",
    ]
    pair = [
        subprocess.Popen(
            [*command, tmp_path / "two.csv"],
            env={**os.environ, **where, "RANK": str(r)},
        )
        for r in range(2)
    ]
    assert [process.wait(timeout=300) for process in pair] == [0, 0]
    assert (tmp_path / "two.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()
