"""A run's folder under faults: two processes, kills, a full disk, a folder that is taken away."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from acvae._util.locks import FileLock
from acvae.exceptions import RunError, TrainingError
from acvae.runs import Run, RunConfig, fit_run, resume_run
from acvae.runs.errors import BusyRunError, FinishedRunError, NotBegunError, OtherFilesError, OtherRunError
from acvae.runs.writer import RunWriter

KILL = Path(__file__).parents[2] / "benchmarks" / "faults" / "kill.py"
DEAD = 999_999_999  # no process has this id
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

VALUES = {
    "dataset": "tree",
    "data_options": {"n_vertices": 30, "n_features": 8},
    "model": "vae",
    "epochs": 4,
    "latent_dim": 2,
    "hidden_dim": 3,
    "device": "cpu",
    "checkpoint_every": 2,
}


def config(**changes):
    return RunConfig.from_values({**VALUES, **changes})


def content(folder):
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    about = json.loads(found["run.json"])
    assert about.pop("timing")["total"] > 0
    return {**found, "run.json": about}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that was never stopped."""
    return fit_run(config(), tmp_path_factory.mktemp("runs") / "run", progress=False).path


def test_the_same_training_gives_the_same_bytes(whole, tmp_path):
    again = fit_run(config(), tmp_path / "run", progress=True).path
    assert content(again) == content(whole)
    assert "seconds" not in (whole / "history.csv").read_text()
    assert all(row["seconds"] >= 0 for row in Run(whole).history)


def test_nothing_is_read_back_while_it_is_written(tmp_path, monkeypatch):
    def only_when_finished(path, *arguments, **named):
        if path.parent == tmp_path / "run" and path.name in ("run.json", "config.toml"):
            assert '"finished": true' in read_text(tmp_path / "run" / "run.json", encoding="utf-8")
        return read_text(path, *arguments, **named)

    read_text = Path.read_text
    monkeypatch.setattr(Path, "read_text", only_when_finished)
    assert fit_run(config(), tmp_path / "run", progress=False).finished


def test_the_default_model_gives_the_same_bytes_too(tmp_path):
    default = RunConfig.from_values(
        {name: VALUES[name] for name in ("dataset", "data_options", "latent_dim")}
    )
    assert default.model == "graph-gaussian"
    one, other = (fit_run(default, tmp_path / name, progress=False).path for name in ("one", "other"))
    assert content(one) == content(other)
    assert {"graph.safetensors", "model.safetensors", "links.safetensors", "scores.json"} <= content(
        one
    ).keys()


