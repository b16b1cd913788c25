"""Cells without a value (NaN): refused, filled in, or told to the model as missing evidence."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.checks import choice
from acvae._util.options import the_option
from acvae._util.text import counted
from acvae.exceptions import FeatureError

__all__ = ["MISSING", "check_finite", "fill_missing"]

MISSING = ("error", "mean", "zero", "evidence")
"""What can be done about cells without a value."""

_WAYS = "'mean', 'zero', or 'evidence' for rows without features"

BoolArray = npt.NDArray[np.bool_]


def fill_missing(
    matrix: Any, how: str = "error", *, count: int | None = None, advice: str | None = None
) -> tuple[Any, BoolArray | None]:
    """The matrix (n, D), dense or CSR, without NaN, and which rows are observed at all.

    Parameters
    ----------
    matrix
        Numbers, NaN where a value is missing; it is not changed.
    how
        `"error"` refuses NaN; `"mean"` fills in the mean of the column's values (0 where it has none) and
        `"zero"` a zero. With `"evidence"` a row of NaN alone belongs to a vertex whose features are unknown:
        it is marked in the mask (n,), false for such a row, and filled with zeros; single gaps in other rows
        are filled as by `"mean"`. Without `"evidence"` the mask is None.
    count
        How many rows means are over, if not all: others have to be zeros.
    advice
        What can be done about NaN that is refused, where the caller has no option of this name.
    """
    choice("missing", how, MISSING)
    if sp.issparse(matrix):
        return _fill_sparse(sp.csr_array(matrix), how, count, advice)
    gaps = np.isnan(matrix) if matrix.dtype.kind == "f" else np.zeros(matrix.shape, dtype=bool)
    if not gaps.any():
        return matrix, np.ones(len(matrix), dtype=bool) if how == "evidence" else None
    rows, columns = np.nonzero(gaps)
    if how == "error":
        raise _refusal(int(rows[0]), int(columns[0]), len(rows), len(np.unique(columns)), advice)
    filled = matrix.copy()
    filled[gaps] = 0
    if how == "zero":
        return filled, None
    present = np.maximum((len(matrix) if count is None else count) - gaps.sum(axis=0), 1)
    means = filled.sum(axis=0, dtype=np.float64) / present
    observed: BoolArray | None = np.asarray(~gaps.all(axis=1)) if how == "evidence" else None
    filled[rows, columns] = means[columns]
    if observed is not None:
        filled[~observed] = 0
    return filled, observed


def check_finite(matrix: Any, advice: str) -> None:
    """Refuse NaN, with what can be done about it, and infinite numbers in a matrix (n, D), dense or CSR."""
    fill_missing(matrix, advice=advice)
    stored = sp.issparse(matrix)
    at = np.argwhere(~np.isfinite(matrix.data if stored else matrix))
    if len(at):
        row, column = at[0] if not stored else _place(matrix, int(at[0, 0]))
        raise FeatureError(
            f"features must be finite, but row {row}, column {column} is {matrix[row, column]}."
        )


def _place(matrix: sp.csr_array, entry: int) -> tuple[int, int]:
    """Row and column of a stored entry."""
    return int(np.searchsorted(matrix.indptr, entry, side="right")) - 1, int(matrix.indices[entry])


def _fill_sparse(
    matrix: sp.csr_array, how: str, count: int | None, advice: str | None
) -> tuple[sp.csr_array, BoolArray | None]:
    """As `fill_missing`; places that a sparse matrix does not store are zeros, not gaps."""
    n, width = matrix.shape
    gaps = np.isnan(matrix.data) if matrix.data.dtype.kind == "f" else np.zeros(len(matrix.data), dtype=bool)
    if not gaps.any():
        return matrix, np.ones(n, dtype=bool) if how == "evidence" else None
    columns = matrix.indices[gaps]
    row_of = np.repeat(np.arange(n), np.diff(matrix.indptr))
    if how == "error":
        raise _refusal(int(row_of[gaps][0]), int(columns[0]), len(columns), len(np.unique(columns)), advice)
    filled = matrix.copy()
    filled.data[gaps] = 0
    observed = None
    if how != "zero":
        present = np.maximum((n if count is None else count) - np.bincount(columns, minlength=width), 1)
        means = np.asarray(filled.sum(axis=0, dtype=np.float64)).ravel() / present
        filled.data[gaps] = means[columns]
    if how == "evidence":
        observed = np.bincount(row_of[gaps], minlength=n) < max(width, 1)
        filled.data[~observed[row_of]] = 0
    filled.eliminate_zeros()
    return filled, observed


def _refusal(row: int, column: int, cells: int, columns: int, advice: str | None) -> FeatureError:
    others = f" ({cells:,} cells in {counted(columns, 'column')} are missing)" if cells > 1 else ""
    return FeatureError(
        f"features must be finite, but row {row}, column {column} is missing (nan){others}. "
        + (advice or f"Fill the gaps yourself, or let {the_option('missing')} do it: {_WAYS}.")
    )
