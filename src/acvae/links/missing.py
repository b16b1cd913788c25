"""How many links a graph lacks, and where: what heads are trained for.

No graph tells how many of its links are missing. Assumed is that it is what `split_edges` has left: every
vertex lacks one of its links, or 5 % of them, rounded up, where these are more, and what other vertices hid.
A vertex that had D links kept each with probability (1 − q)·(1 − q′), q = ⌈0.05·D⌉/D, q′ its neighbours'; so
of the d that are left, D is told (`whole_degrees`), and how many are missing at each vertex.

The probabilities are learnt from known links that stand for the missing ones. Each is left out, so its ends
have a link less; weights are such that at the ends of each degree there are as many missing links as there
are at the vertices of that degree (`missing_weights`).

The order is learnt from known links that are weighted to look like missing ones, by both degrees: links are
hidden again, as often as it takes to count them, and the weight is the square root of how much more often a
hidden link has such ends than a left-out one; the whole of it would let a few links count for most. This
allows for what odds do not: how many vertices have lost all their links, and that vertices of few links need
not be preferred because links are hidden there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.graph import Graph
from acvae.splits import split_edges

__all__ = ["like_missing", "missing_links", "missing_weights", "whole_degrees"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

SHARE = 0.05
TIMES = 4.0  # as many missing links as known ones at most; of vertices without links little is known
STEADY = 30  # steps of the fixed point, each halfway
MOST_RATIO = 10.0  # of what is wanted at a degree to what there is
ROUNDS, COUNTED, LEAST = 3, 1_000_000, 5.0  # how often links are hidden, up to so many; counts added to all
BINS = 13  # of degrees, each twice as wide as the one before


def whole_degrees(graph: Graph) -> FloatArray:
    """(n,) how many links each vertex is taken to have, those that are missing among them: one or more."""
    degrees = graph.degrees.astype(np.float64)
    linked = degrees > 0
    whole = degrees + 1
    if not linked.any():
        return whole
    table = graph.to_scipy()
    table = sp.csr_array((np.ones(table.nnz), table.indices, table.indptr), shape=table.shape)
    for _ in range(STEADY):
        kept = 1 - _hidden(whole)
        kept_by_others = table @ kept / np.maximum(degrees, 1)
        found = np.where(linked, degrees / np.maximum(kept * kept_by_others, 1e-3), 1.0)
        whole = np.maximum((whole + found) / 2, degrees + linked)
    return np.asarray(whole)


def missing_links(graph: Graph) -> float:
    """How many links the graph is taken to lack; at most four times as many as it has."""
    return min(TIMES * graph.n_edges, float((whole_degrees(graph) - graph.degrees).sum()) / 2)


def missing_weights(graph: Graph, ends: IntArray, weight: FloatArray) -> FloatArray:
    """(q,) how many missing links, either way, each of some directed edges (q, 2) stands for.

    `weight` (q,) is how many of the graph's it stands for. They begin as the odds of being missing.
    """
    whole = whole_degrees(graph)
    kept = 1 - _hidden(whole[ends])
    chance = 1 - kept[:, 0] * kept[:, 1]
    total = 2 * missing_links(graph)
    odds = weight * chance / (1 - chance)
    odds = odds * (total / odds.sum())
    degrees = graph.degrees
    wanted = np.bincount(_bin(degrees), whole - degrees, BINS)
    i, j = _bin(degrees[ends] - 1).T
    now = (np.bincount(i, odds, BINS) + np.bincount(j, odds, BINS)) / 2
    ratio = np.ones(BINS)
    there = (now > 0) & (wanted > 0)
    ratio[there] = (wanted[there] / wanted[there].sum()) / (now[there] / now[there].sum())
    ratio = np.clip(ratio, 1 / MOST_RATIO, MOST_RATIO)
    found = odds * np.sqrt(ratio[i] * ratio[j])
    return np.asarray(found * (total / found.sum()), dtype=np.float64)


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


def _hidden(whole: FloatArray) -> FloatArray:
    """The share of its links that a vertex of so many hides itself."""
    return np.asarray(np.ceil(SHARE * whole - 1e-9) / whole)
