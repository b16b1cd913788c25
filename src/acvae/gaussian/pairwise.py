"""Correlations given pair by pair by a trained pair network, as CVAE ranks.

They are approximations of their own for each pair and in general belong to no joint distribution; this is
what the paper's belief propagation on a forest replaces.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import one_blas_thread, over_ranges
from acvae.gaussian.stored import Stored

__all__ = ["PairwiseMarginals"]

IntArray = npt.NDArray[np.int64]

MAX_CORRELATION = 1 - 1e-6
TILE_NUMBERS = 1 << 18  # hidden activations held at a time: what fits a core's cache
KEPT_BYTES = 1 << 30  # of covariances kept for the mirrored half of the pairs


class PairwiseMarginals:
    """The second half of a pair encoder, with the first layer already applied to every vertex.

    ρ_ij = (1 − 1e−6)·tanh(c_ij / 2),  c_ij = ½·(relu(A_i + B_j) + relu(A_j + B_i))·W + b

    Parameters
    ----------
    first, second
        A and B, (n, h): a vertex's contribution as first and as second of a pair; A holds the bias.
    weight, bias
        W (h, d) and b (d,).
    """

    kind = "pairwise"

    def __init__(
        self,
        first: npt.NDArray[Any],
        second: npt.NDArray[Any],
        weight: npt.NDArray[Any],
        bias: npt.NDArray[Any],
    ) -> None:
        self.first, self.second = np.ascontiguousarray(first), np.ascontiguousarray(second)
        self.weight, self.bias = np.ascontiguousarray(weight), np.ascontiguousarray(bias)

    @property
    def shape(self) -> tuple[int, int]:
        """How many vertices it is for, and dimensions."""
        return len(self.first), len(self.bias)

    def describe(self) -> str:
        """What it is made of."""
        return "pairwise approximations"

    def pack(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays it is made of."""
        return {"first": self.first, "second": self.second, "weight": self.weight, "bias": self.bias}

    @classmethod
    def unpack(cls, arrays: Mapping[str, npt.NDArray[Any]], n: int, d: int) -> "PairwiseMarginals":
        """Of arrays that may be anything: a network on n vertices, with correlations in d dimensions."""
        stored = Stored(arrays)
        first = stored.numbers("first", (n, None))
        kind, width = first.dtype, first.shape[1]
        return cls(
            first,
            stored.numbers("second", (n, width), kind),
            stored.numbers("weight", (width, d), kind),
            stored.numbers("bias", (d,), kind),
        )

    def pairs(self, i: IntArray, j: IntArray) -> npt.NDArray[np.float64]:
        """(k, d) correlation of each pair."""
        out = np.empty((len(i), len(self.bias)), dtype=np.float64)
        step = max(1, TILE_NUMBERS // self.first.shape[1])
        for start in range(0, len(i), step):
            a, b = i[start : start + step], j[start : start + step]
            hidden = np.maximum(self.first[a] + self.second[b], 0)
            hidden += np.maximum(self.first[b] + self.second[a], 0)
            out[start : start + step] = self._finish(hidden)
        out[i == j] = 1.0
        return out

    def distance_blocks(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> "PairwiseDistances":
        """Blocks that evaluate the pair network on every pair."""
        return PairwiseDistances(self, mean, std)

    def _finish(self, hidden: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Correlations (k, d) from the sum of both orders' activations (k, h)."""
        logit = hidden @ self.weight  # ½ for the mean of the orders and ½ of tanh(c / 2), in one go
        logit *= 0.25
        logit += 0.5 * self.bias
        np.tanh(logit, out=logit)
        logit *= MAX_CORRELATION
        return logit


class PairwiseDistances:
    """Expected squared distances under pair-by-pair correlations.

    A pair's covariance Σ_k σ_ik·σ_jk·ρ_ijk is symmetric, and the network is nearly all of the time: what the
    row of i has found is kept for the row of j, as long as there is room for it (`KEPT_BYTES`).
    """

    def __init__(self, network: PairwiseMarginals, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> None:
        self.columns = np.arange(len(mean))
        self._network = network
        self._mean, self._std = mean - mean.mean(axis=0), std
        self._norm = (self._mean**2 + std**2).sum(axis=1)

    def blocks(self, rows: IntArray, block_rows: int) -> Iterator[tuple[IntArray, npt.NDArray[Any]]]:
        """Yield `(rows, distances)` in the given order of rows."""
        n = len(self._mean)
        buffer = np.empty((min(block_rows, len(rows)), n), dtype=self._mean.dtype)
        covariance = np.empty_like(buffer)
        kept: list[tuple[IntArray, IntArray, npt.NDArray[Any]]] = []  # rows, later columns, covariances
        unseen = np.ones(n, dtype=np.bool_)  # whose rows are not kept
        spare = KEPT_BYTES
        for start in range(0, len(rows), block_rows):
            at = rows[start : start + block_rows]
            out, found = buffer[: len(at)], covariance[: len(at)]
            for earlier, columns, values in kept:
                place = np.minimum(np.searchsorted(columns, at), len(columns) - 1)
                found[:, earlier] = values[:, place].T
            self._evaluate(at, unseen, found)
            np.matmul(-2 * self._mean[at], self._mean.T, out=out)
            out += self._norm[at, None]
            out += self._norm
            out -= 2 * found
            np.maximum(out, 0, out=out)
            out[np.arange(len(at)), at] = 0
            size = len(at) * n * found.itemsize
            if start + block_rows < len(rows) and size <= spare:
                spare -= size
                unseen[at] = False
                columns = np.flatnonzero(unseen)
                if len(columns):
                    kept.append((at, columns, found[:, columns]))
            yield at, out

    def _evaluate(self, at: IntArray, unseen: npt.NDArray[np.bool_], out: npt.NDArray[Any]) -> None:
        """Write the covariances (r, n) of rows with the columns that are not known from kept rows."""
        new = unseen[at]  # a row that was kept, and is asked for again, comes whole
        for places, columns in (
            (np.flatnonzero(new), np.flatnonzero(unseen)),
            (np.flatnonzero(~new), self.columns),
        ):

            def rows(start: int, stop: int, places: IntArray = places, columns: IntArray = columns) -> None:
                self._tiles(at, places[start:stop], columns, out)

            with one_blas_thread():
                over_ranges(rows, len(places))

    def _tiles(self, at: IntArray, places: IntArray, columns: IntArray, out: npt.NDArray[Any]) -> None:
        """Write Σ_k σ_ik·σ_jk·ρ_ijk for the rows at[places] and some columns, a tile of them at a time.

        A tile always has the same number of pairs, filled or not: so every pair goes through the same
        product, and has the same bits wherever and in whichever order of the two it is met. It is a few rows
        high, so that a column's numbers are fetched once for all of them.
        """
        net = self._network
        pairs = 64 * min(max(1, TILE_NUMBERS // net.first.shape[1] // 64), -(-out.shape[1] // 64))
        hidden = np.zeros((pairs, net.first.shape[1]), dtype=net.first.dtype)
        high = max(1, min(len(places), pairs // 64))
        wide = pairs // high
        for left in range(0, len(columns), wide):
            for top in range(0, len(places), high):
                tile = places[top : top + high], columns[left : left + wide]
                _activate(net.first, net.second, at, *tile, hidden)
                _weigh(net._finish(hidden), self._std, at, *tile, out)


@numba.njit(cache=True, nogil=True, fastmath=True)
def _activate(first: Any, second: Any, at: Any, places: Any, columns: Any, out: Any) -> None:
    """Rows of `out` are relu(A_i + B_j) + relu(A_j + B_i) for i in at[places], j in `columns`, j fastest."""
    zero = out.dtype.type(0)  # of the same type: a whole number would make the loop one of 64 bits
    for p in range(len(places)):
        first_i, second_i = first[at[places[p]]], second[at[places[p]]]
        for t in range(len(columns)):
            first_j, second_j, sums = first[columns[t]], second[columns[t]], out[p * len(columns) + t]
            for k in range(len(sums)):
                sums[k] = max(first_i[k] + second_j[k], zero) + max(first_j[k] + second_i[k], zero)


@numba.njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _weigh(correlation: Any, std: Any, at: Any, places: Any, columns: Any, out: Any) -> None:
    """out[r, j] = Σ_k σ_ik·σ_jk·ρ_ijk for r in `places`, i = at[r], and the rows of `_activate`."""
    for p in range(len(places)):
        std_i = std[at[places[p]]]
        for t in range(len(columns)):
            std_j, rho = std[columns[t]], correlation[p * len(columns) + t]
            total = out.dtype.type(0)
            for k in range(len(std_i)):
                total += rho[k] * (std_i[k] * std_j[k])
            out[places[p], columns[t]] = total
