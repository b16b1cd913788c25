"""The grid: stored at once, done once, resumed after a kill, and a failure fails alone."""

import io
import json
import math
import os
import signal
import subprocess
import sys
import time

import pytest

from acvae.exceptions import DataError
from acvae.reproduce.check import check_result, differences
from acvae.reproduce.config import load_experiment
from acvae.reproduce.display import Display
from acvae.reproduce.execute import execute
from acvae.reproduce.pool import Outcome
from acvae.reproduce.runner import _record, filter_runs, run_experiments
from acvae.reproduce.store import done, write_result


def run(name, configs, results, only=(), jobs=2):
    shown = io.StringIO()
    summary = run_experiments(
        [load_experiment(name, folder=configs)], results, jobs=jobs, only=only, display=Display(shown)
    )
    return summary, shown.getvalue()


@pytest.mark.usefixtures("no_raw_data")
def test_a_table_is_run_stored_and_not_run_again(configs, tmp_path):
    results = tmp_path / "results"
    summary, shown = run("table1", configs, results)
    assert (summary.finished, summary.failed, summary.skipped) == (8, 0, 1)
    assert "librarything: its raw files are not here" in shown
    assert "8 are to do, 2 at a time" in shown
    assert "[8/8]" in shown

    path = results / "small" / "acvae-eb" / "gamma=0.001" / "run=1.json"
    result = json.loads(path.read_text())
    assert result["seeds"] == {"split": 1, "model": 1}
    assert result["threads"] == 1
    assert set(result["selected"]) == {"bp", "pairwise"}
    assert [row["epoch"] for row in result["history"]] == [2, 4]
    assert result["data"]["train_edges"] + result["data"]["test_edges"] == result["data"]["n_edges"]
    assert len(result["data"]["test_edges_sha256"]) == 64
    assert set(result["versions"]) == {"acvae", "torch", "numpy", "python"}
    assert path.stat().st_size < 6000
    others = json.loads((results / "small" / "vae" / "gamma=none" / "run=1.json").read_text())
    assert others["data"]["test_edges_sha256"] == result["data"]["test_edges_sha256"]

    # What table 3 needs is there, table 1 is complete, and nothing was written again.
    before = {p: p.stat().st_mtime_ns for p in results.rglob("*.json")}
    assert run("table3", configs, results)[0] == (2, 0, 0, 0)
    assert run("table1", configs, results)[0] == (8, 0, 0, 1)
    assert {p: p.stat().st_mtime_ns for p in results.rglob("*.json")} == before

    # A damaged result and one with other settings are run again, to the same figures.
    path.write_text(path.read_text()[:100])
    other = results / "small" / "vae" / "gamma=none" / "run=0.json"
    stale = json.loads(other.read_text())
    stale["spec"]["options"]["epochs"] = 3
    other.write_text(json.dumps(stale))
    summary, shown = run("table1", configs, results, jobs=1)
    assert summary == (6, 2, 0, 1)
    assert "2 of them are stored but damaged or with other settings" in shown
    assert differences(result, json.loads(path.read_text())) == []

    # The check does the run again, and a change in the last digit does not pass.
    path = results / "small" / "acvae-eb" / "gamma=10" / "run=0.json"
    result = json.loads(path.read_text())
    test = result["selected"]["bp"]["ncrr"]["test"]
    result["selected"]["bp"]["ncrr"]["test"] = math.nextafter(test, 1)
    write_result(result, path)
    (line,), changed, exact, digits = check_result(path)
    assert (changed, exact, digits) == ([], True, 1)
    assert line == f"selected.bp.ncrr.test: stored {math.nextafter(test, 1)!r}, now {test!r}"


def test_check_needs_a_result(tmp_path):
    with pytest.raises(DataError, match="not a stored result"):
        check_result(tmp_path / "nothing.json")


