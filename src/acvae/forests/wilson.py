"""Spanning-tree edge probabilities estimated from uniformly random spanning forests, for large graphs.

Wilson's algorithm (1996) draws a forest, every vertex pointing towards the root of its component: walk at
random until the forest is hit, and keep the walk without its loops. Pointers that form no cycle are all
equally likely; so, given where all other vertices point, vertex v points to each of the k_v neighbours that
are not among its own descendants with probability 1/k_v. Each forest therefore tells of every edge, not only
of its own, and for edge (u, v) the mean over forests of

    [v is no descendant of u] / k_u + [u is no descendant of v] / k_v

is unbiased and varies less than the share of forests with the edge (Rao and Blackwell). It lies above 0 and
is at most 1, is exactly 1 for an edge on no cycle, and adds up to n − (number of components).
"""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.adjacency import neighbour_lists
from acvae._util.checks import seed_number, whole_number
from acvae._util.seeds import stream_seed
from acvae._util.threads import n_threads, over_ranges
from acvae.exceptions import GraphError
from acvae.forests.two_core import two_core_edges
from acvae.graph import Graph

__all__ = ["SampledProbabilities", "sampled_spanning_tree_probabilities"]

BATCH_BYTES = 2**26  # of drawn forests that wait to be counted
MOST_TREES = 10**8
RECORD = 3  # numbers kept of a vertex in a forest: its place, that of its last descendant, and k
THREAD_EDGES = 20_000  # fewer are counted by one thread

FloatArray = npt.NDArray[np.float64]


class SampledProbabilities(NamedTuple):
    """An estimate and its standard error, both (m,)."""

    probabilities: FloatArray
    standard_error: FloatArray


def sampled_spanning_tree_probabilities(
    graph: Graph, n_trees: int = 100, seed: int = 0
) -> SampledProbabilities:
    """Probability of each edge in a uniformly random spanning forest, estimated from sampled ones.

    For graphs that are too large for `spanning_tree_probabilities`. Time grows with the number of edges and
    with the steps of a random walk to a vertex of largest degree: few where the graph is well connected, many
    along chains of thousands of vertices without branches. The same seed gives the same numbers, whatever
    the number of threads.

    Parameters
    ----------
    graph
        Any graph.
    n_trees
        Number of sampled forests, at least 2. The standard error falls with its square root.
    seed
        Fixes what is random.

    Returns
    -------
    `probabilities`, unbiased, in (0, 1] and summing to n − (number of components); and `standard_error`, from
    the spread among the forests. An edge on no cycle has probability 1 and standard error 0. On any other
    edge a standard error of 0 says that these forests agreed, and that more are needed to see a difference.
    """
    if not isinstance(graph, Graph):
        raise GraphError(
            f"sampled_spanning_tree_probabilities needs an acvae.Graph, not {type(graph).__name__}."
        )
    n_trees = whole_number("n_trees", n_trees, minimum=2, maximum=MOST_TREES)
    seed = seed_number("seed", seed)
    probability, error = np.ones(graph.n_edges), np.zeros(graph.n_edges)
    inner = np.flatnonzero(two_core_edges(graph.n_vertices, graph.edges))
    if len(inner):
        core = np.zeros(graph.n_vertices, dtype=np.bool_)
        core[graph.edges[inner]] = True
        pairs = (np.cumsum(core) - 1)[graph.edges[inner]]  # vertices numbered anew
        mean, square = _moments(int(core.sum()), pairs, n_trees, seed)
        variance = np.maximum(square - mean * mean, 0.0) / (n_trees - 1)  # of the mean
        probability[inner], error[inner] = mean, np.sqrt(variance)
    return SampledProbabilities(probability, error)


