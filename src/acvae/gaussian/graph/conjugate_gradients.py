"""K·B for many columns at once by conjugate gradients, preconditioned by the diagonal of J.

With D the diagonal, D^(−1/2)·J·D^(−1/2) has its eigenvalues between 1 − t and 1 + t, t < 1 the largest share
of a vertex's J_vv that its edges make up: some tens of steps. The residual that is checked at the end is
computed anew.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import over_ranges
from acvae.exceptions import PosteriorError

__all__ = ["conjugate_gradients"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

COLUMNS = 64  # solved for at a time
ROWS = 8192  # summed at a time
STEPS = 2_000
TOLERANCE = {"float32": 1e-5, "float64": 1e-10}  # of a column's residual, relative to the column


def conjugate_gradients(
    start: IntArray, near: npt.NDArray[Any], strength: FloatArray, total: FloatArray, b: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """(n, k) the solution of J·X = B, J by its neighbour lists and its diagonal `total` (n,).

    In the precision of B: every column's residual ends below 1e−5 of the column in single precision, below
    1e−10 in double precision.
    """
    out = np.empty_like(b)
    matrix = start, near, strength.astype(b.dtype), total.astype(b.dtype)
    for first in range(0, b.shape[1], COLUMNS):
        part = slice(first, first + COLUMNS)
        out[:, part] = _solve(matrix, np.ascontiguousarray(b[:, part]))
    return out


def _solve(matrix: tuple[Any, ...], b: npt.NDArray[Any]) -> npt.NDArray[Any]:
    total = matrix[-1]
    goal = TOLERANCE[b.dtype.name] * np.sqrt(_dots(b, b))
    x = b / total[:, None]
    image = np.empty_like(b)
    for _ in range(3):  # rounding may part the residual that is carried along from the real one
        r = b - _times(matrix, x, image)
        if (np.sqrt(_dots(r, r)) <= goal).all():
            return x
        _improve(matrix, x, r, image, 0.5 * goal)
    r = b - _times(matrix, x, image)
    worst = np.sqrt(_dots(r, r))
    if not (worst <= goal).all():
        raise PosteriorError(
            f"solving for the means did not end: {int((worst > goal).sum())} of {b.shape[1]} columns have a "
            "residual above what is allowed. Use smaller scales, or solver='exact'."
        )
    return x


def _improve(
    matrix: tuple[Any, ...],
    x: npt.NDArray[Any],
    r: npt.NDArray[Any],
    image: npt.NDArray[Any],
    goal: FloatArray,
) -> None:
    """Steps on x and its residual r, in place, until every column is at its goal (k,)."""
    total = matrix[-1]
    direction = r / total[:, None]
    product = _dots_over(r, total)
    for _ in range(STEPS):
        _times(matrix, direction, image)
        length = _dots(direction, image)
        step = np.divide(product, length, out=np.zeros_like(product), where=length > 0)
        _add(x, direction, step)
        _add(r, image, -step)
        if (np.sqrt(_dots(r, r)) <= goal).all():
            return
        before, product = product, _dots_over(r, total)
        turn = np.divide(product, before, out=np.zeros_like(product), where=before > 0)
        _turn(direction, r, total, turn)


def _times(matrix: tuple[Any, ...], x: npt.NDArray[Any], out: npt.NDArray[Any]) -> npt.NDArray[Any]:
    over_ranges(lambda a, b: _product(*matrix, x, out, a, b), len(x), at_least=2048)
    return out


def _dots(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> FloatArray:
    """(k,) products of columns, summed in double precision."""
    return _dots_over(x, np.ones(0, x.dtype), y)


def _dots_over(x: npt.NDArray[Any], total: npt.NDArray[Any], y: npt.NDArray[Any] | None = None) -> FloatArray:
    """(k,) Σ_v x_v·y_v/total_v, y = x if there is none; summed in the same order by any number of threads."""
    parts = np.zeros((-(-len(x) // ROWS), x.shape[1]))

    def work(first: int, last: int) -> None:
        for p in range(first, last):
            parts[p] = _column_sums(x, x if y is None else y, total, p * ROWS, min((p + 1) * ROWS, len(x)))

    over_ranges(work, len(parts))
    return np.asarray(parts.sum(axis=0))


def _add(x: npt.NDArray[Any], y: npt.NDArray[Any], scale: FloatArray) -> None:
    own = scale.astype(x.dtype)
    over_ranges(lambda a, b: _add_scaled(x, y, own, a, b), len(x), at_least=4096)


def _turn(
    direction: npt.NDArray[Any], r: npt.NDArray[Any], total: npt.NDArray[Any], turn: FloatArray
) -> None:
    own = turn.astype(r.dtype)
    over_ranges(lambda a, b: _new_direction(direction, r, total, own, a, b), len(r), at_least=4096)


@numba.njit(cache=True, nogil=True, fastmath={"contract"})
def _product(
    start: Any, near: Any, strength: Any, total: Any, x: Any, out: Any, first: int, last: int
) -> None:
    """Rows first … last of J·x."""
    width = x.shape[1]
    for v in range(first, last):
        for c in range(width):
            out[v, c] = total[v] * x[v, c]
        for t in range(start[v], start[v + 1]):
            u, a = near[t], strength[t]
            for c in range(width):
                out[v, c] -= a * x[u, c]


@numba.njit(cache=True, nogil=True)
def _column_sums(x: Any, y: Any, total: Any, first: int, last: int) -> Any:
    out = np.zeros(x.shape[1])
    for v in range(first, last):
        share = 1 / total[v] if len(total) else x.dtype.type(1)
        for c in range(x.shape[1]):
            out[c] += np.float64(x[v, c]) * y[v, c] * share
    return out


@numba.njit(cache=True, nogil=True)
def _add_scaled(x: Any, y: Any, scale: Any, first: int, last: int) -> None:
    for v in range(first, last):
        for c in range(x.shape[1]):
            x[v, c] += scale[c] * y[v, c]


@numba.njit(cache=True, nogil=True)
def _new_direction(direction: Any, r: Any, total: Any, turn: Any, first: int, last: int) -> None:
    for v in range(first, last):
        for c in range(r.shape[1]):
            direction[v, c] = r[v, c] / total[v] + turn[c] * direction[v, c]
