"""What one sparse row makes of a weight matrix: the loop that all kernels on bags of columns share."""

from typing import Any

import numba

__all__ = ["bag_sum"]


@numba.njit(nogil=True, inline="always")
def bag_sum(
    weight: Any, columns: Any, first: int, last: int, values: Any, has_values: bool, nothing: Any, target: Any
) -> None:
    """target (h,) = Σ_t x_t·W[columns[t]] over first … last, added up in that order; x_t is 1 without values.

    `nothing` is a row of zeros (h,).
    """
    h = len(target)
    if first == last:
        target[:] = 0
    elif has_values:
        target[:] = 0
        for t in range(first, last):
            source, x = weight[columns[t]], weight.dtype.type(values[t])
            for k in range(h):
                target[k] += x * source[k]
    else:
        for t in range(first, last, 4):  # four rows in one pass over the target
            a = weight[columns[t]]
            b = weight[columns[t + 1]] if t + 1 < last else nothing
            e = weight[columns[t + 2]] if t + 2 < last else nothing
            f = weight[columns[t + 3]] if t + 3 < last else nothing
            if t == first:
                for k in range(h):
                    target[k] = ((a[k] + b[k]) + e[k]) + f[k]
            else:
                for k in range(h):
                    target[k] = (((target[k] + a[k]) + b[k]) + e[k]) + f[k]
