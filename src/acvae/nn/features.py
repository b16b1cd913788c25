"""Feature matrices as networks read them: whole on the device, a batch of rows at a time.

A sparse row goes into a linear layer as a bag of column numbers; the matrix is never made dense. What comes
in the form that networks read (CSR with float32 values, or a float32 array) is not copied, so that arrays
mapped from files stay there.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from acvae._util.csr_entries import all_ones, check_places, first_not_finite, is_clean
from acvae._util.matrices import as_matrix
from acvae.exceptions import FeatureError
from acvae.nn.kernels import gather_rows, sparse_dot, sparse_times

__all__ = ["DenseFeatures", "DenseRows", "Features", "Rows", "SparseFeatures", "SparseRows", "as_features"]

CHUNK_NUMBERS = 1 << 20  # of a dense array, looked at together


class Rows(Protocol):
    """A batch of b rows x of the feature matrix."""

    def times(self, weight: Tensor) -> Tensor:
        """x·W: (b, h) for a weight (D, h)."""

    def dot(self, table: Tensor) -> Tensor:
        """Σ_j x_j·t_j: (b,) for a table (b, D)."""

    def sum(self, transform: Any = None) -> Tensor:
        """Σ_j f(x_j): (b,), for a function with f(0) = 0, by default x itself."""

    def head(self, count: int) -> Rows:
        """The first `count` rows."""

    def subtract_from(self, table: Tensor) -> Tensor:
        """t − x: (b, D) for a table t (b, D)."""


class Features(Protocol):
    """All n rows."""

    n_rows: int
    n_columns: int

    @property
    def row_size(self) -> float:
        """Stored entries of a row, on average."""

    def rows(self, ids: Tensor | None = None) -> Rows:
        """The rows with the given ids, or all of them."""

    def values(self) -> Tensor:
        """Every stored value (zeros of a sparse matrix left out)."""


class SparseRows:
    """Rows as bags: the columns (nnz,) and values of row r lie between offsets[r] and offsets[r + 1]."""

    def __init__(self, columns: Tensor, offsets: Tensor, values: Tensor | None) -> None:
        self.columns, self.offsets, self.values = columns, offsets, values

    def times(self, weight: Tensor) -> Tensor:
        return sparse_times(weight, self.columns, self.offsets, self.values)

    def dot(self, table: Tensor) -> Tensor:
        return sparse_dot(table, self.columns, self.offsets, self.values)

    def sum(self, transform: Any = None) -> Tensor:
        lengths = self.offsets.diff()
        if self.values is None:
            one = torch.ones((), device=lengths.device)
            return lengths * (one if transform is None else transform(one))
        entries = self.values if transform is None else transform(self.values)
        return entries.new_zeros(len(lengths)).index_add(0, self._row_of_entry(), entries)

    def head(self, count: int) -> SparseRows:
        end = self.offsets[count].item()
        values = None if self.values is None else self.values[:end]
        return SparseRows(self.columns[:end], self.offsets[: count + 1], values)

    def subtract_from(self, table: Tensor) -> Tensor:
        own = torch.zeros_like(table)
        entries = 1 if self.values is None else self.values.to(own.dtype)
        own[self._row_of_entry(), self.columns.long()] = entries
        return table - own

    def _row_of_entry(self) -> Tensor:
        return torch.repeat_interleave(self.offsets.diff(), output_size=len(self.columns))


class SparseFeatures:
    """A CSR matrix on a device. All-ones data keep no values, only the pattern.

    On the CPU its arrays are the matrix's own where the types allow it, and column numbers may be int32.
    """

    def __init__(self, matrix: sp.csr_array, device: torch.device | str = "cpu") -> None:
        self.n_rows, self.n_columns = matrix.shape
        on_cpu = torch.device(device).type == "cpu"
        self.indptr = _tensor(matrix.indptr, np.int64).to(device)
        self.indices = _tensor(matrix.indices, None if on_cpu else np.int64).to(device)
        data = _tensor(matrix.data, np.float32)
        self.data = None if all_ones(data.numpy()) else data.to(device)

    @property
    def row_size(self) -> float:
        return len(self.indices) / max(self.n_rows, 1)

    def rows(self, ids: Tensor | None = None) -> SparseRows:
        if ids is None:
            return SparseRows(self.indices, self.indptr, self.data)
        return SparseRows(*gather_rows(self.indptr, self.indices, self.data, ids))

    def values(self) -> Tensor:
        return torch.ones(len(self.indices)) if self.data is None else self.data


class DenseRows:
    """Rows as a dense tensor (b, D)."""

    def __init__(self, table: Tensor) -> None:
        self.table = table

    def times(self, weight: Tensor) -> Tensor:
        return self.table.to(weight.dtype) @ weight

    def dot(self, table: Tensor) -> Tensor:
        return (self.table * table).sum(-1)

    def sum(self, transform: Any = None) -> Tensor:
        return (self.table if transform is None else transform(self.table)).sum(-1)

    def head(self, count: int) -> DenseRows:
        return DenseRows(self.table[:count])

    def subtract_from(self, table: Tensor) -> Tensor:
        return table - self.table


class DenseFeatures:
    """A dense matrix on a device, for real-valued features."""

    def __init__(self, table: np.ndarray[Any, Any] | Tensor, device: torch.device | str = "cpu") -> None:
        tensor = table if isinstance(table, Tensor) else _tensor(table)
        self.table = tensor.to(device=device, dtype=torch.float32)
        self.n_rows, self.n_columns = self.table.shape

    @property
    def row_size(self) -> float:
        return self.n_columns

    def rows(self, ids: Tensor | None = None) -> DenseRows:
        return DenseRows(self.table if ids is None else self.table[ids])

    def values(self) -> Tensor:
        return self.table.reshape(-1)


def as_features(matrix: Any, device: torch.device | str = "cpu") -> Features:
    """Check a user's feature matrix and put it on the device.

    SciPy sparse matrices and mostly-zero arrays become sparse, other arrays and tensors dense. Rows must be
    finite numbers; which values a likelihood allows, the likelihood itself checks. The result may share the
    caller's memory, or the file that it is mapped from, and never writes to it.
    """
    matrix = as_matrix(matrix)
    if sp.issparse(matrix):
        return SparseFeatures(_tidy(matrix), device)
    array = _to_float32(matrix)
    _check_finite(array)
    if array.size and np.count_nonzero(array) * 4 < array.size:
        return SparseFeatures(sp.csr_array(array), device)
    return DenseFeatures(array, device)


def _tidy(matrix: sp.csr_array) -> sp.csr_array:
    """The same matrix of float32 with columns in order, none twice and no zeros; itself, where it is so."""
    indptr, indices = (_tensor(a).numpy() for a in (matrix.indptr, matrix.indices))
    check_places(indptr, indices, matrix.shape[1])
    data = _tensor(_to_float32(matrix.data)).numpy()
    if is_clean(indptr, indices, data):
        table = sp.csr_array((data, indices, indptr), shape=matrix.shape)
    else:
        table = matrix.copy()  # the next two work in place
        table.sum_duplicates()
        table.eliminate_zeros()
        table.data = _to_float32(table.data)
    entry = first_not_finite(_tensor(table.data).numpy())
    if entry >= 0:
        row = int(np.searchsorted(table.indptr, entry, side="right")) - 1
        raise _not_finite(row, table.indices[entry], table.data[entry])
    return table


def _tensor(array: np.ndarray[Any, Any], dtype: Any = None) -> Tensor:
    """The array as a tensor, in the same memory unless its type or layout has to change."""
    same = np.ascontiguousarray(array, dtype=dtype)
    with warnings.catch_warnings():  # read-only arrays are welcome: nobody writes to features
        warnings.simplefilter("ignore", UserWarning)
        return torch.from_numpy(same)


def _to_float32(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What networks compute with; numbers too large for it become infinite."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32, copy=False)


def _check_finite(array: np.ndarray[Any, Any]) -> None:
    rows = max(1, CHUNK_NUMBERS // max(1, array.shape[1]))
    for start in range(0, len(array), rows):
        finite = np.isfinite(array[start : start + rows])
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            raise _not_finite(start + row, column, array[start + row, column])


def _not_finite(row: int, column: int, value: float) -> FeatureError:
    return FeatureError(
        f"features must be finite in single precision, but row {row}, column {column} is {value}."
    )
