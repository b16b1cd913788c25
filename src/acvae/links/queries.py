"""What a head is trained on: links asked for as if they were not known, and pairs that are no links.

A query (i, j) is a directed edge, taken with probability π = min(1, λ/degree of i). Its candidates are j
itself and negatives (`negatives`), none of them neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.graph import Graph
from acvae.links.negatives import LIKEST, columns_of, draw_candidates
from acvae.links.statistics.graph import GraphStatistics

__all__ = ["Queries", "edge_ids", "gather", "sample_edges"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

ROW_BYTES = 500e6  # of rows of K held at a time


class Queries(NamedTuple):
    """q queries with c candidates each."""

    ends: IntArray  # (q, 2); both ends the same where no edge is taken away
    weight: FloatArray  # (q,) how many of the population each stands for
    candidates: IntArray  # (q, c); the first is the answer, if there is one
    log_weight: Array  # (q, c); −∞ where there are fewer
    statistics: Array  # (q, c, F)

    def part(self, chosen: npt.NDArray[np.bool_]) -> Queries:
        """Those of a mask (q,)."""
        ends, weight, candidates, log_weight, statistics = self
        return Queries(
            ends[chosen], weight[chosen], candidates[chosen], log_weight[chosen], statistics[chosen]
        )


def sample_edges(graph: Graph, size: int, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    """About `size` directed edges (q, 2), by rare sources first, and 1/π (q,) of each."""
    pointer, neighbours = graph.csr
    degree = np.diff(pointer)
    source = np.repeat(np.arange(graph.n_vertices), degree)
    share = _shares(degree[degree > 0], size)
    chance = np.minimum(1.0, share / degree[source])
    taken = np.flatnonzero(rng.random(len(source)) < chance)
    return np.stack([source[taken], neighbours[taken]], axis=1), 1 / chance[taken]


def _shares(degree: IntArray, size: int) -> float:
    """λ with Σ min(degree, λ) = size, or the largest degree."""
    low, high = 0.0, float(degree.max(initial=1))
    if degree.sum() <= size:
        return high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(degree, middle).sum() < size else (low, middle)
    return high


def gather(
    statistics: GraphStatistics,
    graph: Graph,
    ends: IntArray,
    weight: FloatArray,
    rng: np.random.Generator,
    *,
    removed: bool,
    likest: sp.csr_array | None = None,
    progress: Callable[[float], None] | None = None,
) -> Queries:
    """Candidates and their statistics of queries (q, 2) sorted by their first end.

    With `removed` each is asked without its edge, else as all is. All entries in a row of the table (n, n) of
    `likest` are candidates, or the likest by evidence. `progress` is told the share that is done.
    """
    linked = graph.csr
    alike = statistics.alike if likest is None else likest
    count = LIKEST if likest is None else int(np.diff(likest.indptr).max(initial=0))
    columns = columns_of(removed=removed, alike=alike, likest=count)
    candidates = np.empty((len(ends), columns), dtype=np.int64)
    log_weight = np.empty((len(ends), columns), dtype=np.float32)
    out = np.empty((len(ends), columns, statistics.count), dtype=np.float32)
    edge = edge_ids(graph, ends) if removed else None
    first = statistics.scales[0].gaussian
    std = np.sqrt(first.variance)
    for part in _parts(ends, first.row_bytes):
        own = ends[part]
        at = np.unique(own)
        rows = first.some_rows(at)
        candidates[part], log_weight[part] = draw_candidates(
            own, at, rows, std, linked, rng, removed=removed, alike=alike, likest=count
        )
        taken = None if edge is None else edge[part]
        out[part] = statistics.without(at, rows, own, taken, candidates[part])
        if progress is not None:
            progress(part.stop / len(ends))
    return Queries(ends, weight, candidates, log_weight, out)


def edge_ids(graph: Graph, ends: IntArray) -> IntArray:
    """(q,) which of the graph's edges each of the directed ones (q, 2) is."""
    n = graph.n_vertices
    low, high = np.sort(ends, axis=1).T
    return np.searchsorted(graph.edges[:, 0] * n + graph.edges[:, 1], low * n + high)


def _parts(ends: IntArray, row_bytes: int) -> Iterator[slice]:
    """Ranges of queries whose rows fit the memory."""
    at_once = max(2, int(ROW_BYTES / row_bytes))
    if max(len(ends), len(np.unique(ends))) <= at_once:
        yield slice(0, len(ends))
        return
    for first in range(0, len(ends), at_once // 2):
        yield slice(first, min(first + at_once // 2, len(ends)))
