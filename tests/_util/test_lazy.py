import sys
import types

import pytest

from acvae._util.lazy import when_used


def test_a_name_is_imported_when_it_is_first_used(monkeypatch):
    home, package = types.ModuleType("pack.home"), types.ModuleType("pack")
    home.thing = object()
    monkeypatch.setitem(sys.modules, "pack", package)
    monkeypatch.setitem(sys.modules, "pack.home", home)
    get = when_used("pack", {"thing": "home", "home": "home"})
    assert not hasattr(package, "thing")
    assert get("thing") is home.thing is package.thing
    assert get("home") is home  # a module stands for itself
    with pytest.raises(AttributeError, match="module 'pack' has no attribute 'other'"):
        get("other")
