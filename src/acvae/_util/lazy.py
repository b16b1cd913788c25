"""Names of a package that are imported when they are first used.

Importing a package then costs next to nothing. Numba alone takes longer to load than most questions to a
stored run take to answer, so what is not needed is not loaded.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["when_used"]


def when_used(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a package: `homes` tells the module inside it that each name is found in.

    A name that is its own home is a module of the package.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f"{package}.{homes[name]}")
        value = module if homes[name] == name else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return get
