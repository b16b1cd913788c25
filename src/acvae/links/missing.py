"""How many links a graph lacks, and where: what heads are trained for.

No graph tells how many of its links are missing. Assumed is what `split_edges` does: every vertex lacks one
of its links, or 5 % of them, rounded up, where these are more. A link of vertices with d_i and d_j links is
then missing with probability 1 − (1 − q_i)·(1 − q_j), q = ⌈0.05·d⌉/d. The known links of a graph stand for
the missing ones if each is weighted by its odds of being missing, at the degrees that its ends have in the
whole: a vertex that has d links left, the one in question among them, hid one itself, and others hid some
with it. That is what probabilities are relative to.

The order is learnt from known links that are weighted to look like missing ones, by both degrees: links are
hidden again, as often as it takes to count them, and the weight is the square root of how much more often a
hidden link has such ends than a left-out one; the whole of it would let a few links count for most. This
allows for what odds do not: how many vertices have lost all their links, and that vertices of few links need
not be preferred because links are hidden there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.graph import Graph
from acvae.splits import split_edges

__all__ = ["like_missing", "missing_links", "missing_weights"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

SHARE = 0.05
HIDDEN_AT_AN_END = 1.5  # its own one, and about half of one that the other ends hide
ROUNDS, COUNTED, LEAST = 3, 1_000_000, 5.0  # how often links are hidden, up to so many; counts added to all
BINS = 13  # of degrees, each twice as wide as the one before
MOST = 0.5  # of all links; without it, nothing would be known of a graph of pairs


def missing_links(graph: Graph) -> float:
    """How many links the graph is taken to lack; at most as many as it has."""
    if graph.n_edges == 0:
        return 0.0
    share = min(MOST, float(_chance(graph.degrees[graph.edges].astype(np.float64)).mean()))
    return graph.n_edges * share / (1 - share)


def missing_weights(graph: Graph, ends: IntArray, weight: FloatArray) -> FloatArray:
    """(q,) how many missing links, either way, each of some directed edges (q, 2) stands for.

    `weight` (q,) is how many of the graph's it stands for.
    """
    chance = _chance(graph.degrees[ends].astype(np.float64) + HIDDEN_AT_AN_END)
    odds = weight * chance / (1 - chance)
    return np.asarray(odds * (2 * missing_links(graph) / odds.sum()), dtype=np.float64)


def like_missing(graph: Graph, ends: IntArray, weight: FloatArray, seed: int) -> FloatArray:
    """(q,) weights that bring directed edges (q, 2), each left out, closer to missing links by their degrees.

    `weight` (q,) is how many of the graph's each stands for.
    """
    counts = [np.full((BINS, BINS), LEAST), np.full((BINS, BINS), LEAST)]
    for again in range(ROUNDS):
        train, test, *_ = split_edges(graph, seed + again)
        left_out = train.degrees[train.edges] - 1
        for count, degrees in zip(counts, (train.degrees[test.edges], left_out), strict=True):
            i, j = _bin(degrees).T
            np.add.at(count, (np.concatenate([i, j]), np.concatenate([j, i])), 1.0)
        if counts[1].sum() > COUNTED or train.n_edges == 0:
            break
    hidden, known = (count / count.sum() for count in counts)
    i, j = _bin(graph.degrees[ends] - 1).T
    return np.asarray(weight * np.sqrt((hidden / known)[i, j]), dtype=np.float64)


def _bin(degrees: IntArray) -> IntArray:
    """Zero, one, two or three, four to seven, and so on."""
    return np.minimum(np.ceil(np.log2(degrees + 1.0)).astype(np.int64), BINS - 1)


def _chance(degrees: FloatArray) -> FloatArray:
    """(m,) of being missing, of links whose ends (m, 2) have these degrees."""
    kept = 1 - np.ceil(SHARE * degrees - 1e-9) / degrees  # as in `split_edges`
    return np.asarray(1 - kept[:, 0] * kept[:, 1], dtype=np.float64)
