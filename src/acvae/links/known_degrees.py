"""Left-out links among vertices as they are: degrees that hardly any vertex has must not give links away.

A link that is left out takes one from the degrees of both its ends. Where every vertex has five links or
more, only ends of left-out links have four; on a graph without isolated vertices, only they have none. A head
would learn that such a vertex is linked, whoever the other one is. So of the ends whose degree without the
link is rarer among the vertices than it is among ends, most are given the degree that they have. An end that
is left without any link cannot be mended so, since all its numbers tell: most of those are not learnt from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.graph import Graph
from acvae.links.queries import Queries

__all__ = ["KnownDegrees", "degrees_had", "with_known_degrees"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

ENOUGH = 0.5  # vertices of a degree, for each vertex that comes to it by a link less
NEAR = 0.25  # of the spread of log degrees: degrees that near count as one


class KnownDegrees(NamedTuple):
    """Queries for left-out links, and how much of each is learnt from."""

    queries: Queries
    known: FloatArray  # (q, 2) for each end: 1, or less where few vertices are without links as it is


def with_known_degrees(graph: Graph, queries: Queries, seed: int) -> KnownDegrees:
    """Give ends of left-out links (q, 2) degrees that vertices have; the last numbers are the log degrees."""
    had = degrees_had(graph.degrees)
    less = graph.degrees[queries.ends] - 1
    share = had[less]
    isolated = less == 0
    known = np.where(isolated, share, 1.0)
    chance = np.random.default_rng((seed, 1)).random(share.shape)
    back = (chance >= share) & ~isolated
    if not back.any():
        return KnownDegrees(queries, known)
    own = np.log1p(graph.degrees[queries.ends]).astype(np.float32)
    statistics = queries.statistics.copy()
    i, j = (np.flatnonzero(end) for end in back.T)
    statistics[i, :, -2] = own[i, :1]
    statistics[j, 0, -1] = own[j, 1]
    return KnownDegrees(queries._replace(statistics=statistics), known)


def degrees_had(degrees: IntArray) -> FloatArray:
    """(largest + 1,) of each degree: 1 if there are enough vertices of about that degree, 0 if none.

    What is enough goes by how many vertices would have it if each of their links were left out in turn.
    """
    every = np.log1p(np.arange(int(degrees.max(initial=0)) + 1))
    log = np.log1p(degrees)
    near = NEAR * float(log.std()) + 1e-9
    there = _within(np.sort(log), every, near)
    coming = _within(np.sort(np.log1p(degrees[degrees > 0] - 1)), every, near)
    return np.minimum(1.0, there / np.maximum(ENOUGH * coming, 1.0))


def _within(values: FloatArray, centres: FloatArray, reach: float) -> IntArray:
    """How many of the sorted values are near each centre."""
    return np.asarray(
        np.searchsorted(values, centres + reach, "right") - np.searchsorted(values, centres - reach)
    )
