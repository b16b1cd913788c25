"""Exact spanning-tree edge probabilities: the weights of a uniform mixture over all spanning forests.

By Kirchhoff's theorem the probability of an edge in a uniformly random spanning tree is its effective
resistance when every edge is a unit resistor, R_uv = G_uu + G_vv − 2·G_uv, with G the inverse of the
Laplacian without a grounded vertex. G is needed on edges only, so most of it is never computed: that is what
`acvae.forests.elimination` gives of an inverse.
"""

import numpy as np
import numpy.typing as npt

from acvae._util.options import setting
from acvae._util.progress import expect
from acvae.exceptions import GraphError, ResistanceMemoryError
from acvae.forests.elimination import TooLargeError, eliminate, factorise, seconds_for
from acvae.forests.two_core import two_core_edges
from acvae.graph import Graph

__all__ = ["spanning_tree_probabilities"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def spanning_tree_probabilities(graph: Graph) -> FloatArray:
    """Probability of each edge in a uniformly random spanning forest of the graph, exact.

    A graph whose dense core does not fit into memory is refused; `sampled_spanning_tree_probabilities`
    estimates the same.

    Returns
    -------
    float64 (m,), summing to n − (number of components); an edge on no cycle has probability 1.
    """
    if not isinstance(graph, Graph):
        raise GraphError(f"spanning_tree_probabilities needs an acvae.Graph, not {type(graph).__name__}.")
    probability = np.ones(graph.n_edges)
    core = np.flatnonzero(two_core_edges(graph.n_vertices, graph.edges))
    if len(core) == 0:
        return probability
    inner = graph.with_edges(core)
    component = inner.components[inner.edges[:, 0]]
    by_component = np.argsort(component, kind="stable")
    for group in np.split(by_component, np.flatnonzero(np.diff(component[by_component])) + 1):
        probability[core[group]] = _resistances(inner.edges[group])
    return probability


def _resistances(edges: IntArray) -> FloatArray:
    """Effective resistance of each edge of one connected graph."""
    vertices, local = np.unique(edges, return_inverse=True)
    pairs = local.reshape(-1, 2)
    degree = np.bincount(pairs.ravel())
    ground = int(np.argmax(degree))  # of largest degree: best conditioned
    inside = (pairs != ground).all(axis=1)
    inner = pairs[inside] - (pairs[inside] > ground)  # numbered without it
    try:
        order = eliminate(len(vertices) - 1, inner, matrices=2)
    except TooLargeError as error:
        raise ResistanceMemoryError(
            f"exact spanning-tree probabilities of this graph do not fit into the {error.free / 1e9:.1f} GB "
            "of memory that are free. Estimate them: sampled_spanning_tree_probabilities(graph), or for a "
            f"CVAE {setting('edge_weights', 'sampled')}."
        ) from None
    expect(seconds_for(order.core_size))
    green = factorise(order, inner, np.full(len(inner), -1.0), np.delete(degree, ground).astype(np.float64))
    own = np.insert(green.variance[order.position], ground, 0.0)  # G is zero at the ground
    shared = np.zeros(len(pairs))
    shared[inside] = green.along
    return np.clip(own[pairs].sum(axis=1) - 2 * shared, 0.0, 1.0)
