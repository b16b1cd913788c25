"""One Adam step on a flat array of parameters, in one pass over memory."""

import math
from typing import Any

import numba
import torch
from torch import Tensor

from acvae._threads import over_ranges

__all__ = ["FlatAdam"]


class FlatAdam:
    """Adam (Kingma & Ba, 2015) as `torch.optim.Adam` does it with its defaults, on one CPU tensor."""

    def __init__(self, parameters: Tensor, gradient: Tensor, learning_rate: float) -> None:
        self._parameters, self._gradient, self._rate = parameters.numpy(), gradient.numpy(), learning_rate
        self.first, self.second = torch.zeros_like(parameters), torch.zeros_like(parameters)
        self.count = 0

    def step(self, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8) -> None:
        """Update the parameters from the gradient, and set the gradient to zero for the next step."""
        self.count += 1
        size = self._rate / (1 - beta1**self.count)
        scale = 1 / math.sqrt(1 - beta2**self.count)
        kind = self._parameters.dtype.type
        constants = tuple(kind(x) for x in (size, scale, beta1, beta2, epsilon))
        arrays = (self._parameters, self._gradient, self.first.numpy(), self.second.numpy())

        def part(start: int, stop: int) -> None:
            _adam(*(array[start:stop] for array in arrays), *constants)

        over_ranges(part, len(self._parameters), at_least=200_000)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _adam(
    p: Any, g: Any, m: Any, v: Any, size: float, scale: float, beta1: float, beta2: float, epsilon: float
) -> None:
    one = p.dtype.type(1)
    for k in range(len(p)):
        m[k] = beta1 * m[k] + (one - beta1) * g[k]
        v[k] = beta2 * v[k] + (one - beta2) * g[k] * g[k]
        p[k] -= size * m[k] / (math.sqrt(v[k]) * scale + epsilon)
        g[k] = 0
