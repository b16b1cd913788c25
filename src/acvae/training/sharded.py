"""Work that processes share, with the result that one process alone would have."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae import metrics
from acvae.forests.weights import ForestPart, merge_forests, part_forest
from acvae.graph import Graph
from acvae.posterior import Posterior
from acvae.training.distributed import World

__all__ = ["link_scores", "shared_forest"]

FloatArray = npt.NDArray[np.float64]


def shared_forest(
    world: World, graph: Graph, weights: FloatArray, ties: FloatArray | None = None, *, maximum: bool
) -> tuple[npt.NDArray[np.bool_], float]:
    """The best spanning forest (m,) of a graph, and its total weight.

    `weights` and `ties` are those of the process's own share of the edges. Each process finds the forest of
    its share, and only forests travel: fewer than n edges from each process, whatever m is.
    """

    def merge(a: ForestPart, b: ForestPart) -> ForestPart:
        return merge_forests(graph, a, b, maximum=maximum)

    own = part_forest(graph, world.share(graph.n_edges).own, weights, ties, maximum=maximum)
    found = world.combine(own, merge)
    mask = np.zeros(graph.n_edges, dtype=np.bool_)
    mask[found.edges] = True
    return mask, float(found.weights.sum())


def link_scores(
    world: World, posterior: Posterior, train: Graph, test: Graph, k: int = 10
) -> metrics.LinkScores:
    """`metrics.evaluate`, each process ranking the links of a part of the rows; the same scores in all."""
    if world.size == 1:
        return metrics.evaluate(posterior, train, test, k)
    ranks = metrics.link_ranks(posterior, train, test, part=(world.rank, world.size))
    # A rank is zero where another process has the row, so that the sum has them all.
    whole = ranks._replace(train_rank=world.total(ranks.train_rank), test_rank=world.total(ranks.test_rank))
    return metrics.scores(whole, k)
