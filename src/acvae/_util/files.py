"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["replacing", "save_arrays"]


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """A file beside `path` to write to; it takes the name `path` at the end, or is removed after an error."""
    target = Path(path)
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        yield partial
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def save_arrays(
    path: str | PathLike[str], arrays: Mapping[str, npt.NDArray[Any]], metadata: dict[str, str]
) -> None:
    """A safetensors file that others may read where they may read other new files."""
    from safetensors.numpy import save_file

    with replacing(path) as partial:
        partial.touch()
        mode = partial.stat().st_mode  # as the user's umask has it; save_file makes a private file instead
        save_file(
            {name: np.asarray(array, order="C") for name, array in arrays.items()}, partial, metadata=metadata
        )
        partial.chmod(mode)
