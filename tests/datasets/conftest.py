"""Fixtures for tests of data sets: a cache of their own, and the real raw files where they are at hand."""

import os
from pathlib import Path

import pooch
import pytest


@pytest.fixture
def private_cache(tmp_path, monkeypatch):
    """An empty user cache, and no other place to look in."""
    monkeypatch.delenv("ACVAE_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache" / project)
    return tmp_path / "cache" / "acvae"


@pytest.fixture
def real_data():
    """Folder with the publishers' files: `$ACVAE_DATA`, or `shared/data` beside the repository."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("ACVAE_DATA", beside))
    if not folder.is_dir():
        pytest.skip("no raw data: set ACVAE_DATA to a folder with the publishers' files")
    return folder
