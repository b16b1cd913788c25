"""What one sparse row makes of a weight matrix: the loop that all kernels on bags of columns share."""

from typing import Any

import numba
import numpy as np

__all__ = ["ALL_ONES", "bag_sum"]

ALL_ONES = np.ones(1, dtype=np.float32)  # stands for the values of a pattern


@numba.njit(cache=True, nogil=True)
def bag_sum(
    weight: Any, columns: Any, first: int, last: int, values: Any, has_values: bool, target: Any
) -> None:
    """target (h,) = Σ_t x_t·W[columns[t]] over first … last, in that order; x_t is 1 without values."""
    h = len(target)
    if has_values or first == last:
        target[:] = 0
        for t in range(first, last):
            source, x = weight[columns[t]], weight.dtype.type(values[t])
            for k in range(h):
                target[k] += x * source[k]
        return
    source = weight[columns[first]]
    for k in range(h):
        target[k] = source[k]
    t = first + 1
    while t + 3 <= last:  # three rows in one pass over the target
        a, b, c = weight[columns[t]], weight[columns[t + 1]], weight[columns[t + 2]]
        for k in range(h):
            target[k] = ((target[k] + a[k]) + b[k]) + c[k]
        t += 3
    while t < last:
        source = weight[columns[t]]
        for k in range(h):
            target[k] += source[k]
        t += 1
