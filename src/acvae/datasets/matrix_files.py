"""Read a user's matrix of features: `.npz`, `.npy` or `.mtx`, without pickled objects."""

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from acvae.datasets.matrix_market import EMPTY_ROWS, read_matrix_market
from acvae.datasets.numpy_files import read_npy, read_npz
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
                matrix: Any = read_matrix_market(path)
            elif kind == ".npy":
                matrix = read_npy(path)
            else:
                matrix = _read_npz(path)
        except (ValueError, TypeError, KeyError, OverflowError, MemoryError) as error:
            raise DataError(f"no matrix can be read from {str(path)!r}: {str(error).rstrip('.')}.") from error
    if matrix.ndim != 2:
        raise DataError(
            f"{str(path)!r} should hold a matrix of two dimensions, but its shape is {matrix.shape}."
        )
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{str(path)!r} should hold real numbers, but holds {matrix.dtype}.")
    if matrix.dtype.char in "eg":  # half and quadruple precision, which sparse matrices do not have
        matrix = matrix.astype(np.float32 if matrix.dtype.char == "e" else np.float64)
    numbers = sp.coo_array(matrix)
    bad = np.flatnonzero(np.isinf(numbers.data) if allow_nan else ~np.isfinite(numbers.data))
    if len(bad):
        row, column = numbers.row[bad[0]], numbers.col[bad[0]]
        raise DataError(
            f"{str(path)!r} has {len(bad):,} entries that are not finite, the first, {numbers.data[bad[0]]}, "
            f"in row {row} and column {column} (counted from 0)."
        )
    return numbers.tocsr() if sp.issparse(matrix) else np.asarray(matrix)


def _read_npz(path: Path) -> Any:
    arrays = read_npz(path)
    if "format" not in arrays:
        if len(arrays) == 1:
            return next(iter(arrays.values()))
        raise ValueError(f"it is not a sparse matrix of SciPy, but holds the arrays {', '.join(arrays)}")
    return _sparse(arrays, path.stat().st_size)


def _sparse(arrays: dict[str, Any], size: int) -> Any:
    """What `scipy.sparse.save_npz` stored, with every index looked at before compiled code uses it."""
    told = arrays["format"]
    layout = told.item() if told.ndim == 0 and told.dtype.kind in "SU" else None
    layout = layout.decode("latin-1") if isinstance(layout, bytes) else layout
    rows, columns = (int(x) for x in arrays["shape"])
    if min(rows, columns) < 0 or max(rows, columns) >= 1 << 62:
        raise ValueError(f"it has the shape ({rows}, {columns})")
    if rows > EMPTY_ROWS + size:
        raise ValueError(f"it declares {rows:,} rows, nearly all of them empty")
    if layout in ("csr", "csc"):
        made = sp.csr_array if layout == "csr" else sp.csc_array
        matrix = made((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(rows, columns))
        matrix.check_format(full_check=True)
        return matrix
    if layout == "coo":
        return sp.coo_array((arrays["data"], (arrays["row"], arrays["col"])), shape=(rows, columns))
    raise ValueError(f"it is a sparse matrix of the kind {str(layout)[:20]!r}; save it as CSR")