def _moments(n: int, edges: npt.NDArray[np.int64], n_trees: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Means, over sampled forests, of each edge's probability given the others and of its square."""
    indptr, neighbours = neighbour_lists(n, edges, narrow=True)
    root = _roots(indptr, neighbours)
    sequence = np.random.SeedSequence(stream_seed(seed, "spanning trees"))
    seeds = sequence.generate_state(n_trees, np.uint64)
    threads = n_threads()
    batch = threads * max(1, BATCH_BYTES // (4 * RECORD * n * threads))
    total, squares = np.zeros(len(edges)), np.zeros(len(edges))
    for start in range(0, n_trees, batch):
        some = seeds[start : start + batch]
        records = np.empty((n, len(some), RECORD), dtype=np.int32)

        def draw(first: int, last: int, some: Any = some, records: Any = records) -> None:
            for tree in range(first, last):
                parent = draw_forest(indptr, neighbours, root, some[tree])
                _describe(indptr, neighbours, parent, records[:, tree])

        def count(first: int, last: int, records: Any = records) -> None:
            _add(edges[first:last], records, total[first:last], squares[first:last])

        over_ranges(draw, len(some))
        over_ranges(count, len(edges), at_least=THREAD_EDGES)
    return total / n_trees, squares / n_trees


def _roots(indptr: npt.NDArray[Any], neighbours: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Mask (n,) with a vertex of largest degree in each component: the one that walks hit soonest."""
    n = len(indptr) - 1
    matrix = sp.csr_array((np.ones(len(neighbours), dtype=np.int8), neighbours, indptr), shape=(n, n))
    component = sp.csgraph.connected_components(matrix, directed=False)[1]
    order = np.lexsort((-np.diff(indptr), component))
    first = np.flatnonzero(np.diff(component[order], prepend=-1))
    root = np.zeros(n, dtype=np.bool_)
    root[order[first]] = True
    return root


@numba.njit(cache=True, nogil=True)
def draw_forest(indptr: Any, neighbours: Any, root: Any, seed: Any) -> Any:
    """(n,) where each vertex points in a uniformly random spanning forest with these roots; roots to −1."""
    n = len(root)
    parent = np.full(n, -1, dtype=np.int32)
    done = root.copy()
    state = np.uint64(seed)
    for start in range(n):
        v = start
        while not done[v]:
            first = indptr[v]
            pick, state = _below(indptr[v + 1] - first, state)
            parent[v] = neighbours[first + pick]  # overwrites the way out of a loop
            v = parent[v]
        v = start
        while not done[v]:
            done[v] = True
            v = parent[v]
    return parent


@numba.njit(cache=True, nogil=True)
def _below(count: Any, state: Any) -> Any:
    """A uniformly random whole number below `count`, without bias (Lemire, 2019), and the next state."""
    bound = np.uint64(count)
    low = np.uint64(0xFFFFFFFF)
    while True:
        # splitmix64 (Steele, Lea and Flood, 2014)
        state += np.uint64(0x9E3779B97F4A7C15)
        bits = state
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(31)
        product = (bits >> np.uint64(32)) * bound
        if (product & low) >= bound or (product & low) >= (low + np.uint64(1)) % bound:
            return np.int64(product >> np.uint64(32)), state


@numba.njit(cache=True, nogil=True)
def _describe(indptr: Any, neighbours: Any, parent: Any, record: Any) -> None:
    """Write each vertex's place in a depth-first order, its last descendant's place, and k.

    A root has no k, and 1 stands for it: all its neighbours are descendants, so that it is never used.
    """
    n = len(parent)
    waiting = np.zeros(n, dtype=np.int32)  # children not yet counted
    size = np.ones(n, dtype=np.int32)
    for v in range(n):
        if parent[v] >= 0:
            waiting[parent[v]] += 1
    upwards = np.empty(n, dtype=np.int32)  # children before parents
    filled = 0
    for start in range(n):
        v = start
        # −1 marks what is in the order: a childless vertex, and then each parent that waited for it alone.
        while v >= 0 and waiting[v] == 0:
            waiting[v] = -1
            upwards[filled] = v
            filled += 1
            v = parent[v]
            if v >= 0:
                size[v] += size[upwards[filled - 1]]
                waiting[v] -= 1
    free = 0  # next place for a root
    beside = np.empty(n, dtype=np.int32)  # next place for a child
    for i in range(n - 1, -1, -1):
        v = upwards[i]
        above = parent[v]
        if above < 0:
            place = free
            free += size[v]
        else:
            place = beside[above]
            beside[above] += size[v]
        beside[v] = place + 1
        record[v, 0] = place
        record[v, 1] = place + size[v] - 1
    for v in range(n):
        first, last = record[v, 0], record[v, 1]
        outside = indptr[v + 1] - indptr[v]
        if parent[v] < 0:
            outside = 1
        elif last > first:
            for w in neighbours[indptr[v] : indptr[v + 1]]:
                outside -= first < record[w, 0] <= last
        record[v, 2] = outside


@numba.njit(cache=True, nogil=True, error_model="numpy")  # no check for a division by 0
def _add(edges: Any, records: Any, total: Any, squares: Any) -> None:
    """Add each forest's conditional probability of each edge, and its square, forest by forest."""
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        sum_, sum_of_squares = total[e], squares[e]
        for tree in range(records.shape[1]):
            at_u, at_v = records[u, tree, 0], records[v, tree, 0]
            above = at_u < at_v <= records[u, tree, 1]
            below = at_v < at_u <= records[v, tree, 1]
            value = (0.0 if above else 1 / records[u, tree, 2]) + (0.0 if below else 1 / records[v, tree, 2])
            sum_ += value
            sum_of_squares += value * value
        total[e], squares[e] = sum_, sum_of_squares
