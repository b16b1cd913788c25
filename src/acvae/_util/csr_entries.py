"""A look at all stored entries of a CSR matrix without a copy of them: they may lie in a file."""

from typing import Any

import numba
import numpy as np

from acvae.exceptions import FeatureError

__all__ = ["all_ones", "check_places", "first_not_finite", "is_clean"]


def check_places(indptr: Any, indices: Any, n_columns: int) -> None:
    """Raise FeatureError unless rows follow each other and every column number is below `n_columns`."""
    row = _first_bad_row(indptr, indices, n_columns)
    if row >= 0:
        raise FeatureError(
            f"features must be a sound CSR matrix, but row {row} has a column outside 0…{n_columns - 1}, "
            "or does not begin where the row before it ends."
        )


@numba.njit(cache=True, nogil=True)
def _first_bad_row(indptr: Any, indices: Any, n_columns: int) -> int:
    if indptr[0] != 0:
        return 0
    for row in range(len(indptr) - 1):
        start, stop = indptr[row], indptr[row + 1]
        if stop < start or stop > len(indices):
            return row
        for t in range(start, stop):
            if indices[t] < 0 or indices[t] >= n_columns:
                return row
    return -1


@numba.njit(cache=True, nogil=True)
def is_clean(indptr: Any, indices: Any, data: Any) -> bool:
    """Whether columns grow within every row, so that none is there twice, and no stored value is zero."""
    if indptr[-1] != len(indices) or len(indices) != len(data):
        return False
    for row in range(len(indptr) - 1):
        for t in range(indptr[row], indptr[row + 1]):
            if data[t] == 0 or (t > indptr[row] and indices[t] <= indices[t - 1]):
                return False
    return True


@numba.njit(cache=True, nogil=True)
def first_not_finite(data: Any) -> int:
    """Number of the first entry that is NaN or infinite, −1 if there is none."""
    for t in range(len(data)):
        if not np.isfinite(data[t]):
            return t
    return -1


@numba.njit(cache=True, nogil=True)
def all_ones(data: Any) -> bool:
    """Whether every entry is 1."""
    t = 0
    while t < len(data) and data[t] == 1:
        t += 1
    return t == len(data)
