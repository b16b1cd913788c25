"""Data sets: one file each, saying where the raw data come from and how they are read and cleaned."""

import importlib
from collections.abc import Callable
from os import PathLike
from typing import Any

from acvae.datasets.dataset import Dataset
from acvae.exceptions import UnknownNameError, did_you_mean

__all__ = ["NAMES", "Dataset", "load"]

# Name of the data set -> (module in this package, function in it).
_LOADERS = {
    "citation": ("citation", "load"),
    "citation-1998": ("citation", "load_1998"),
    "epinions": ("epinions", "load"),
    "librarything": ("librarything", "load"),
    "debian": ("debian", "load"),
    "tree": ("tree", "load"),
}

NAMES = tuple(_LOADERS)


def load(name: str, *, root: str | PathLike[str] | None = None, **options: Any) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name
        One of `acvae.datasets.NAMES`.
    root
        Folder with raw files, for the data sets that have them; otherwise `$ACVAE_DATA`, the user's cache
        and the publisher are tried in this order.
    options
        What the data set's own `load` takes, for example `seed` for generated ones.
    """
    if name not in _LOADERS:
        raise UnknownNameError(
            f"there is no data set {name!r}; there are {', '.join(NAMES)}.{did_you_mean(name, NAMES)}"
        )
    module, function = _LOADERS[name]
    loader: Callable[..., Dataset] = getattr(importlib.import_module(f"acvae.datasets.{module}"), function)
    if root is not None:
        options["root"] = root
    return loader(**options)
