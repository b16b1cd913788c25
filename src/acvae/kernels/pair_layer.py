"""The hidden layer of the pair encoder on a list of pairs, both orders summed, with its gradient."""

from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

__all__ = ["pair_layer", "pair_layer_backward", "pair_layer_forward"]


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
        ctx.inputs = (halves.detach().numpy(), bias.detach().numpy(), i.numpy(), j.numpy())
        out = torch.empty((len(i), len(bias)), dtype=halves.dtype)
        pair_layer_forward(*ctx.inputs, out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        halves, bias = ctx.inputs[:2]
        grad_halves = torch.empty(halves.shape, dtype=grad.dtype)
        grad_bias = torch.zeros(bias.shape, dtype=grad.dtype)
        pair_layer_backward(
            *ctx.inputs, grad.contiguous().numpy(), 0, len(bias), grad_halves.numpy(), grad_bias.numpy()
        )
        return grad_halves, grad_bias, None, None


@numba.njit(cache=True, nogil=True)
def pair_layer_forward(halves: Any, bias: Any, i: Any, j: Any, out: Any) -> None:
    """out (k, h) = relu(A_i + B_j + b) + relu(A_j + B_i + b)."""
    h = len(bias)
    zero = halves.dtype.type(0)
    for t in range(len(i)):
        here, there = halves[i[t]], halves[j[t]]
        for k in range(h):
            a = here[k] + there[h + k] + bias[k]
            b = there[k] + here[h + k] + bias[k]
            out[t, k] = (a if a > zero else zero) + (b if b > zero else zero)


@numba.njit(cache=True, nogil=True)
def pair_layer_backward(
    halves: Any, bias: Any, i: Any, j: Any, grad: Any, start: int, stop: int, out: Any, out_bias: Any
) -> None:
    """Gradients with respect to halves (r, 2h) and bias (h,), for the hidden units start … stop.

    `grad` (k, stop − start) is of those units alone. `out` is written, `out_bias` added to.
    """
    h = len(bias)
    zero = grad.dtype.type(0)
    width = stop - start
    forth, back = np.empty(width, dtype=grad.dtype), np.empty(width, dtype=grad.dtype)
    total = np.zeros(width, dtype=grad.dtype)
    seen = np.zeros(len(halves), dtype=np.bool_)
    own = bias[start:stop]
    for t in range(len(i)):
        # One simple loop per target: the compiler turns each into vector instructions.
        u, v, g = i[t], j[t], grad[t]
        u_a, u_b = halves[u, start:stop], halves[u, h + start : h + stop]
        v_a, v_b = halves[v, start:stop], halves[v, h + start : h + stop]
        for k in range(width):
            forth[k] = g[k] if u_a[k] + v_b[k] + own[k] > zero else zero
        for k in range(width):
            back[k] = g[k] if v_a[k] + u_b[k] + own[k] > zero else zero
        for k in range(width):
            total[k] += forth[k] + back[k]
        _put(out[u, start:stop], forth, seen[u])
        _put(out[u, h + start : h + stop], back, seen[u])
        seen[u] = True
        _put(out[v, start:stop], back, seen[v])
        _put(out[v, h + start : h + stop], forth, seen[v])
        seen[v] = True
    for k in range(width):
        out_bias[start + k] += total[k]
    for r in range(len(halves)):
        if not seen[r]:
            out[r, start:stop] = 0
            out[r, h + start : h + stop] = 0


@numba.njit(nogil=True, inline="always")
def _put(target: Any, source: Any, add: Any) -> None:
    if add:
        for k in range(len(source)):
            target[k] += source[k]
    else:
        for k in range(len(source)):
            target[k] = source[k]
