"""The hidden layer of the pair encoder on a list of pairs, both orders summed, with its gradient."""

from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

from acvae.nn.kernels.bags import bag_sum

__all__ = ["pair_layer", "pair_layer_backward", "pair_layer_forward", "pair_layer_of_bags"]


def pair_layer(halves: Tensor, bias: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """relu(A_i + B_j + b) + relu(A_j + B_i + b): (k, h) for halves [A, B] (r, 2h) and a bias (h,)."""
    if halves.device.type == "cpu":
        return _PairLayer.apply(halves, bias, i, j)
    first, second = halves.split(len(bias), dim=1)
    first = first + bias
    return torch.relu(first[i] + second[j]) + torch.relu(first[j] + second[i])


class _PairLayer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, halves: Tensor, bias: Tensor, i: Tensor, j: Tensor) -> Tensor:
        out = torch.empty((len(i), len(bias)), dtype=halves.dtype)
        on = np.empty(out.shape, dtype=np.uint8)
        ends = i.numpy(), j.numpy()
        pair_layer_forward(halves.detach().numpy(), bias.detach().numpy(), *ends, out.numpy(), on)
        ctx.inputs, ctx.shape = (on, *ends), halves.shape
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        grad_halves = torch.empty(ctx.shape, dtype=grad.dtype)
        grad_bias = torch.empty(grad.shape[1], dtype=grad.dtype)
        pair_layer_backward(
            *ctx.inputs, grad.contiguous().numpy(), 0, len(grad_bias), grad_halves.numpy(), grad_bias.numpy()
        )
        return grad_halves, grad_bias, None, None


@numba.njit(nogil=True, inline="always")
def _meet(here: Any, there: Any, bias: Any, forth: Any, back: Any, out: Any, on: Any) -> None:
    """One pair's out and on (h,), from the halves (2h,) of its ends; forth and back (h,) are scratch."""
    h = len(bias)
    zero = bias.dtype.type(0)
    u_a, u_b, v_a, v_b = here[:h], here[h:], there[:h], there[h:]
    # Simple loops over few arrays: the compiler turns each into vector instructions.
    for k in range(h):
        forth[k] = u_a[k] + v_b[k] + bias[k]
    for k in range(h):
        back[k] = v_a[k] + u_b[k] + bias[k]
    for k in range(h):
        a, b = forth[k], back[k]
        out[k] = (a if a > zero else zero) + (b if b > zero else zero)
        on[k] = (1 if a > zero else 0) | (2 if b > zero else 0)


@numba.njit(cache=True, nogil=True)
def pair_layer_forward(halves: Any, bias: Any, i: Any, j: Any, out: Any, on: Any) -> None:
    """out (k, h) = relu(A_i + B_j + b) + relu(A_j + B_i + b).

    `on` (k, h) tells which of the two are above zero, which is all that the gradient needs: 1 for the first,
    2 for the second, 3 for both.
    """
    forth, back = np.empty_like(bias), np.empty_like(bias)
    for t in range(len(i)):
        _meet(halves[i[t]], halves[j[t]], bias, forth, back, out[t], on[t])


@numba.njit(cache=True, nogil=True)
def pair_layer_of_bags(
    weight: Any,
    bias: Any,
    columns: Any,
    offsets: Any,
    values: Any,
    has_values: bool,
    i: Any,
    j: Any,
    out: Any,
    on: Any,
) -> None:
    """`pair_layer_forward` on sparse rows: the halves x·W of each end are made on the way and not kept."""
    forth, back = np.empty_like(bias), np.empty_like(bias)
    here, there = np.empty(weight.shape[1], dtype=weight.dtype), np.empty(weight.shape[1], dtype=weight.dtype)
    for t in range(len(i)):
        u, v = i[t], j[t]
        bag_sum(weight, columns, offsets[u], offsets[u + 1], values, has_values, here)
        bag_sum(weight, columns, offsets[v], offsets[v + 1], values, has_values, there)
        _meet(here, there, bias, forth, back, out[t], on[t])


@numba.njit(cache=True, nogil=True)
def pair_layer_backward(
    on: Any, i: Any, j: Any, grad: Any, start: int, stop: int, out: Any, out_bias: Any
) -> None:
    """Gradients of the hidden units start … stop, w of them, with respect to halves and bias.

    `grad` (k, w) and `out` (r, 2w) are of those units alone; `out_bias` (h,) is of all, and only theirs are
    written.
    """
    width = stop - start
    zero = grad.dtype.type(0)
    forth, back = np.empty(width, dtype=grad.dtype), np.empty(width, dtype=grad.dtype)
    total = np.zeros(width, dtype=grad.dtype)
    seen = np.zeros(len(out), dtype=np.bool_)
    for t in range(len(i)):
        u, v, g, sign = i[t], j[t], grad[t], on[t, start:stop]
        for k in range(width):
            forth[k] = g[k] if sign[k] & 1 else zero
            back[k] = g[k] if sign[k] & 2 else zero
        for k in range(width):
            total[k] += forth[k] + back[k]
        _put(out[u, :width], forth, seen[u])
        _put(out[u, width:], back, seen[u])
        seen[u] = True
        _put(out[v, :width], back, seen[v])
        _put(out[v, width:], forth, seen[v])
        seen[v] = True
    out_bias[start:stop] = total
    for r in range(len(out)):
        if not seen[r]:
            out[r] = 0


@numba.njit(nogil=True, inline="always")
def _put(target: Any, source: Any, add: Any) -> None:
    if add:
        for k in range(len(source)):
            target[k] += source[k]
    else:
        for k in range(len(source)):
            target[k] = source[k]
