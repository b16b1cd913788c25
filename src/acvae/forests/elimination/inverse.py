"""A factorised matrix that keeps the inverse of its core in place of the core's factor: quick rows of J⁻¹.

The right-hand side of one row meets the core in a few places only: in one if its vertex is of the core. Each
of them adds a multiple of a row of the core's inverse, where two triangular solves would read all of it.
Fit for well-conditioned matrices, such as Laplacians with a positive diagonal.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import scipy.linalg.lapack as lapack

from acvae._util.threads import over_ranges
from acvae.forests.elimination.factor import (
    Factor,
    along_pattern,
    factorise_core,
    invert,
    over_columns,
    pull_up,
    push_down,
)
from acvae.forests.elimination.order import Elimination

__all__ = ["InverseFactor", "factorise_by_inverse"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

DENSE = 0.1  # share of a right-hand side in the core from which on a product of matrices is quicker


class InverseFactor(Factor):
    """As `Factor`, by the whole symmetric inverse of the core (k, k)."""

    def __init__(
        self,
        order: Elimination,
        pivot: FloatArray,
        share: FloatArray,
        inverse: FloatArray,
        variance: FloatArray,
        along: FloatArray,
        core_log_determinant: float,
    ) -> None:
        super().__init__(order, pivot, share, inverse, variance, along)
        self._core_log_determinant = core_log_determinant
        over_ranges(lambda a, b: _mirror(inverse, a, b), len(inverse), at_least=64)

    @property
    def log_determinant(self) -> float:
        """log det J."""
        return float(np.log(self._pivot).sum() + self._core_log_determinant)

    def solve(self, x: FloatArray) -> FloatArray:
        """J⁻¹·x for the columns of x (n, b), in place."""
        order, first = self._order, self._order.n_eliminated
        over_columns(push_down, x, order.start, order.below, self._share)
        if first < len(x):
            inside = np.ascontiguousarray(x[first:].T)
            if np.count_nonzero(inside) > DENSE * inside.size:
                x[first:] = self._core @ x[first:]
            else:
                out = np.zeros_like(inside)
                over_ranges(lambda a, b: _combine(self._core, inside, out, a, b), len(inside), uneven=True)
                x[first:] = out.T
        over_columns(pull_up, x, order.start, order.below, self._share, 1 / self._pivot)
        return x

    def correlate(self, noise: FloatArray) -> FloatArray:
        """Turn standard normals (n, b) into draws from N(0, J⁻¹), in place."""
        order, first = self._order, self._order.n_eliminated
        if first < len(noise):
            noise[first:] = self._root @ noise[first:]
        over_columns(pull_up, noise, order.start, order.below, self._share, 1 / np.sqrt(self._pivot))
        return noise

    @cached_property
    def _root(self) -> FloatArray:
        """Lower triangular square root of the core's inverse, made when first drawn from."""
        return np.asarray(lapack.dpotrf(self._core, lower=1, clean=1)[0])


def factorise_by_inverse(
    order: Elimination, edges: IntArray, off: FloatArray, diagonal: FloatArray
) -> InverseFactor:
    """As `factorise`, with the core's inverse kept in place of its factor."""
    pivot, share, core = factorise_core(order, edges, off, diagonal)
    log_determinant = float(2 * np.log(core.diagonal()).sum())
    inverse = invert(core, in_place=True)
    along = along_pattern(order, edges, pivot, share, inverse)
    return InverseFactor(order, pivot, share, inverse, *along, log_determinant)


@numba.njit(cache=True, nogil=True)
def _mirror(table: Any, first: int, last: int) -> None:
    """Write the lower triangle's columns first … last to the upper."""
    for c in range(first, last):
        for r in range(c + 1, len(table)):
            table[c, r] = table[r, c]


@numba.njit(cache=True, nogil=True)
def _combine(inverse: Any, x: Any, out: Any, first: int, last: int) -> None:
    """Rows first … last of out += x·inverse; columns of a symmetric inverse lie together in memory."""
    for b in range(first, last):
        target = out[b]
        for p in range(x.shape[1]):
            value = x[b, p]
            if value != 0.0:
                row = inverse[:, p]
                for k in range(len(row)):
                    target[k] += value * row[k]
