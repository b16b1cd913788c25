"""Memory of large results that is used again once nobody holds them.

To hand out a fresh array of tens of megabytes, the system has to clear its pages first, which takes half as
long as a matrix product that fills it. Who asks for one block after another and lets each go need not pay.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ReusedMemory"]

LEAST_BYTES = 1 << 20  # below, the allocator does the same itself


class ReusedMemory:
    """Empty arrays, the memory of the last of which is kept, up to `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[npt.NDArray[np.uint8]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return ReusedMemory, (self._most,)  # copies and pickles go without what is kept

    def empty(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Like `numpy.empty`; never memory that any array still refers to."""
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if not LEAST_BYTES <= size <= self._most:
            return np.empty(shape, dtype)
        memory = self._take(size)
        if memory is None:
            memory = np.empty(size, np.uint8)
        self._kept[:] = [memory]
        return memory[:size].view(dtype).reshape(shape)

    def _take(self, size: int) -> npt.NDArray[np.uint8] | None:
        """The memory that is kept, if it is free and not much too large."""
        try:
            memory = self._kept.pop()  # at once, so that no two threads have it
        except IndexError:
            return None
        free = np.empty(0, np.uint8)
        if sys.getrefcount(memory) != sys.getrefcount(free):  # an array somewhere is a view of it
            return None
        return memory if size <= memory.nbytes <= 2 * size else None
