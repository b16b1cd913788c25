"""For all tests: none leaves anything behind in the repository, and none fails by the time it takes."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# A shell lets what it starts in the background ignore Ctrl-C, which some tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[1]
MADE_BESIDE = {"build", "dist", "runs"}  # by other commands, while tests run


def _there():
    return {path.name for path in ROOT.iterdir() if not path.name.startswith(".")} - MADE_BESIDE


@pytest.fixture(autouse=True)
def _nothing_left_behind():
    """A stray file comes to lie in the working folder, which is the root of the repository."""
    before = _there()
    yield
    left = sorted(_there() - before)
    assert not left, f"in the root of the repository there are now {left}; write to tmp_path"
