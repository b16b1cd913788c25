"""Whom a ranking puts first: candidates that a head for probabilities must not be without."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.gaussian.nearest import select_nearest
from acvae.graph import Graph
from acvae.links.ranking import LinkRanking

__all__ = ["likest_by_order"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def likest_by_order(ranking: LinkRanking, at: IntArray, known: Graph, count: int) -> sp.csr_array:
    """(n, n) at most `count` of those that are not `known` to be linked with each vertex of `at`, by score.

    Entries are `count` for the first, and one less for each that follows.
    """
    n = ranking.n_vertices
    place = np.arange(count, 0, -1, dtype=np.float64)
    parts: list[tuple[IntArray, IntArray, FloatArray]] = []
    for own, scores in ranking.score_blocks(at):
        ids, below = select_nearest(-scores, own, np.arange(n), *known.csr, count)
        row, column = np.nonzero(np.isfinite(below))
        best = np.argsort(np.argsort(below, axis=1, kind="stable"), axis=1)
        parts.append((own[row], ids[row, column], place[best[row, column]]))
    rows, columns, values = (np.concatenate(each) for each in zip(*parts, strict=True))
    return sp.csr_array((values, (rows, columns)), shape=(n, n))
