"""How many links a graph lacks, and where: what probabilities of links are relative to.

No graph tells how many of its links are missing. Assumed is what `split_edges` does: every vertex lacks one
of its links, or 5 % of them, rounded up, where these are more. A link of vertices with d_i and d_j links is
then missing with probability 1 − (1 − q_i)·(1 − q_j), q = ⌈0.05·d⌉/d. The known links of a graph stand for
the missing ones if each is weighted by its odds of being missing, at the degrees that its ends have in the
whole: a vertex that has d links left, the one in question among them, hid one itself, and others hid some
with it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.graph import Graph

__all__ = ["missing_links", "missing_weights"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

SHARE = 0.05
HIDDEN_AT_AN_END = 1.5  # its own one, and about half of one that the other ends hide
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


def _chance(degrees: FloatArray) -> FloatArray:
    """(m,) of being missing, of links whose ends (m, 2) have these degrees."""
    kept = 1 - np.ceil(SHARE * degrees - 1e-9) / degrees  # as in `split_edges`
    return np.asarray(1 - kept[:, 0] * kept[:, 1], dtype=np.float64)
