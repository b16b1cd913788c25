"""Exact spanning-tree edge probabilities: the weights of a uniform mixture over all spanning forests."""

from contextlib import nullcontext

import numpy as np
import numpy.typing as npt
import scipy.linalg.lapack as lapack
from threadpoolctl import threadpool_limits

from acvae.exceptions import GraphError
from acvae.graph import Graph

__all__ = ["spanning_tree_probabilities"]

LARGE_FOR_THREADS = 8_000


def spanning_tree_probabilities(graph: Graph) -> npt.NDArray[np.float64]:
    """Probability of each edge in a uniformly random spanning forest of the graph.

    By Kirchhoff's theorem it equals the edge's effective resistance when every edge is a unit resistor.
    Vertices of degree one are peeled off first (their edges are in every forest); each component of what
    remains is solved exactly by one Cholesky inverse of its grounded Laplacian, in place.

    Returns
    -------
    float64 (m,), summing to n − (number of components).
    """
    if not isinstance(graph, Graph):
        raise GraphError(f"spanning_tree_probabilities needs an acvae.Graph, not {type(graph).__name__}.")
    probability = np.ones(graph.n_edges)
    core = np.flatnonzero(_two_core_edges(graph))
    if len(core) == 0:
        return probability
    inner = graph.with_edges(core)
    component = inner.components[inner.edges[:, 0]]
    by_component = np.argsort(component, kind="stable")
    for group in np.split(by_component, np.flatnonzero(np.diff(component[by_component])) + 1):
        probability[core[group]] = _resistances(inner.edges[group])
    return probability


def _two_core_edges(graph: Graph) -> npt.NDArray[np.bool_]:
    """Mask of the edges left after removing vertices of degree one again and again."""
    u, v = graph.edges.T
    alive = np.ones(graph.n_edges, dtype=bool)
    while True:
        degree = np.bincount(graph.edges[alive].ravel(), minlength=graph.n_vertices)
        keep = alive & (degree[u] > 1) & (degree[v] > 1)
        if keep.sum() == alive.sum():
            return alive
        alive = keep


def _resistances(edges: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Effective resistance of each edge of one connected graph: R_uv = G_uu + G_vv − 2·G_uv.

    G is the inverse of the Laplacian without the row and column of a grounded vertex.
    """
    vertices, local = np.unique(edges, return_inverse=True)
    u, v = local.reshape(-1, 2).T
    k = len(vertices)
    laplacian = np.zeros((k, k), order="F")
    laplacian[u, v] = laplacian[v, u] = -1.0
    laplacian[np.diag_indices(k)] = np.bincount(local.ravel(), minlength=k)
    # Grounding the vertex of largest degree keeps the matrix best conditioned. A unit diagonal in its place,
    # with nothing off it, leaves the rest of the inverse untouched and avoids a copy.
    ground = int(np.argmax(laplacian.diagonal()))
    laplacian[ground, :] = laplacian[:, ground] = 0.0
    laplacian[ground, ground] = 1.0
    # OpenBLAS's threaded Cholesky overruns its buffers on matrices this large (its issue 2562).
    with threadpool_limits(1, user_api="blas") if k > LARGE_FOR_THREADS else nullcontext():
        factor, info = lapack.dpotrf(laplacian, lower=1, overwrite_a=1)
        if info == 0:
            factor, info = lapack.dpotri(factor, lower=1, overwrite_c=1)
    if info != 0:
        raise GraphError(f"the Laplacian of a component of {k} vertices could not be inverted.")
    diagonal = factor.diagonal().copy()
    diagonal[ground] = 0.0
    low, high = np.minimum(u, v), np.maximum(u, v)
    joint = np.where((u == ground) | (v == ground), 0.0, factor[high, low])
    return np.clip(diagonal[u] + diagonal[v] - 2 * joint, 0.0, 1.0)
