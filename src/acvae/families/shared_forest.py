"""The best spanning forest of a graph whose edges are shared among processes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.engine.distributed import World
from acvae.forests.weights import ForestPart, merge_forests, part_forest
from acvae.graph import Graph

__all__ = ["shared_forest"]

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