@needs_fork
@pytest.mark.parametrize("model", ["vae", "graph-gaussian"])
def test_kill_points_and_random_moments_lose_nothing(model):
    """A few of them; the program does all."""
    done = subprocess.run(
        [sys.executable, KILL, "--model", model, "--points", "5", "--random", "1"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.count("0 lost, 0 different") == 2, done.stdout


def in_a_process(work):
    """What a forked process tells of itself: a text."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, work().encode()[:60_000])
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        told = file.read()
    os.waitpid(child, 0)
    return told


def error_of(**changes):
    """The kind of error and its text, of a training that is told to fail."""
    try:
        fit_run(config(**changes.pop("values", {})), progress=False, **changes)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


class TestTwoProcesses:
    def test_the_second_is_refused_by_the_first_s_id(self, tmp_path):
        folder = tmp_path / "run"
        with RunWriter(folder), pytest.raises(BusyRunError, match=f"process {os.getpid()} is at work"):
            fit_run(config(), folder, progress=False)
        assert not folder.exists()  # nothing was begun

    @needs_fork
    def test_two_real_ones(self, tmp_path):
        folder = tmp_path / "run"
        with RunWriter(folder):
            told = in_a_process(lambda: error_of(path=folder))
        assert told == f"BusyRunError: process {os.getpid()} is at work on the run in {str(folder)!r}."

    def test_nor_may_it_go_on_or_overwrite(self, whole):
        lock = FileLock(whole / "lock")
        assert lock.acquire() is None
        with lock:
            for call in (
                lambda: resume_run(whole, progress=False),
                lambda: fit_run(config(), whole, overwrite=True, progress=False),
            ):
                with pytest.raises(BusyRunError, match=f"process {os.getpid()} is at work"):
                    call()
        assert Run(whole).finished

    def test_partial_files_of_the_dead_are_swept_those_of_the_living_are_not(self, whole, tmp_path):
        folder = tmp_path / "run"
        folder.mkdir()
        (folder / "lock").write_text(f"{DEAD}\n")
        (folder / f"model.safetensors.{DEAD}.partial").write_bytes(b"half")
        living = folder / f"scores.json.{os.getppid()}.partial"
        living.write_bytes(b"half")
        fit_run(config(), folder, progress=False)
        assert living.exists()
        living.unlink()
        assert content(folder) == content(whole)


class TestWhatIsThere:
    def test_a_folder_that_never_began_is_taken_and_one_with_other_files_is_not(self, whole, tmp_path):
        (tmp_path / "lock").write_text("")
        (tmp_path / "graph.safetensors").write_bytes(b"whole, but without a record")
        with pytest.raises(NotBegunError):
            Run(tmp_path)
        assert content(fit_run(config(), tmp_path, progress=False).path) == content(whole)
        other = tmp_path / "other"
        other.mkdir()
        (other / "config.toml").write_text("mine")
        with pytest.raises(OtherFilesError, match="a folder with other files in it"):
            fit_run(config(), other, progress=False)
        assert (other / "config.toml").read_text() == "mine"

    def test_finished_but_untidy(self, whole, tmp_path):
        folder = fit_run(config(), tmp_path / "run", progress=False).path
        with pytest.raises(FinishedRunError):
            fit_run(config(), folder, progress=False)
        for name in ("lock", "checkpoint.safetensors", f"run.json.{DEAD}.partial"):
            (folder / name).write_bytes(b"left")
        assert fit_run(config(), folder, progress=False).finished
        assert content(folder) == content(whole)

    def test_another_training_is_not_gone_on_with(self, tmp_path, monkeypatch):
        folder = stopped(tmp_path, monkeypatch)
        with pytest.raises(OtherRunError, match="with other settings that was stopped"):
            fit_run(config(seed=1), folder, progress=False)

    @pytest.mark.parametrize("again", [True, False])
    def test_a_deleted_checkpoint_starts_anew_on_the_kept_split(self, again, whole, tmp_path, monkeypatch):
        folder = stopped(tmp_path, monkeypatch)
        (folder / "checkpoint.safetensors").unlink()
        split = (folder / "graph.safetensors").read_bytes()
        fit_run(config(), folder, progress=False) if again else resume_run(folder, progress=False)
        assert content(folder) == content(whole)
        assert (folder / "graph.safetensors").read_bytes() == split

    @pytest.mark.parametrize("name", ["model.safetensors", "posterior.safetensors", "history.csv"])
    def test_a_file_that_is_lost_makes_it_unfinished_and_comes_again(self, name, whole, tmp_path):
        folder = fit_run(config(), tmp_path / "run", progress=False).path
        (folder / name).write_bytes((folder / name).read_bytes()[:-1])
        assert not Run(folder).finished
        resume_run(folder, progress=False)
        assert content(folder) == content(whole)


def stopped(tmp_path, monkeypatch):
    """A run that a power cut of a kind stopped after its first checkpoint."""
    folder = tmp_path / "stopped"
    with monkeypatch.context() as patched:
        fail_at(patched, "checkpoint.safetensors", 2, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            fit_run(config(), folder, progress=False)
    assert (folder / "checkpoint.safetensors").is_file()
    assert not Run(folder).finished
    return folder


def fail_at(patched, name, count, error):
    """Fail when the file of that name is put in its place for the count-th time."""
    replace, seen = os.replace, []

    def failing(source, target):
        if Path(target).name == name:
            seen.append(target)
            if len(seen) == count:
                raise error
        return replace(source, target)

    patched.setattr(os, "replace", failing)


class TestNoSpace:
    @pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
    def test_while_a_checkpoint_is_written_the_last_one_survives(self, code, whole, tmp_path, monkeypatch):
        folder = tmp_path / "run"
        with monkeypatch.context() as patched:
            fail_at(patched, "checkpoint.safetensors", 2, OSError(code, os.strerror(code)))
            with pytest.raises(RunError, match=f"{os.strerror(code)}.* The last checkpoint is kept in "):
                fit_run(config(), folder, progress=False)
        assert (folder / "checkpoint.safetensors").is_file()
        fit_run(config(), folder, progress=False)
        assert content(folder) == content(whole)

    @pytest.mark.parametrize("name", ["model.safetensors", "scores.json", "run.json"])
    def test_at_the_end(self, name, whole, tmp_path, monkeypatch):
        folder = tmp_path / "run"
        with monkeypatch.context() as patched:
            count = 2 if name == "run.json" else 1
            fail_at(patched, name, count, OSError(errno.ENOSPC, "No space left on device"))
            with pytest.raises(RunError, match=r"cannot be written \(No space left on device\)"):
                fit_run(config(), folder, progress=False)
        assert not list(folder.glob("*.partial"))
        resume_run(folder, progress=False)
        assert content(folder) == content(whole)

    @needs_fork
    @pytest.mark.parametrize("limit", [500, 3_000, 6_000, 12_000])
    def test_a_file_the_system_lets_grow_no_further(self, limit, whole, tmp_path):
        """The kernel's own refusal, wherever it comes: in the graph, the checkpoint, the model or nowhere."""
        resource = pytest.importorskip("resource")
        folder = tmp_path / "run"

        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            return error_of(path=folder)

        told = in_a_process(limited)
        if max(path.stat().st_size for path in whole.iterdir()) > limit:
            assert re.match(r"RunError: .*File too large", told), told
        else:
            assert told == "no error"
        assert not list(folder.glob("*.partial"))
        if not (folder.exists() and Run(folder).finished):
            fit_run(config(), folder, progress=False)
        assert content(folder) == content(whole)

    def test_before_anything_is_there(self, tmp_path, monkeypatch):
        fail_at(monkeypatch, "config.toml", 1, OSError(errno.EROFS, "Read-only file system"))
        with pytest.raises(RunError, match=r"config\.toml' cannot be written \(Read-only file system\)"):
            fit_run(config(), tmp_path / "run", progress=False)
        assert not (tmp_path / "run").exists()


def test_a_folder_that_is_deleted_in_the_middle_is_not_made_again(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    replace = os.replace

    def deleting(source, target):
        replace(source, target)
        if Path(target).name == "checkpoint.safetensors":
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()

    monkeypatch.setattr(os, "replace", deleting)
    with pytest.raises(RunError, match="was deleted or replaced while it was trained into"):
        fit_run(config(), folder, progress=False)
    assert not folder.exists()


def test_what_cannot_be_trained_leaves_nothing(tmp_path):
    with pytest.raises(TrainingError):
        fit_run(config(learning_rate=1e30), tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()
