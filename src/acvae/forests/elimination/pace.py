"""How long a dense core takes to factorise and invert: by its size, and the pace of the last one here.

It is what waits are told of. Cholesky's factor takes k³/3 multiplications and the inverse from it 2k³/3.
"""

from __future__ import annotations

import time

import numpy as np

__all__ = ["learn_pace", "seconds_for"]

SAMPLE = 512  # rows of the product that is timed where nothing is known yet
LEAST = 500  # rows of a core that says anything of larger ones
_PACE: dict[str, float] = {}  # multiplications a second


def seconds_for(core_size: int) -> float:
    """About how long it takes to factorise and to invert a core of so many rows."""
    if "dense" not in _PACE:
        sample = np.ones((SAMPLE, SAMPLE))
        sample @ sample  # the first wakes the threads
        start = time.perf_counter()
        sample @ sample
        _PACE["dense"] = SAMPLE**3 / max(time.perf_counter() - start, 1e-6) / 2  # factors are slower
    return core_size**3 / _PACE["dense"]


def learn_pace(core_size: int, seconds: float) -> None:
    """A core of so many rows was factorised in so many seconds."""
    if core_size >= LEAST and seconds > 0:
        _PACE["dense"] = core_size**3 / 3 / seconds
