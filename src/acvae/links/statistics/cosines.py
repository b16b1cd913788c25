"""Products of rows of a table at pairs, without a copy of these rows."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import over_ranges

__all__ = ["pair_cosines"]

IntArray = npt.NDArray[np.int64]
Array = npt.NDArray[np.float32]


def pair_cosines(unit: Array, i: IntArray, j: IntArray) -> Array:
    """(k,) cosines of pairs of unit rows (n, d)."""
    out = np.empty(len(i), dtype=np.float32)
    over_ranges(lambda a, b: _products(unit, i, j, out, a, b), len(i), at_least=2048)
    return out


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _products(unit: Any, i: Any, j: Any, out: Any, first: int, last: int) -> None:
    for q in range(first, last):
        a, b, total = unit[i[q]], unit[j[q]], np.float32(0)
        for x in range(unit.shape[1]):
            total += a[x] * b[x]
        out[q] = total
