"""Correlations given pair by pair by a trained pair network, as CVAE ranks.

They are approximations of their own for each pair and in general belong to no joint distribution; this is
what the paper's belief propagation on a forest replaces.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae.gaussian.stored import Stored

__all__ = ["PairwiseMarginals"]

IntArray = npt.NDArray[np.int64]

MAX_CORRELATION = 1 - 1e-6
TILE_NUMBERS = 1 << 19  # hidden activations held at a time: what fits a core's cache


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
    """Expected squared distances under pair-by-pair correlations."""

    def __init__(self, network: PairwiseMarginals, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> None:
        self.columns = np.arange(len(mean))
        self._network = network
        self._mean, self._std = mean - mean.mean(axis=0), std
        self._norm = (self._mean**2 + std**2).sum(axis=1)

    def blocks(self, rows: IntArray, block_rows: int) -> Iterator[tuple[IntArray, npt.NDArray[Any]]]:
        """Yield `(rows, distances)` in the given order of rows."""
        n = len(self._mean)
        buffer = np.empty((min(block_rows, len(rows)), n), dtype=self._mean.dtype)
        for start in range(0, len(rows), block_rows):
            at = rows[start : start + block_rows]
            out = buffer[: len(at)]
            np.matmul(-2 * self._mean[at], self._mean.T, out=out)
            out += self._norm[at, None]
            out += self._norm
            for r, i in enumerate(at):
                self._subtract_covariances(i, out[r])
            np.maximum(out, 0, out=out)
            out[np.arange(len(at)), at] = 0
            yield at, out

    def _subtract_covariances(self, i: int, out: npt.NDArray[Any]) -> None:
        """Subtract 2·Σ_k σ_ik·σ_jk·ρ_ijk from row i (n,), a tile of columns at a time."""
        net = self._network
        step = max(1, TILE_NUMBERS // net.first.shape[1])
        for start in range(0, len(out), step):
            stop = min(start + step, len(out))
            hidden = np.empty((stop - start, net.first.shape[1]), dtype=net.first.dtype)
            _activate(net.first, net.second, i, start, hidden)
            covariance = net._finish(hidden)
            covariance *= self._std[start:stop]
            out[start:stop] -= 2 * (covariance @ self._std[i])


@numba.njit(cache=True, nogil=True, fastmath=True)
def _activate(first: Any, second: Any, i: int, start: int, out: Any) -> None:
    """out[t] = relu(A_i + B_j) + relu(A_j + B_i) for j = start + t."""
    for t in range(out.shape[0]):
        j = start + t
        for k in range(out.shape[1]):
            out[t, k] = max(first[i, k] + second[j, k], 0) + max(first[j, k] + second[i, k], 0)
