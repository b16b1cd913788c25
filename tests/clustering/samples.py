"""Matrices of distances of all kinds, as posteriors that give them in blocks, and SciPy's tree of them."""

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform


class Given:
    """A posterior with the given distances, in blocks whose rows and columns are in an order of their own."""

    def __init__(self, distances, dtype="float64", seed=0):
        self.matrix = np.asarray(distances).astype(dtype)
        self.mean = np.empty((len(self.matrix), 1), dtype=dtype)
        self.order = np.random.default_rng(seed).permutation(len(self.matrix))
        self.streamed = 0

    @property
    def n_vertices(self):
        return len(self.matrix)

    def distance_blocks(self, rows=None):
        place = np.argsort(self.order)
        ids = self.order if rows is None else self.order[np.sort(place[rows])]
        for start in range(0, len(ids), 7):
            at = ids[start : start + 7]
            self.streamed += len(at)
            yield at, self.order, self.matrix[np.ix_(at, self.order)]


def distinct(n, seed=0):
    """Any distances at all, no two equal; complete linkage needs no triangle inequality."""
    count = n * (n - 1) // 2
    return squareform(1.0 + np.random.default_rng(seed).permutation(count))


def hubs(n, seed=0):
    """Vertices of few variances: those of the smallest are nearest to all."""
    rng = np.random.default_rng(seed)
    variance = np.exp(rng.normal(size=n))
    matrix = variance[:, None] + variance + 0.01 * squareform(rng.random(n * (n - 1) // 2))
    np.fill_diagonal(matrix, 0)
    return matrix


def points(n, seed=0):
    """Points in the plane: what is near to one is near to its neighbours."""
    at = np.random.default_rng(seed).normal(size=(n, 2))
    return ((at[:, None] - at) ** 2).sum(axis=2)


def scipys(posterior):
    return hierarchy.linkage(squareform(posterior.matrix, checks=False).astype(np.float64), "complete")
