"""A rising line of pieces through scores: what turns a head's scores into log-odds that hold.

It goes through a value at each knot, and beyond the outer knots on along the outer pieces. It rises
everywhere, so the order of pairs stays what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.exceptions import PosteriorError
from acvae.gaussian.stored import Stored
from acvae.links.kernels import along_pieces

__all__ = ["Curve"]

Array = npt.NDArray[np.float32]

AT, VALUE = "curve_at", "curve_value"


class Curve(NamedTuple):
    """k knots, two or more, and the value at each; both grow."""

    at: Array  # (k,)
    value: Array  # (k,)

    def __call__(self, scores: Array) -> Array:
        """Values (N,) of scores (N,)."""
        out = np.empty_like(scores)
        along_pieces(scores, self.at, self.value, out)
        return out

    def pack(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """Arrays to save, by name."""
        return {prefix + AT: self.at, prefix + VALUE: self.value}

    @classmethod
    def unpack(cls, arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> Curve | None:
        """Of arrays that may be anything; none if none is there."""
        if prefix + AT not in arrays and prefix + VALUE not in arrays:
            return None
        stored = Stored(arrays)
        at = stored.numbers(prefix + AT, (None,), np.float32)
        value = stored.numbers(prefix + VALUE, (len(at),), np.float32)
        if len(at) < 2 or not ((np.diff(at) > 0).all() and (np.diff(value) > 0).all()):
            name = prefix.rstrip("/")
            raise PosteriorError(f"the curve of its {name} does not rise through two knots or more.")
        return cls(at, value)
