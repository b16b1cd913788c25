"""What a posterior says of pairs once an edge is taken away, for many edges at once.

A joint that holds edges has `left_out(ends, candidates, mean, std)`: for every query (i, j), what it says
of i and of each candidate k if it did not hold the edge between i and j. Where it holds no such edge, all
stays as it is. A joint without the method holds no edges at all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["PairsLeftOut", "find_links", "pairs_left_out"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class PairsLeftOut(NamedTuple):
    """The marginals of q vertices i and of c candidates each, and their correlations."""

    mean: FloatArray  # (q, d)
    std: FloatArray  # (q, d)
    other_mean: FloatArray  # (q, c, d)
    other_std: FloatArray  # (q, c, d)
    correlation: FloatArray  # (q, c, d)

    @classmethod
    def of_correlations(
        cls,
        ends: IntArray,
        candidates: IntArray,
        mean: npt.NDArray[Any],
        std: npt.NDArray[Any],
        correlation: FloatArray,
    ) -> PairsLeftOut:
        """Where only correlations change, and the marginals (n, d) stay."""
        i = ends[:, 0]
        m_i, s_i, m_k, s_k = (table[at].astype(np.float64) for at in (i, candidates) for table in (mean, std))
        return cls(m_i, s_i, m_k, s_k, correlation)


def pairs_left_out(
    joint: Any, ends: IntArray, candidates: IntArray, mean: npt.NDArray[Any], std: npt.NDArray[Any]
) -> PairsLeftOut:
    """Of queries (q, 2) with candidates (q, c), for marginals (n, d), under any strategy of correlations."""
    own = getattr(joint, "left_out", None)
    if own is not None:
        found: PairsLeftOut = own(ends, candidates, mean, std)
        return found
    i = np.repeat(ends[:, 0], candidates.shape[1])
    rho = joint.pairs(i, candidates.ravel()).reshape(*candidates.shape, -1)
    return PairsLeftOut.of_correlations(ends, candidates, mean, std, rho)


def find_links(links: IntArray, n: int, ends: IntArray) -> IntArray:
    """(q,) where the pairs `ends` (q, 2), in either order, are among `links` (m, 2), u < v; −1 if not."""
    if len(links) == 0:
        return np.full(len(ends), -1)
    keys = links[:, 0] * n + links[:, 1]
    order = np.argsort(keys, kind="stable")
    low, high = np.sort(ends, axis=1).T
    wanted = low * n + high
    place = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    return np.where(keys[place] == wanted, place, -1)
