"""Edge splits: which links are hidden from training and have to be predicted."""

from typing import NamedTuple

import numpy as np

from acvae._util.checks import real_number, seed_number
from acvae.exceptions import GraphError
from acvae.graph import Graph

__all__ = ["EdgeSplit", "split_edges"]


class EdgeSplit(NamedTuple):
    """Train and test graphs on the same vertices; their edges together are the original graph's."""

    train: Graph
    test: Graph
    seed: int
    fraction: float


def split_edges(graph: Graph, seed: int = 0, fraction: float = 0.05) -> EdgeSplit:
    """Split the edges as the paper does: every vertex gives ⌈fraction·degree⌉ of its edges to the test set.

    A vertex gives at least one of its edges, chosen at random, and an edge chosen by either end is a test
    edge; so a vertex of degree one always loses its only edge, and far more than `fraction` of all edges
    are held out (about a quarter on citation graphs). Where every edge has an end of degree one, as on a star
    or in a matching, none is left to train on.
    """
    if not isinstance(graph, Graph):
        raise GraphError(f"split_edges needs an acvae.Graph, not {type(graph).__name__}.")
    fraction = real_number("fraction", fraction, above=0, at_most=1)
    seed = seed_number("seed", seed)
    m = graph.n_edges
    ends = graph.edges.T.ravel()  # edge e is offered by its first end at e and by its second at m + e
    order = np.lexsort((np.random.default_rng(seed).random(2 * m), ends))
    first = np.concatenate([[0], np.cumsum(graph.degrees)])[:-1]
    rank = np.arange(2 * m) - first[ends[order]]  # place of the offer in its vertex's random order
    # 0.07·100 is 7.000000000000001 in floating point, which must not round up to 8.
    quota = np.maximum(np.ceil(fraction * graph.degrees - 1e-9), np.minimum(graph.degrees, 1))
    held_out = np.zeros(m, dtype=bool)
    held_out[order[rank < quota[ends[order]]] % m if m else order] = True
    return EdgeSplit(graph.with_edges(~held_out), graph.with_edges(held_out), seed, fraction)
