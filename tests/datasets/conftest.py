"""Fixtures for tests of data sets: a cache of their own, and the real raw files where they are at hand."""

import os
import threading
from pathlib import Path

import pooch
import pytest

from file_server import Server

# Read before `private_cache` hides the variable from the code under test.
REAL_DATA = Path(
    os.environ.get("ACVAE_DATA") or Path(__file__).resolve().parents[3].joinpath("shared", "data")
)


@pytest.fixture
def private_cache(tmp_path, monkeypatch):
    """An empty user cache, and no other place to look in."""
    monkeypatch.delenv("ACVAE_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache" / project)
    return tmp_path / "cache" / "acvae"


@pytest.fixture
def real_data():
    """Folder with the publishers' files: `$ACVAE_DATA`, or `shared/data` beside the repository."""
    if not REAL_DATA.is_dir():
        pytest.skip("no raw data: set ACVAE_DATA to a folder with the publishers' files")
    return REAL_DATA


@pytest.fixture
def write(tmp_path):
    """Write a file by name and content, and return its path."""

    def to(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()