def test_a_failing_run_and_a_dying_process_leave_the_others_alone(configs, tmp_path, monkeypatch):
    results = tmp_path / "results"
    text = (configs / "table1.toml").read_text()
    (configs / "table1.toml").write_text(
        text.replace("epochs = 4, every = { bp", "epochs = -1, every = { bp")
    )
    summary, shown = run("table1", configs, results, only=["small", "run=0"], jobs=1)
    assert (summary.finished, summary.failed) == (2, 2)
    assert "FAILED: epochs must be a whole number of at least 0, not -1." in shown
    note = results / "small" / "acvae-eb" / "gamma=10" / "run=0.error.txt"
    assert "epochs must be" in note.read_text()
    spec = load_experiment("table3", folder=configs).runs[0]
    assert not _record(Outcome(spec, 1.0, {}, None, ""), results)  # a success takes the note away
    assert not note.exists()

    (configs / "table1.toml").write_text(text)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    summary, shown = run("table1", configs, results, only=["small", "run=1", "gamma=none"])
    assert (summary.finished, summary.failed) == (0, 2)
    assert "its process ended with exit code 1" in shown


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_killed_and_started_again_it_does_only_what_is_missing(configs, tmp_path):
    results = tmp_path / "results"
    text = (configs / "table1.toml").read_text()
    (configs / "table1.toml").write_text(text.replace("vae = { epochs = 4", "vae = { epochs = 1000000", 1))
    command = [sys.executable, "-m", "acvae.commands.main", "reproduce", "table1", "--configs", str(configs)]
    command += ["--results", str(results), "--jobs", "2", "--only", "small", "--only", "run=0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        # One process is busy with the endless run; the other does the rest and stores it.
        wanted = results / "small" / "random-tree" / "gamma=none" / "run=0.json"
        deadline = time.monotonic() + 60
        while not wanted.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, shown = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "the same command goes on from there" in shown
    stored = sorted(p.relative_to(results).as_posix() for p in results.rglob("*.json"))
    assert stored == [
        "small/acvae-eb/gamma=0.001/run=0.json",
        "small/acvae-eb/gamma=10/run=0.json",
        "small/random-tree/gamma=none/run=0.json",
    ]
    wanted = filter_runs(load_experiment("table1", folder=configs).runs, ["small", "run=0"])
    assert [spec.method for spec in wanted if not done(spec, results)] == ["vae"]


def test_clustering_runs(configs):
    runs = load_experiment("table2", folder=configs).runs
    results = {spec.method: execute(spec) for spec in runs}
    data = {method: result["data"] for method, result in results.items()}
    assert sum(data["acvae-sp"]["label_counts"]) == 60
    assert data["acvae-sp"]["labels_sha256"] == data["cvae-corr"]["labels_sha256"]
    assert data["acvae-sp"]["n_edges"] == 177  # all of them: 59 of the tree and twice as many others
    taken = results["acvae-sp"]["selected"]["bp"]
    assert 0 <= taken["nmi_arithmetic"] <= taken["nmi_geometric"] <= 1
    assert sum(taken["cluster_counts"]) == 60


def test_two_runners_on_one_folder_share_the_work(configs, tmp_path):
    """Each run is done by one of them, and both end when all is there."""
    results = tmp_path / "results"
    command = [sys.executable, "-m", "acvae.commands.main", "reproduce", "table1", "--configs", str(configs)]
    command += ["--results", str(results), "--jobs", "1", "--only", "small"]
    runners = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    written: dict[str, set[int]] = {}
    while any(runner.poll() is None for runner in runners):
        for path in results.rglob("run=*.json"):
            written.setdefault(path.relative_to(results).as_posix(), set()).add(path.stat().st_mtime_ns)
        time.sleep(0.01)
    shown = [runner.communicate()[1] for runner in runners]
    assert [runner.returncode for runner in runners] == [0, 0]
    wanted = filter_runs(load_experiment("table1", folder=configs).runs, ["small"])
    assert all(done(spec, results) for spec in wanted)
    assert len(written) == len(wanted) == 8
    assert all(len(times) == 1 for times in written.values())
    own = [
        line
        for text in shown
        for line in text.splitlines()
        if line.startswith("[") and "by another process" not in line
    ]
    assert len(own) == len(wanted), shown
    assert [p.name for p in results.rglob("*") if p.is_file() and not p.name.endswith(".json")] == []
