"""Exact expected distances under a sparse precision, some rows at a time: a solve per row and dimension."""

from collections.abc import Iterator, Sequence
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import over_ranges
from acvae.forests.elimination.factor import Factor
from acvae.forests.elimination.order import Elimination

__all__ = ["PrecisionDistances"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

PANEL = 256  # rows solved for at a time


class PrecisionDistances:
    """Row blocks of the matrix of distances, its columns in the order of the elimination.

    Memory: PANEL·n numbers beside a block, and never n².
    """

    def __init__(
        self,
        order: Elimination,
        factors: Sequence[Factor],
        mean: npt.NDArray[Any],
        std: npt.NDArray[Any],
    ) -> None:
        self.columns = order.vertex
        self._position, self._factors, self._dtype = order.position, factors, mean.dtype
        self._mean = np.ascontiguousarray(mean[order.vertex].T, dtype=np.float64)
        self._std = np.ascontiguousarray(std[order.vertex].T, dtype=np.float64)

    def blocks(self, rows: IntArray, block_rows: int) -> Iterator[tuple[IntArray, npt.NDArray[Any]]]:
        """Yield `(rows, distances)`, rows by their place among the columns."""
        n = len(self.columns)
        places = np.sort(self._position[rows])
        out = np.empty((min(block_rows, len(rows)), n), dtype=self._dtype)
        for first in range(0, len(rows), block_rows):
            at = places[first : first + block_rows]
            for start in range(0, len(at), PANEL):
                own = at[start : start + PANEL]
                out[start : start + len(own)] = self._from(own).T
            yield self.columns[at], out[: len(at)]

    def _from(self, at: IntArray) -> FloatArray:
        """Distances (n, b) from the b places to all."""
        total = np.zeros((len(self.columns), len(at)))
        solved = np.empty_like(total)
        for mean, std, factor in zip(self._mean, self._std, self._factors, strict=True):
            solved[:] = 0
            solved[at, np.arange(len(at))] = 1
            factor.solve(solved)
            scale = std / np.sqrt(factor.variance)  # from covariances under the precision to the posterior's
            arguments = mean, std, scale, at, solved, total
            over_ranges(lambda a, b, given=arguments: _add(*given, a, b), len(total), at_least=256)  # type: ignore[misc]
        np.maximum(total, 0, out=total)
        total[at, np.arange(len(at))] = 0
        return total


@numba.njit(cache=True, nogil=True)
def _add(mean: Any, std: Any, scale: Any, at: Any, solved: Any, total: Any, first: int, last: int) -> None:
    """total += (μ_c − μ_r)² + (σ_c − σ_r)² + 2·(σ_c·σ_r − cov_cr) for c from first to last."""
    mean_at, std_at, scale_at = mean[at], std[at], scale[at]
    for c in range(first, last):
        own, out = solved[c], total[c]
        for r in range(len(out)):
            gap, spread = mean[c] - mean_at[r], std[c] - std_at[r]
            rest = std[c] * std_at[r] - scale[c] * scale_at[r] * own[r]
            out[r] += gap * gap + spread * spread + 2 * rest
