"""A run that is finished, and a copy of it to be damaged."""

import pytest

from acvae.runs import fit_run
from runs.samples import config


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    return fit_run(config(), tmp_path_factory.mktemp("runs") / "run", progress=False).path


@pytest.fixture
def run(finished, tmp_path):
    """A copy to be damaged."""
    for path in finished.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path
