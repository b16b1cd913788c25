"""Where a file is to be written: said at the door, before anything is computed for it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from acvae.exceptions import InputError

__all__ = ["check_target"]


def check_target(path: str | PathLike[str]) -> None:
    """An InputError unless a file could be written there: its folder exists, and it is no folder itself."""
    target = Path(path)
    if target.is_dir():
        raise InputError(
            f"{str(path)!r} is a folder; give the name of a file in it, as "
            f"{str(target / 'model.safetensors')!r}."
        )
    folder = target.absolute().parent
    if not folder.is_dir():
        raise InputError(
            f"{target.name!r} cannot be saved: there is no folder {str(folder)!r}. Make it first, or give "
            "another path."
        )
