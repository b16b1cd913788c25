"""Arrays from a file, each checked before compiled code indexes with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.exceptions import PosteriorError

__all__ = ["Stored"]

IntArray = npt.NDArray[np.int64]
Shape = tuple[int | None, ...]  # None for any size: of rows none too, of columns from one on


class Stored:
    """What a file holds under some names; every question is answered with a copy or an error."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._arrays = arrays

    def numbers(self, name: str, shape: Shape, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
        """Finite numbers in single or double precision."""
        array = self._get(name, shape)
        if array.dtype not in ((np.float32, np.float64) if dtype is None else (np.dtype(dtype),)):
            raise PosteriorError(f"its {name!r} has the type {array.dtype}.")
        if not np.isfinite(array).all():
            raise PosteriorError(f"its {name!r} is not finite everywhere.")
        return np.array(array, order="C")

    def number(self, name: str) -> float:
        """One positive number."""
        value = float(self.numbers(name, (), np.float64))
        if value <= 0:
            raise PosteriorError(f"its {name!r} is {value:g}, which is not positive.")
        return value

    def mask(self, name: str, n: int) -> npt.NDArray[np.bool_]:
        """(n,) true or false."""
        array = self._get(name, (n,))
        if array.dtype != np.bool_:
            raise PosteriorError(f"its {name!r} has the type {array.dtype}, not bool.")
        return np.array(array)

    def ids(self, name: str, shape: Shape, n: int) -> IntArray:
        """Whole numbers from 0 to n − 1."""
        array = self._get(name, shape)
        if array.dtype != np.int64:
            raise PosteriorError(f"its {name!r} has the type {array.dtype}, not int64.")
        if array.size and (array.min() < 0 or array.max() >= n):
            raise PosteriorError(
                f"its {name!r} go from {array.min()} to {array.max()}, not within 0…{n - 1}."
            )
        return np.array(array, order="C")

    def links(self, name: str, n: int) -> IntArray:
        """Pairs (m, 2) of different vertices, the smaller first, each pair once."""
        pairs = self.ids(name, (None, 2), n)
        if (pairs[:, 0] >= pairs[:, 1]).any():
            raise PosteriorError(f"its {name!r} have a pair whose first vertex is not the smaller one.")
        if len(np.unique(pairs[:, 0] * n + pairs[:, 1])) != len(pairs):
            raise PosteriorError(f"its {name!r} have a pair twice.")
        return pairs

    def _get(self, name: str, shape: Shape) -> npt.NDArray[Any]:
        if name not in self._arrays:
            raise PosteriorError(f"it has no {name!r}.")
        array = np.asarray(self._arrays[name])
        fits = array.ndim == len(shape) and all(
            have == want if want is not None else have > 0 or axis == 0
            for axis, (have, want) in enumerate(zip(array.shape, shape, strict=True))
        )
        if not fits:
            wanted = ", ".join("any" if size is None else str(size) for size in shape)
            raise PosteriorError(f"its {name!r} has the shape {array.shape}, not ({wanted}).")
        return array
