"""Links from any posterior: heads on five numbers of a pair, trained on every link as if it were not there.

A link that the joint itself holds, as an edge of its forest or of its graph, would tell itself: for a query
(i, j) the numbers of the answer *and of every candidate* are those of the joint without that edge, exactly
(`acvae.gaussian.left_out`), and both degrees are less by one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.exceptions import GraphError
from acvae.gaussian.graph.rows import DenseCovariance
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.links.fitting import fit_heads
from acvae.links.negatives import columns_of, draw_candidates
from acvae.links.queries import Queries
from acvae.links.ranking import LinkRanking
from acvae.links.statistics.posterior import PosteriorStatistics

__all__ = ["fit_links"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

QUERIES = 6000
HELD_BYTES = 300e6  # of rows, or of pairs, held at a time while statistics are gathered
MOST_AT_A_TIME = 100  # queries, after which there is word of how far it is


def fit_links(
    posterior: Posterior, graph: Graph, seed: int = 0, progress: Callable[[str, float], None] | None = None
) -> LinkRanking:
    """Scores and probabilities of links from a posterior, learnt from the graph it was fitted to.

    `progress` is told a stage ("leave-one-out", "head" or "probabilities") and the share of it that is done.
    """
    n = posterior.n_vertices
    if graph.n_vertices != n:
        raise GraphError(f"the graph has {graph.n_vertices} vertices, the posterior {n}.")
    if graph.n_edges == 0:
        raise GraphError("links are learnt from links, and the graph has none.")
    if graph.n_edges == n * (n - 1) // 2:
        raise GraphError("all pairs of vertices are linked, so there is nothing to tell links from.")
    statistics = PosteriorStatistics(posterior, graph.degrees)
    found = fit_heads(
        statistics,
        graph,
        partial(_gather, statistics, graph),
        np.random.default_rng(seed),
        queries=QUERIES,
        seed=seed,
        progress=progress or (lambda stage, share: None),
    )
    return LinkRanking(statistics, found.order, found.probability)


def _gather(
    statistics: PosteriorStatistics,
    graph: Graph,
    ends: IntArray,
    weight: FloatArray,
    rng: np.random.Generator,
    *,
    removed: bool,
    likest: sp.csr_array | None = None,
    progress: Callable[[float], None] | None = None,
) -> Queries:
    """Candidates of queries (q, 2) sorted by their first end, and their numbers: nearest, likest, uniform."""
    n, d = statistics.n_vertices, statistics.posterior.latent_dim
    count = 0 if likest is None else int(np.diff(likest.indptr).max(initial=0))
    columns = columns_of(removed=removed, alike=likest, likest=count)
    candidates = np.empty((len(ends), columns), dtype=np.int64)
    log_weight = np.empty((len(ends), columns), dtype=np.float32)
    out = np.empty((len(ends), columns, statistics.count), dtype=np.float32)
    at_once = max(1, int(min(HELD_BYTES / (16 * n), HELD_BYTES / (24 * columns * d), MOST_AT_A_TIME)))
    for first in range(0, len(ends), at_once):
        part = slice(first, first + at_once)
        at = np.unique(ends[part, 0])
        near = DenseCovariance(-statistics.posterior.distances(at))
        candidates[part], log_weight[part] = draw_candidates(
            ends[part], at, near, np.ones(n), graph.csr, rng, removed=removed, alike=likest, likest=count
        )
        out[part] = statistics.without(ends[part], candidates[part], removed=removed)
        if progress is not None:
            progress(min(1.0, (first + at_once) / len(ends)))
    return Queries(ends, weight, candidates, log_weight, out)
