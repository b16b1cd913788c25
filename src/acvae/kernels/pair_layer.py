"""The hidden layer of the pair encoder on a list of pairs, both orders summed, with its gradient."""

from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

__all__ = ["pair_layer"]


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
        _forward(*ctx.inputs, out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        halves, bias = ctx.inputs[:2]
        grad_halves = torch.zeros(halves.shape, dtype=grad.dtype)
        grad_bias = torch.zeros(bias.shape, dtype=grad.dtype)
        _backward(*ctx.inputs, grad.contiguous().numpy(), grad_halves.numpy(), grad_bias.numpy())
        return grad_halves, grad_bias, None, None


@numba.njit(cache=True, nogil=True)
def _forward(halves: Any, bias: Any, i: Any, j: Any, out: Any) -> None:
    h = len(bias)
    zero = halves.dtype.type(0)
    for t in range(len(i)):
        here, there = halves[i[t]], halves[j[t]]
        for k in range(h):
            a = here[k] + there[h + k] + bias[k]
            b = there[k] + here[h + k] + bias[k]
            out[t, k] = (a if a > zero else zero) + (b if b > zero else zero)


@numba.njit(cache=True, nogil=True)
def _backward(halves: Any, bias: Any, i: Any, j: Any, grad: Any, out: Any, out_bias: Any) -> None:
    h = len(bias)
    zero = grad.dtype.type(0)
    forth, back = np.empty(h, dtype=grad.dtype), np.empty(h, dtype=grad.dtype)
    for t in range(len(i)):
        # One simple loop per target: the compiler turns each into vector instructions.
        here, there, g = halves[i[t]], halves[j[t]], grad[t]
        for k in range(h):
            forth[k] = g[k] if here[k] + there[h + k] + bias[k] > zero else zero
            back[k] = g[k] if there[k] + here[h + k] + bias[k] > zero else zero
        here, there = out[i[t]], out[j[t]]
        for k in range(h):
            here[k] += forth[k]
        for k in range(h):
            here[h + k] += back[k]
        for k in range(h):
            there[k] += back[k]
        for k in range(h):
            there[h + k] += forth[k]
        for k in range(h):
            out_bias[k] += forth[k] + back[k]
