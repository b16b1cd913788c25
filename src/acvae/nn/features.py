"""Feature matrices as networks read them: whole on the device, a batch of rows at a time.

A sparse row goes into a linear layer as a bag of column numbers; the matrix is never made dense.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from acvae.exceptions import FeatureError

__all__ = ["DenseFeatures", "DenseRows", "Features", "Rows", "SparseFeatures", "SparseRows", "as_features"]


class Rows(Protocol):
    """A batch of b rows x of the feature matrix."""

    def times(self, weight: Tensor) -> Tensor:
        """x·W: (b, h) for a weight (D, h)."""

    def dot(self, table: Tensor) -> Tensor:
        """Σ_j x_j·t_j: (b,) for a table (b, D)."""

    def sum(self, transform: Any = None) -> Tensor:
        """Σ_j f(x_j): (b,), for a function with f(0) = 0, by default x itself."""


class Features(Protocol):
    """All n rows."""

    n_rows: int
    n_columns: int

    def rows(self, ids: Tensor | None = None) -> Rows:
        """The rows with the given ids, or all of them."""

    def values(self) -> Tensor:
        """Every stored value (zeros of a sparse matrix left out)."""


class SparseRows:
    """Rows as bags: the columns (nnz,) and values of row r lie between offsets[r] and offsets[r + 1]."""

    def __init__(self, columns: Tensor, offsets: Tensor, values: Tensor | None) -> None:
        self.columns, self.offsets, self.values = columns, offsets, values

    def times(self, weight: Tensor) -> Tensor:
        values = None if self.values is None else self.values.to(weight.dtype)
        return embedding_bag(
            self.columns,
            weight,
            self.offsets,
            mode="sum",
            per_sample_weights=values,
            include_last_offset=True,
        )

    def dot(self, table: Tensor) -> Tensor:
        row = self._row_of_entry()
        picked = table[row, self.columns]
        if self.values is not None:
            picked = picked * self.values
        return table.new_zeros(table.shape[0]).index_add(0, row, picked)

    def sum(self, transform: Any = None) -> Tensor:
        values = self.values
        if values is None:
            values = torch.ones(len(self.columns), device=self.columns.device)
        entries = values if transform is None else transform(values)
        return entries.new_zeros(len(self.offsets) - 1).index_add(0, self._row_of_entry(), entries)

    def _row_of_entry(self) -> Tensor:
        lengths = self.offsets.diff()
        return torch.repeat_interleave(lengths, output_size=len(self.columns))


class SparseFeatures:
    """A CSR matrix on a device. All-ones data keep no values, only the pattern."""

    def __init__(self, matrix: sp.csr_array, device: torch.device | str = "cpu") -> None:
        self.n_rows, self.n_columns = matrix.shape
        self.indptr = torch.from_numpy(matrix.indptr.astype(np.int64)).to(device)
        self.indices = torch.from_numpy(matrix.indices.astype(np.int64)).to(device)
        ones = bool((matrix.data == 1).all())
        self.data = None if ones else torch.from_numpy(matrix.data.astype(np.float32)).to(device)

    def rows(self, ids: Tensor | None = None) -> SparseRows:
        if ids is None:
            return SparseRows(self.indices, self.indptr, self.data)
        start = self.indptr[ids]
        length = self.indptr[ids + 1] - start
        offsets = torch.zeros(len(ids) + 1, dtype=torch.int64, device=ids.device)
        torch.cumsum(length, 0, out=offsets[1:])
        total = int(offsets[-1])
        shift = torch.repeat_interleave(start - offsets[:-1], length, output_size=total)
        entry = torch.arange(total, device=ids.device) + shift
        return SparseRows(self.indices[entry], offsets, None if self.data is None else self.data[entry])

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


class DenseFeatures:
    """A dense matrix on a device, for real-valued features."""

    def __init__(self, table: np.ndarray[Any, Any] | Tensor, device: torch.device | str = "cpu") -> None:
        tensor = table if isinstance(table, Tensor) else torch.from_numpy(np.ascontiguousarray(table))
        self.table = tensor.to(device=device, dtype=torch.float32)
        self.n_rows, self.n_columns = self.table.shape

    def rows(self, ids: Tensor | None = None) -> DenseRows:
        return DenseRows(self.table if ids is None else self.table[ids])

    def values(self) -> Tensor:
        return self.table.reshape(-1)


def as_features(matrix: Any, device: torch.device | str = "cpu") -> Features:
    """Check a user's feature matrix and put it on the device.

    SciPy sparse matrices and mostly-zero arrays become sparse, other arrays and tensors dense. Rows must be
    finite numbers; which values a likelihood allows, the likelihood itself checks.
    """
    if sp.issparse(matrix):
        table = sp.csr_array(matrix)
        if table is matrix:
            table = table.copy()
        table.sum_duplicates()
        table.eliminate_zeros()
        _check_finite(table.data, sparse=table)
        return SparseFeatures(table, device)
    if isinstance(matrix, Tensor):
        matrix = matrix.detach().to_dense() if matrix.layout != torch.strided else matrix.detach()
        matrix = matrix.cpu().numpy()
    elif hasattr(matrix, "to_numpy"):
        matrix = matrix.to_numpy()
    array = np.asarray(matrix)
    if array.ndim != 2:
        raise FeatureError(f"features must be a matrix (n, D), got shape {array.shape}.")
    if array.dtype == bool:
        array = array.astype(np.float32)
    if not (np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer)):
        raise FeatureError(f"features must be numbers, got {array.dtype}.")
    _check_finite(array)
    if array.size and np.count_nonzero(array) * 4 < array.size:
        return SparseFeatures(sp.csr_array(array), device)
    return DenseFeatures(array, device)


def _check_finite(values: np.ndarray[Any, Any], sparse: sp.csr_array | None = None) -> None:
    finite = np.isfinite(values)
    if finite.all():
        return
    if sparse is None:
        row, column = np.argwhere(~finite)[0]
        value = values[row, column]
    else:
        entry = int(np.flatnonzero(~finite)[0])
        row = int(np.searchsorted(sparse.indptr, entry, side="right")) - 1
        column, value = sparse.indices[entry], values[entry]
    raise FeatureError(f"features must be finite, but row {row}, column {column} is {value}.")
