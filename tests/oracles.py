"""Slow and plain versions of what the package computes fast: enumeration, dense inverses, double loops."""

import tracemalloc
from itertools import combinations

import numpy as np


def component_labels(n, edges):
    """(n,) component of every vertex, by relabelling one side of each edge that joins two components."""
    label = list(range(n))
    for u, v in edges:
        if label[u] != label[v]:
            old, new = label[u], label[v]
            label = [new if x == old else x for x in label]
    return np.unique(label, return_inverse=True)[1]


def count_components(n, edges):
    return len(np.unique(component_labels(n, edges)))


def all_spanning_forests(n, edges):
    """Every set of edge numbers that is a maximal acyclic subgraph, by trying all sets of the right size."""
    trees = count_components(n, edges)
    return [
        chosen
        for chosen in combinations(range(len(edges)), n - trees)
        if count_components(n, [edges[e] for e in chosen]) == trees
    ]


def random_graph_edges(rng, n, m):
    """(≤ m, 2) distinct edges u < v."""
    pairs = np.array(list(combinations(range(n), 2)))
    return pairs[np.sort(rng.choice(len(pairs), size=min(m, len(pairs)), replace=False))]


def forest_edges(shape, n, rng):
    """Edges of a forest on n vertices with shuffled ids, directions and edge order."""
    if shape == "path":
        edges = [(i, i + 1) for i in range(n - 1)]
    elif shape == "star":
        edges = [(0, i) for i in range(1, n)]
    elif shape == "caterpillar":
        spine = (n + 1) // 2
        edges = [(i, i + 1) for i in range(spine - 1)] + [(i - spine, i) for i in range(spine, n)]
    elif shape == "binary":
        edges = [((i - 1) // 2, i) for i in range(1, n)]
    elif shape == "random":
        edges = [(int(rng.integers(i)), i) for i in range(1, n)]
    elif shape == "many trees":  # about a tenth of the edges is missing
        edges = [(int(rng.integers(max(0, i - 20), i)), i) for i in range(1, n) if rng.random() > 0.1]
    elif shape == "pairs":
        edges = [(i, i + 1) for i in range(0, n - 1, 2)]
    elif shape == "two halves":
        half = n // 2
        edges = [(i, i + 1) for i in range(half - 1)] + [(half, i) for i in range(half + 1, n)]
    elif shape == "isolated":
        edges = []
    else:
        raise ValueError(shape)
    pairs = rng.permutation(n)[np.array(edges, dtype=np.int64).reshape(-1, 2)]
    pairs = pairs[rng.permutation(len(pairs))]
    flip = rng.random(len(pairs)) < 0.5
    pairs[flip] = pairs[flip][:, ::-1]
    return pairs


SHAPES = ["path", "star", "caterpillar", "binary", "random", "many trees", "pairs", "two halves", "isolated"]
NASTY_CORRELATIONS = np.array([0.0, 1e-8, -1e-8, 1 - 1e-6, -(1 - 1e-6)])


def random_correlations(rng, m, d, nasty=0.0):
    """(m, d) correlations in (-0.99, 0.99), a share of them replaced by zero, near-zero and near-one ones."""
    rho = rng.uniform(-0.99, 0.99, size=(m, d))
    return np.where(rng.random((m, d)) < nasty, rng.choice(NASTY_CORRELATIONS, size=(m, d)), rho)


def forest_gaussian(shape, n, d=3, *, seed=0, nasty=0.3, dtype=np.float64):
    """Edges, correlations (m, d), means and standard deviations (n, d) of a random Gaussian on a forest."""
    rng = np.random.default_rng(seed)
    edges = forest_edges(shape, n, rng)
    rho = random_correlations(rng, len(edges), d, nasty).astype(dtype)
    mean, std = rng.normal(size=(n, d)).astype(dtype), rng.uniform(0.1, 2, size=(n, d)).astype(dtype)
    return edges, rho, mean, std


def dense_precision(n, edges, rho):
    """(n, n) joint precision in one standardised dimension: I + Σ_e [[ρ², −ρ], [−ρ, ρ²]] / (1 − ρ²).

    In extended precision, since its condition is about 1e8 at the largest correlations.
    """
    precision = np.eye(n, dtype=np.longdouble)
    for (u, v), r in zip(edges, np.asarray(rho).astype(np.longdouble), strict=True):
        left = (1 - r) * (1 + r)
        precision[u, u] += r * r / left
        precision[v, v] += r * r / left
        precision[u, v] -= r / left
        precision[v, u] -= r / left
    return precision


def invert(matrix):
    """Inverse of a positive definite matrix by Gauss-Jordan elimination, in the matrix's own precision."""
    n = len(matrix)
    work = np.concatenate([matrix, np.eye(n, dtype=matrix.dtype)], axis=1)
    for k in range(n):
        work[k] /= work[k, k]
        factor = work[:, k].copy()
        factor[k] = 0
        work -= factor[:, None] * work[k]
    return work[:, n:]


def dense_correlation(n, edges, rho):
    """(n, n, d) correlations of all pairs: the inverse of the dense joint precision, per dimension."""
    planes = [invert(dense_precision(n, edges, rho[:, k])) for k in range(rho.shape[1])]
    return np.stack(planes, axis=2).astype(np.float64)


def dense_distances(mean, std, correlation):
    """(n, n) expected squared distances, term by term as in the paper."""
    gap = mean[:, None] - mean[None]
    product = std[:, None] * std[None]
    return (gap**2 + std[:, None] ** 2 + std[None] ** 2 - 2 * product * correlation).sum(axis=2)


def path_edges(n, edges, start):
    """For every vertex the list of edge numbers on the path from `start`, or None without a path."""
    joined = [[] for _ in range(n)]
    for e, (u, v) in enumerate(edges):
        joined[u].append((v, e))
        joined[v].append((u, e))
    paths = [None] * n
    paths[start] = []
    todo = [start]
    while todo:
        v = todo.pop()
        for w, e in joined[v]:
            if paths[w] is None:
                paths[w] = [*paths[v], e]
                todo.append(w)
    return paths


def link_ranks(distances, train, test):
    """{(i, j): rank} of all train and of all test links, by counting over all vertices for each link."""
    n = len(distances)
    known = [set(train.neighbors(i).tolist()) for i in range(n)]
    train_rank, test_rank = {}, {}
    for i in range(n):
        for j in train.neighbors(i).tolist():
            train_rank[i, j] = sum(k != i and distances[i, k] <= distances[i, j] for k in range(n))
        for j in test.neighbors(i).tolist():
            test_rank[i, j] = sum(
                k != i and k not in known[i] and distances[i, k] <= distances[i, j] for k in range(n)
            )
    return train_rank, test_rank


def ranks_by_vertex(ranks):
    """{i: ranks of the links of i}, vertices without a link left out."""
    grouped = {}
    for (i, _), rank in ranks.items():
        grouped.setdefault(i, []).append(rank)
    return grouped


def ncrr(ranks):
    return np.mean(
        [
            sum(1 / r for r in own) / sum(1 / c for c in range(1, len(own) + 1))
            for own in ranks_by_vertex(ranks).values()
        ]
    )


def mrr(ranks):
    return np.mean([1 / min(own) for own in ranks_by_vertex(ranks).values()])


def hits(ranks, k):
    return np.mean([min(own) <= k for own in ranks_by_vertex(ranks).values()])


def peak_memory(work):
    """Most bytes held at once by Python and NumPy while `work()` runs, beyond what was held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
