"""The multinomial log-likelihood of sparse rows and its gradient, in one pass over each row."""

import math
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae.nn.kernels.bags import ALL_ONES

__all__ = ["multinomial_gradient"]

Array = npt.NDArray[Any]


def multinomial_gradient(
    log_probability: Array, columns: Array, offsets: Array, values: Array | None, scale: float, out: Array
) -> float:
    """Σ over rows of x·log p + log((Σx)!/∏x!); `out` (b, D), p at first, becomes scale·(x − (Σx)·p).

    That is the gradient of scale·(the sum) with respect to the outputs of which p is the softmax. Row r of x
    has its columns and values between offsets[r] and offsets[r + 1]; without values they are ones.
    """
    entries = ALL_ONES if values is None else values
    return float(_gradient(log_probability, columns, offsets, entries, values is not None, scale, out))


@numba.njit(cache=True, nogil=True)
def _gradient(
    log_probability: Any, columns: Any, offsets: Any, values: Any, has_values: bool, scale: float, out: Any
) -> float:
    value = 0.0
    for r in range(len(out)):
        count = 0.0
        for t in range(offsets[r], offsets[r + 1]):
            x = np.float64(values[t]) if has_values else 1.0
            count += x
            value += x * log_probability[r, columns[t]]
            if has_values:
                value -= math.lgamma(x + 1)
        value += math.lgamma(count + 1)
        row, factor = out[r], out.dtype.type(-scale * count)
        for k in range(len(row)):
            row[k] *= factor
        for t in range(offsets[r], offsets[r + 1]):
            row[columns[t]] += out.dtype.type(scale * (np.float64(values[t]) if has_values else 1.0))
    return value
