"""Adam on a flat array of parameters, in one pass over memory, all at once or a part at a time."""

import math
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from acvae._util.threads import over_ranges

__all__ = ["FlatAdam", "Learned", "adam_update"]

Array = npt.NDArray[Any]


class Learned(NamedTuple):
    """A parameter, its gradient and Adam's two moments of it: arrays of one shape."""

    value: Array
    gradient: Array
    first: Array
    second: Array

    def part(self, rows: slice) -> "Learned":
        """Some rows."""
        return Learned(*(array[rows] for array in self))


class FlatAdam:
    """Adam (Kingma & Ba, 2015) as `torch.optim.Adam` does it with its defaults, on one CPU tensor.

    A step is `step()`, or `advance()` and after it one `update` of every part of the parameters, in any order
    and from any thread.
    """

    def __init__(self, parameters: Tensor, gradient: Tensor, learning_rate: float) -> None:
        self._parameters, self._gradient, self._rate = parameters.numpy(), gradient.numpy(), learning_rate
        self.first, self.second = torch.zeros_like(parameters), torch.zeros_like(parameters)
        self.count = 0
        self.constants: tuple[Any, ...] = ()

    def step(self) -> None:
        """Update all parameters from the gradient, and set the gradient to zero for the next step."""
        self.advance()
        whole = Learned(self._parameters, self._gradient, self.first.numpy(), self.second.numpy())

        def part(start: int, stop: int) -> None:
            self.update(whole.part(slice(start, stop)))

        over_ranges(part, len(self._parameters), at_least=200_000)
        self._gradient[:] = 0

    def advance(self, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8) -> None:
        """Begin the next step."""
        self.count += 1
        size = self._rate / (1 - beta1**self.count)
        scale = 1 / math.sqrt(1 - beta2**self.count)
        kind = self._parameters.dtype.type
        self.constants = tuple(kind(x) for x in (size, scale, beta1, beta2, epsilon))

    def update(self, part: Learned) -> None:
        """Move a part of the parameters (contiguous arrays) along its gradient."""
        _update(*(array.reshape(-1) for array in part), self.constants)

    def learned(self, parameter: Tensor) -> Learned:
        """A parameter, which is a view into the flat tensor, with all that belongs to it."""
        flat = self._parameters
        start = (parameter.data_ptr() - flat.ctypes.data) // flat.itemsize
        part = slice(start, start + parameter.numel())
        if not (start >= 0 and part.stop <= len(flat)):
            raise ValueError("the parameter is no part of what this optimizer steps on.")
        own = (flat, self._gradient, self.first.numpy(), self.second.numpy())
        return Learned(*(array[part].reshape(tuple(parameter.shape)) for array in own))


@numba.njit(nogil=True, inline="always")
def adam_update(p: Any, g: Any, m: Any, v: Any, constants: Any) -> None:
    """One step on rows of numbers: parameters p, gradient g, moments m and v."""
    size, scale, beta1, beta2, epsilon = constants
    one = p.dtype.type(1)
    for k in range(len(g)):
        m[k] = beta1 * m[k] + (one - beta1) * g[k]
        v[k] = beta2 * v[k] + (one - beta2) * g[k] * g[k]
        p[k] -= size * m[k] / (np.sqrt(v[k]) * scale + epsilon)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _update(p: Any, g: Any, m: Any, v: Any, constants: Any) -> None:
    adam_update(p, g, m, v, constants)
