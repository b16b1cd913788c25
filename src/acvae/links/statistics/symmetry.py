"""Numbers of an ordered pair turned to those of an unordered one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["symmetric"]

Array = npt.NDArray[np.float32]


def symmetric(x: Array, directed: int = 1) -> Array:
    """The same for (i, j) and (j, i): sum and distance of those that tell the ends apart.

    These are the last 2·`directed` of the F numbers (..., F), two by two, the log degrees at the very end.
    """
    out = x.copy()
    for last in range(1, directed + 1):
        one, other = x[..., -2 * last], x[..., -2 * last + 1]
        out[..., -2 * last] = one + other
        out[..., -2 * last + 1] = np.abs(one - other)
    return out
