"""Locks: one holder at a time, named; free again when it ends, however it ends."""

import os
import signal
import subprocess
import sys

from acvae._util.locks import FileLock, is_alive

HOLD = """
import sys, time
from acvae._util.locks import FileLock
lock = FileLock(sys.argv[1])
print(lock.acquire(), flush=True)
time.sleep(60)
"""


def test_one_at_a_time(tmp_path):
    path = tmp_path / "lock"
    lock, other = FileLock(path), FileLock(path)
    assert lock.acquire() is None
    assert path.read_text() == f"{os.getpid()}\n"
    assert other.acquire() == os.getpid()
    assert other.holder() == os.getpid()
    lock.release()
    assert not path.exists()
    assert other.holder() is None
    assert other.acquire() is None
    assert other.still_there()
    path.unlink()
    assert not other.still_there()
    other.release()


def test_a_killed_holder_leaves_it_free(tmp_path):
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "None\n"
        with FileLock(path) as lock:
            assert lock.acquire() == process.pid
        assert is_alive(process.pid)
        process.send_signal(signal.SIGKILL)
    assert path.exists()  # stale
    assert not is_alive(process.pid)
    with FileLock(path) as lock:
        assert lock.holder() is None
        assert lock.acquire() is None
    assert not path.exists()


def test_without_locks_of_the_system_the_process_id_counts(tmp_path, monkeypatch):
    monkeypatch.setattr("acvae._util.locks.fcntl", None)
    path = tmp_path / "lock"
    path.write_text(f"{os.getppid()}\n")
    assert FileLock(path).acquire() == os.getppid()
    path.write_text("999999999\n")
    with FileLock(path) as lock:
        assert lock.acquire() is None
