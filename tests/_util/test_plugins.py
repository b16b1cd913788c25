"""Packages with models of their own, as their entry points tell of them."""

import importlib.metadata
import types

import pytest

from acvae._util.plugins import GROUP, load_plugins
from acvae.exceptions import AcvaeWarning


class Entry:
    def __init__(self, name, value, load, owner=None):
        self.name, self.value, self.load = name, value, load
        self.dist = None if owner is None else types.SimpleNamespace(name=owner)


@pytest.fixture
def installed(monkeypatch):
    """A list of entry points to fill; before and after nothing is remembered."""
    entries = []

    def entry_points(*, group):
        assert group == GROUP
        return entries

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    load_plugins.cache_clear()
    yield entries
    load_plugins.cache_clear()


def test_each_is_loaded_once(installed):
    seen = []
    installed += [Entry(name, name, lambda name=name: seen.append(name)) for name in ("one", "two")]
    load_plugins()
    load_plugins()
    assert seen == ["one", "two"]


@pytest.mark.parametrize(("owner", "told"), [(None, ""), ("springs-pkg", " of the package springs-pkg")])
def test_one_that_fails_stands_in_nobodys_way(installed, owner, told):
    seen = []

    def broken():
        raise ZeroDivisionError("of its own")

    installed += [Entry("bad", "springs", broken, owner), Entry("good", "fine", lambda: seen.append(1))]
    match = f"models 'bad'{told} are left out, for springs cannot be imported: ZeroDivisionError: of its own"
    with pytest.warns(AcvaeWarning, match=match):
        load_plugins()
    assert seen == [1]
