"""Exact spanning-tree edge probabilities: the weights of a uniform mixture over all spanning forests.

By Kirchhoff's theorem the probability of an edge in a uniformly random spanning tree is its effective
resistance when every edge is a unit resistor, R_uv = G_uu + G_vv − 2·G_uv, with G the inverse of the
Laplacian without a grounded vertex. G is needed on edges only, so most of it is never computed: vertices of
small degree are eliminated as sparse Gaussian elimination would, the dense rest is inverted, and G on the
eliminated vertices' own edges is recovered backwards (Takahashi's equations).
"""

from contextlib import nullcontext
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.linalg.lapack as lapack
from threadpoolctl import threadpool_limits

from acvae._memory import available_memory
from acvae.exceptions import GraphError
from acvae.forests.two_core import two_core_edges
from acvae.graph import Graph

__all__ = ["spanning_tree_probabilities"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

LARGE_FOR_THREADS = 8_000
# Eliminating a vertex of degree k takes k² steps here and saves a row of the dense inverse: worth it while k
# is below this share of what is left.
DENSE_SHARE = 0.01
ALWAYS_ELIMINATE = 8
ENTRY_BYTES = 100  # of a conductance in a dictionary
# Elimination that takes this share of the memory, while what is left is still too large to be inverted, would
# go on to take all of it.
DICTIONARY_SHARE = 0.25


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
    ground = int(np.argmax(np.bincount(pairs.ravel())))  # of largest degree: best conditioned
    eliminated, rest = _eliminate(len(vertices), pairs, ground)
    green = _Green(len(vertices), ground, rest)
    for vertex in reversed(eliminated):
        green.restore(vertex)
    out = np.array([green.resistance(u, v) for u, v in pairs.tolist()])
    return np.clip(out, 0.0, 1.0)


class _Eliminated(NamedTuple):
    """A vertex taken out, with its neighbours at that time and the conductances to them."""

    vertex: int
    neighbours: list[int]
    conductance: FloatArray


def _eliminate(n: int, edges: IntArray, ground: int) -> tuple[list[_Eliminated], list[dict[int, float]]]:
    """Take out vertices of least degree, joining their neighbours as a star is replaced by a mesh.

    Resistances between the vertices that stay do not change. Returns what was taken out, in order, and the
    network that is left: for each vertex its neighbours with conductances.
    """
    room = available_memory()
    held = 2 * len(edges)  # conductances in dictionaries, those of taken vertices included
    _check_room(n, held, room, DICTIONARY_SHARE)
    around: list[dict[int, float]] = [{} for _ in range(n)]
    for u, v in edges.tolist():
        around[u][v] = around[v][u] = 1.0
    order: list[_Eliminated] = []
    queue = [(len(near), v) for v, near in enumerate(around) if v != ground]
    heapify(queue)
    left = n
    gone = np.zeros(n, dtype=bool)
    while queue:
        degree, v = heappop(queue)
        if gone[v] or degree != len(around[v]):
            continue  # an entry from before its degree changed
        if degree > max(ALWAYS_ELIMINATE, DENSE_SHARE * left):
            break
        near = around[v]
        total = sum(near.values())
        for a, conductance in near.items():
            others = around[a]
            held -= len(others)
            del others[v]
            share = conductance / total
            for b, c in near.items():
                if b != a:
                    others[b] = others.get(b, 0.0) + share * c
            held += len(others)
            if a != ground:
                heappush(queue, (len(others), a))
        order.append(_Eliminated(v, list(near), np.array(list(near.values()))))
        around[v] = {}
        gone[v] = True
        left -= 1
        _check_room(left, held, room, DICTIONARY_SHARE)
    _check_room(left, held, room, 0.0)
    return order, around


def _check_room(left: int, held: int, room: int | None, share: float) -> None:
    """Refuse a graph that would need more bytes than there are, before it takes them."""
    if room is None:
        return
    dictionaries, dense = ENTRY_BYTES * held, 8 * left**2
    if dictionaries + dense > room and dictionaries > share * room:
        raise GraphError(
            f"exact spanning-tree probabilities of this graph do not fit into the {room / 1e9:.1f} GB of "
            "memory that are free. Estimate them: sampled_spanning_tree_probabilities(graph), or for a CVAE "
            'edge_weights="sampled" (--edge-weights sampled).'
        )


class _Green:
    """Entries of G: all of them for the dense rest, and for a restored vertex those with its neighbours."""

    def __init__(self, n: int, ground: int, rest: list[dict[int, float]]) -> None:
        core = np.array([v for v in range(n) if v == ground or rest[v]])
        self._place = np.full(n, -1, dtype=np.int64)
        self._place[core] = np.arange(len(core))
        self._dense = _inverse(core, self._place, int(self._place[ground]), rest)
        self._diagonal = np.zeros(n)
        self._diagonal[core] = self._dense.diagonal()
        self._rows: dict[int, dict[int, float]] = {}  # restored vertex -> neighbour when eliminated -> G

    def restore(self, gone: _Eliminated) -> None:
        """G of an eliminated vertex v: G_vb = Σ_a p_a·G_ab and G_vv = 1/C + Σ_b p_b·G_vb, p = c/C."""
        near = gone.neighbours
        total = gone.conductance.sum()
        share = gone.conductance / total
        row = share @ self._block(near)
        self._rows[gone.vertex] = dict(zip(near, row.tolist(), strict=True))
        self._diagonal[gone.vertex] = 1 / total + share @ row

    def _block(self, vertices: list[int]) -> FloatArray:
        """G among vertices that are all joined to one another: in the rest, or restored."""
        ids = np.array(vertices)
        place = self._place[ids]
        inside = np.flatnonzero(place >= 0)
        block = np.empty((len(ids), len(ids)))
        block[np.ix_(inside, inside)] = self._dense[np.ix_(place[inside], place[inside])]
        for a in np.flatnonzero(place < 0).tolist():
            row = self._rows[vertices[a]]
            for b, other in enumerate(vertices):
                value = row.get(other)  # None if the other was eliminated first and holds the entry
                if value is not None:
                    block[a, b] = block[b, a] = value
            block[a, a] = self._diagonal[vertices[a]]
        return block

    def resistance(self, u: int, v: int) -> float:
        """R_uv = G_uu + G_vv − 2·G_uv of two joined vertices."""
        i, j = self._place[u], self._place[v]
        if i >= 0 and j >= 0:
            shared = self._dense[max(i, j), min(i, j)]
        else:
            found = self._rows.get(u, {}).get(v)
            shared = self._rows[v][u] if found is None else found
        return float(self._diagonal[u] + self._diagonal[v] - 2 * shared)


def _inverse(core: IntArray, place: IntArray, ground: int, rest: list[dict[int, float]]) -> FloatArray:
    """Inverse of the Laplacian of what is left, with zeros for the grounded vertex; symmetric, dense."""
    k = len(core)
    laplacian = np.zeros((k, k), order="F")
    for i, v in enumerate(core.tolist()):
        near = rest[v]
        if near:
            laplacian[place[list(near)], i] = [-c for c in near.values()]
            laplacian[i, i] = sum(near.values())
    # A unit diagonal for the grounded vertex, with nothing off it, leaves the rest of the inverse untouched.
    laplacian[ground, :] = laplacian[:, ground] = 0.0
    laplacian[ground, ground] = 1.0
    # OpenBLAS's threaded Cholesky overruns its buffers on matrices this large (its issue 2562).
    with threadpool_limits(1, user_api="blas") if k > LARGE_FOR_THREADS else nullcontext():
        factor, info = lapack.dpotrf(laplacian, lower=1, overwrite_a=1)
        if info == 0:
            factor, info = lapack.dpotri(factor, lower=1, overwrite_c=1)
    if info != 0:
        raise GraphError(f"the Laplacian of {k} vertices could not be inverted.")
    factor[ground, ground] = 0.0
    _mirror(factor)
    return np.asarray(factor)


def _mirror(lower: FloatArray, block: int = 1024) -> None:
    """Copy the lower triangle onto the upper one, in place and without a second matrix."""
    for start in range(0, len(lower), block):
        stop = start + block
        lower[start:stop, stop:] = lower[stop:, start:stop].T
        square = lower[start:stop, start:stop]
        square[:] = np.tril(square) + np.tril(square, -1).T
