"""A graph of any size with features, made from a seed: communities, hubs, and words that follow both.

Vertices arrive one after the other, each with ten edges to earlier ones: mostly within its community of about
a thousand, else anywhere, and either way preferring those that already have many (an end of a random earlier
edge). Ids carry no community, so that neighbours lie far apart in memory, as in a real graph. A row of
features counts thirty distinct words out of 5,000: two thirds from the community's own vocabulary, the rest
from all, frequent words more often.
"""

import numba
import numpy as np
import scipy.sparse as sp

from acvae import Graph

__all__ = ["EDGES_PER_VERTEX", "N_WORDS", "WORDS_PER_ROW", "make_features", "make_graph"]

EDGES_PER_VERTEX = 10
N_WORDS = 5_000
WORDS_PER_ROW = 30
COMMUNITY_SIZE = 1_000
VOCABULARY = 200  # words a community prefers


def make_graph(n: int, seed: int = 0) -> Graph:
    """n vertices and exactly 10·n edges."""
    ends = _attach(n, communities(n, seed), _n_communities(n), np.random.default_rng([seed, 1]))
    return Graph(n, ends)


def make_features(n: int, seed: int = 0) -> sp.csr_array:
    """(n, 5000) counts, 30 of them in a row, float32 with int32 indices."""
    columns, values = _words(communities(n, seed), _n_communities(n), np.random.default_rng([seed, 2]))
    indptr = np.arange(0, len(columns) + 1, WORDS_PER_ROW, dtype=np.int32)
    return sp.csr_array((values, columns, indptr), shape=(n, N_WORDS))


def communities(n: int, seed: int = 0):
    """(n,) community of each vertex, in no order."""
    return np.random.default_rng(seed).integers(0, _n_communities(n), n, dtype=np.int32)


def _n_communities(n: int) -> int:
    return max(2, n // COMMUNITY_SIZE)


@numba.njit(cache=True)
def _attach(n, community, n_communities, rng):
    start = 2 * EDGES_PER_VERTEX + 1  # all pairs of the first 21 vertices are 10·21 edges
    ends = np.empty((n * EDGES_PER_VERTEX, 2), dtype=np.int32)
    m = 0
    for v in range(start):
        for u in range(v):
            ends[m, 0], ends[m, 1] = u, v
            m += 1
    size = np.bincount(community, minlength=n_communities)
    offset = np.zeros(n_communities + 1, dtype=np.int64)
    offset[1:] = np.cumsum(size)
    member = np.empty(n, dtype=np.int32)  # vertices that have arrived, community by community
    arrived = np.zeros(n_communities, dtype=np.int64)
    for v in range(start):
        c = community[v]
        member[offset[c] + arrived[c]] = v
        arrived[c] += 1
    chosen = np.empty(EDGES_PER_VERTEX, dtype=np.int32)
    for v in range(start, n):
        c = community[v]
        count = 0
        while count < EDGES_PER_VERTEX:
            u = ends[rng.integers(0, m), rng.integers(0, 2)]
            if rng.random() < 0.8 and arrived[c] > EDGES_PER_VERTEX:
                u = member[offset[c] + rng.integers(0, arrived[c])]
                if rng.random() < 0.5 and u >= start:  # whom a random member is joined to
                    u = ends[u * EDGES_PER_VERTEX + rng.integers(0, EDGES_PER_VERTEX), 0]
            new = True
            for t in range(count):
                new &= chosen[t] != u
            if new:
                chosen[count] = u
                count += 1
        for t in range(EDGES_PER_VERTEX):
            ends[m, 0], ends[m, 1] = chosen[t], v
            m += 1
        member[offset[c] + arrived[c]] = v
        arrived[c] += 1
    return ends


@numba.njit(cache=True)
def _words(community, n_communities, rng):
    favourite = rng.integers(0, N_WORDS, (n_communities, VOCABULARY))
    n = len(community)
    columns = np.empty(n * WORDS_PER_ROW, dtype=np.int32)
    values = np.empty(n * WORDS_PER_ROW, dtype=np.float32)
    used = np.full(N_WORDS, -1, dtype=np.int64)
    for v in range(n):
        row = columns[v * WORDS_PER_ROW : (v + 1) * WORDS_PER_ROW]
        count = 0
        while count < WORDS_PER_ROW:
            if count < 2 * WORDS_PER_ROW // 3:
                w = favourite[community[v], rng.integers(0, VOCABULARY)]
            else:
                w = int(N_WORDS * rng.random() ** 3)
            if used[w] != v:
                used[w] = v
                row[count] = w
                count += 1
        row.sort()
        for t in range(WORDS_PER_ROW):
            values[v * WORDS_PER_ROW + t] = 1 + rng.integers(0, 3)
    return columns, values
