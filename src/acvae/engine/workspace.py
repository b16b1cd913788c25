"""What the fused gradient works on: a network's layers, buffers that stay, and work cut into tasks."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.engine.kernels.adam import FlatAdam

__all__ = ["Buffers", "Layers", "cut", "is_small"]

Array = npt.NDArray[Any]

TASK = 1 << 18  # numbers a task writes, about: enough to outweigh handing it to a thread


class Layers:
    """Two linear layers: weight (inputs, h) and bias of the first, then of the second."""

    def __init__(self, first: Any, second: Any, adam: FlatAdam) -> None:
        self.weight, self.bias = adam.learned(first.weight), adam.learned(first.bias)
        self.output, self.output_bias = adam.learned(second.weight), adam.learned(second.bias)
        self.hidden = len(self.bias.value)


class Buffers:
    """Buffers by name that stay from batch to batch: fresh large arrays cost a page fault every 4 KB."""

    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype
        self._buffers: dict[Any, Array] = {}

    def __call__(self, name: Any, rows: int, columns: int, dtype: Any = None) -> Array:
        need = rows * columns
        buffer = self._buffers.get(name)
        if buffer is None or len(buffer) < need:
            buffer = self._buffers[name] = np.empty(need + need // 8, dtype=dtype or self._dtype)
        return buffer[:need].reshape(rows, columns)


def cut(count: int, numbers_each: int) -> list[tuple[int, int]]:
    """Even runs of 0 … count, each of about `TASK` numbers if every item has `numbers_each`."""
    parts = round(count * numbers_each / TASK)
    if parts < 2:
        return [(0, count)] if count else []
    bounds = [count * t // parts for t in range(parts + 1)]
    return [(a, b) for a, b in pairwise(bounds) if a < b]


def is_small(numbers: int) -> bool:
    """Whether so many numbers are too few for a task of their own."""
    return numbers < TASK
