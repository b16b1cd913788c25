"""Read a user's matrix of features: `.npz`, `.npy` or `.mtx`, without pickled objects."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from acvae.datasets.sources import reading
from acvae.datasets.table_files import MATRIX_KINDS, kind_of
from acvae.exceptions import DataError

__all__ = ["as_dense_or_sparse", "read_matrix"]


def as_dense_or_sparse(matrix: Any) -> Any:
    """float32, CSR if less than a quarter of the entries is not zero, else dense: training is faster then."""
    stored = matrix.nnz if sp.issparse(matrix) else int(np.count_nonzero(matrix))
    if stored * 4 < matrix.shape[0] * matrix.shape[1]:
        return sp.csr_array(matrix).astype(np.float32, copy=False)
    dense = matrix.toarray() if sp.issparse(matrix) else matrix
    return np.ascontiguousarray(dense, dtype=np.float32)


def read_matrix(path: Path, *, allow_nan: bool = False) -> Any:
    """A matrix of finite numbers from `.npz` (SciPy sparse or one array), `.npy` or `.mtx`; no pickles.

    What is stored as a sparse matrix comes as CSR, all else as a dense array.
    """
    kind = kind_of(path, MATRIX_KINDS)
    with reading(path):
        try:
            if kind == ".mtx":
                matrix: Any = scipy.io.mmread(path)
            elif kind == ".npy":
                matrix = _read_npy(path)
            else:
                matrix = _read_npz(path)
        except (ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
            pickled = "allow_pickle" in str(error)
            reason = "it holds Python objects, which are not read for safety" if pickled else str(error)
            raise DataError(f"no matrix can be read from {str(path)!r}: {reason.rstrip('.')}.") from error
    if matrix.ndim != 2:
        raise DataError(
            f"{str(path)!r} should hold a matrix of two dimensions, but its shape is {matrix.shape}."
        )
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{str(path)!r} should hold real numbers, but holds {matrix.dtype}.")
    numbers = sp.coo_array(matrix)
    bad = np.flatnonzero(np.isinf(numbers.data) if allow_nan else ~np.isfinite(numbers.data))
    if len(bad):
        row, column = numbers.row[bad[0]], numbers.col[bad[0]]
        raise DataError(
            f"{str(path)!r} has {len(bad):,} entries that are not finite, the first, {numbers.data[bad[0]]}, "
            f"in row {row} and column {column} (counted from 0)."
        )
    return numbers.tocsr() if sp.issparse(matrix) else np.asarray(matrix)


def _read_npy(path: Path) -> Any:
    with open(path, "rb") as file:
        return np.load(file, allow_pickle=False)


def _read_npz(path: Path) -> Any:
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
        names = arrays.files
        if "format" not in names:
            if len(names) == 1:
                return arrays[names[0]]
            raise ValueError(f"it is not a sparse matrix of SciPy, but holds the arrays {', '.join(names)}")
    return sp.load_npz(path)  # which refuses pickled objects too
