import os

import pytest

from acvae._util import memory as _memory


def test_between_nothing_and_all_there_is():
    room = _memory.available_memory()
    assert 0 < room <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize(
    ("machine", "container", "expected"), [(10, 5, 5), (10, None, 10), (10, 20, 10), (None, None, None)]
)
def test_the_smaller_room_counts(machine, container, expected, monkeypatch):
    monkeypatch.setattr(_memory, "_machine", lambda: machine)
    monkeypatch.setattr(_memory, "_container", lambda: container)
    assert _memory.available_memory() == expected
