"""One bar over all parts: shares add up, and no part takes more than its own."""

import pytest

from acvae.report import work as module
from acvae.report.work import Work


@pytest.fixture
def told(monkeypatch):
    """What the stages are told, in order."""
    calls = []

    class Stages:
        def __init__(self, label, sizes, *, seconds, show):
            calls.append((label, sizes, seconds, show))

        def at(self, part, share):
            calls.append((part, share))

        def __enter__(self):
            calls.append("begin")
            return self

        def __exit__(self, *error):
            calls.append("end")

    monkeypatch.setattr(module, "Stages", Stages)
    return calls


def test_shares_of_a_part_add_up(told):
    with Work({"links": 3.0, "maps": 1.0}, show=False) as work:
        work.advance("links", 0.25)
        work.advance("maps", 1.0)
        work.advance("links", 0.5)
    assert told[0] == ("report", {"links": 3.0, "maps": 1.0}, 4.0, False)
    assert told[1:] == ["begin", ("links", 0.25), ("maps", 1.0), ("links", 0.75), "end"]


def test_a_part_ends_at_one_whatever_rounding_says(told):
    work = Work({"links": 1.0}, show=False)
    for _ in range(10):
        work.advance("links", 0.1)  # which is not quite one in sum
    assert told[-1] == ("links", 1.0)
    work.advance("links", 0.5)
    assert told[-1] == ("links", 1.0)


def test_with_real_stages():
    with Work({"links": 1.0, "maps": 2.0}, show=False) as work:
        work.advance("links", 1.0)
        with pytest.raises(KeyError):
            work.advance("words", 1.0)
