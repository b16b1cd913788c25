"""Where a file is to be written: said at the door, before anything is computed for it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from acvae._util.checks import as_path
from acvae.exceptions import InputError

__all__ = ["as_target"]


def as_target(name: str, path: str | PathLike[str], example: str = "model.safetensors") -> Path:
    """The path of a file that could be written there: its folder exists, and it is no folder itself."""
    target = as_path(name, path)
    if target.is_dir():
        raise InputError(
            f"{str(path)!r} is a folder; give the name of a file in it, as {str(target / example)!r}."
        )
    folder = target.absolute().parent
    if not folder.is_dir():
        raise InputError(
            f"{target.name!r} cannot be saved: there is no folder {str(folder)!r}. Make it first, or give "
            "another path."
        )
    return target
