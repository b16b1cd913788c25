"""Sparse rows times a weight matrix, and sparse rows dotted with a table, with their gradients.

Rows are bags: the columns and values of row r lie between offsets[r] and offsets[r + 1]. `values` is None
when every stored entry is 1.
"""

from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from acvae.nn.kernels.bags import ALL_ONES

__all__ = ["gather_rows", "sparse_dot", "sparse_times"]


def gather_rows(
    indptr: Tensor, columns: Tensor, values: Tensor | None, ids: Tensor
) -> tuple[Tensor, Tensor, Tensor | None]:
    """The rows `ids` of a CSR matrix as bags: columns, offsets, values."""
    if ids.device.type == "cpu":
        picked, offsets, entries = _gather(
            indptr.numpy(), columns.numpy(), _value_array(values), values is not None, ids.numpy()
        )
        kept = None if values is None else torch.from_numpy(entries)
        return torch.from_numpy(picked), torch.from_numpy(offsets), kept
    start = indptr[ids]
    length = indptr[ids + 1] - start
    offsets = torch.zeros(len(ids) + 1, dtype=torch.int64, device=ids.device)
    torch.cumsum(length, 0, out=offsets[1:])
    total = int(offsets[-1])
    shift = torch.repeat_interleave(start - offsets[:-1], length, output_size=total)
    entry = torch.arange(total, device=ids.device) + shift
    return columns[entry], offsets, None if values is None else values[entry]


def sparse_times(weight: Tensor, columns: Tensor, offsets: Tensor, values: Tensor | None) -> Tensor:
    """x·W: (b, h) for a weight (D, h)."""
    if weight.device.type == "cpu":
        return _SparseTimes.apply(weight, columns, offsets, values)
    scale = None if values is None else values.to(weight.dtype)
    return embedding_bag(
        columns, weight, offsets, mode="sum", per_sample_weights=scale, include_last_offset=True
    )


def sparse_dot(table: Tensor, columns: Tensor, offsets: Tensor, values: Tensor | None) -> Tensor:
    """Σ_j x_j·t_j: (b,) for a table (b, D)."""
    if table.device.type == "cpu":
        return _SparseDot.apply(table, columns, offsets, values)
    row = torch.repeat_interleave(offsets.diff(), output_size=len(columns))
    picked = table[row, columns]
    if values is not None:
        picked = picked * values
    return table.new_zeros(len(table)).index_add(0, row, picked)


def _value_array(values: Tensor | None) -> Any:
    return ALL_ONES if values is None else values.numpy()


class _SparseTimes(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, columns: Tensor, offsets: Tensor, values: Tensor | None) -> Tensor:
        ctx.bags = (columns.numpy(), offsets.numpy(), _value_array(values), values is not None)
        ctx.weight_shape = weight.shape
        out = torch.empty((len(offsets) - 1, weight.shape[1]), dtype=weight.dtype)
        _times(weight.detach().numpy(), *ctx.bags, out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
        out = torch.zeros(ctx.weight_shape, dtype=grad.dtype)
        _times_backward(grad.contiguous().numpy(), *ctx.bags, out.numpy())
        return out, None, None, None


class _SparseDot(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table: Tensor, columns: Tensor, offsets: Tensor, values: Tensor | None) -> Tensor:
        ctx.bags = (columns.numpy(), offsets.numpy(), _value_array(values), values is not None)
        ctx.table_shape = table.shape
        out = torch.empty(len(table), dtype=table.dtype)
        _dot(table.detach().numpy(), *ctx.bags, out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
        out = torch.zeros(ctx.table_shape, dtype=grad.dtype)
        _dot_backward(grad.contiguous().numpy(), *ctx.bags, out.numpy())
        return out, None, None, None


@numba.njit(cache=True, nogil=True)
def _gather(indptr: Any, columns: Any, values: Any, has_values: bool, ids: Any) -> Any:
    offsets = np.empty(len(ids) + 1, dtype=np.int64)
    offsets[0] = 0
    for r in range(len(ids)):
        offsets[r + 1] = offsets[r] + indptr[ids[r] + 1] - indptr[ids[r]]
    picked = np.empty(offsets[-1], dtype=columns.dtype)
    entries = np.empty(offsets[-1] if has_values else 0, dtype=values.dtype)
    for r in range(len(ids)):
        start = indptr[ids[r]]
        for t in range(offsets[r + 1] - offsets[r]):
            picked[offsets[r] + t] = columns[start + t]
            if has_values:
                entries[offsets[r] + t] = values[start + t]
    return picked, offsets, entries


@numba.njit(cache=True, nogil=True)
def _times(weight: Any, columns: Any, offsets: Any, values: Any, has_values: bool, out: Any) -> None:
    h = weight.shape[1]
    for r in range(len(offsets) - 1):
        out[r, :] = 0
        for t in range(offsets[r], offsets[r + 1]):
            c = columns[t]
            if has_values:
                x = weight.dtype.type(values[t])
                for k in range(h):
                    out[r, k] += x * weight[c, k]
            else:
                for k in range(h):
                    out[r, k] += weight[c, k]


@numba.njit(cache=True, nogil=True)
def _times_backward(grad: Any, columns: Any, offsets: Any, values: Any, has_values: bool, out: Any) -> None:
    h = grad.shape[1]
    for r in range(len(offsets) - 1):
        for t in range(offsets[r], offsets[r + 1]):
            c = columns[t]
            if has_values:
                x = grad.dtype.type(values[t])
                for k in range(h):
                    out[c, k] += x * grad[r, k]
            else:
                for k in range(h):
                    out[c, k] += grad[r, k]


@numba.njit(cache=True, nogil=True)
def _dot(table: Any, columns: Any, offsets: Any, values: Any, has_values: bool, out: Any) -> None:
    for r in range(len(out)):
        total = 0.0
        for t in range(offsets[r], offsets[r + 1]):
            total += table[r, columns[t]] * (values[t] if has_values else 1.0)
        out[r] = total


@numba.njit(cache=True, nogil=True)
def _dot_backward(grad: Any, columns: Any, offsets: Any, values: Any, has_values: bool, out: Any) -> None:
    for r in range(len(grad)):
        for t in range(offsets[r], offsets[r + 1]):
            out[r, columns[t]] += grad[r] * (values[t] if has_values else 1.0)
