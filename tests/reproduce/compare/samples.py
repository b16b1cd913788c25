"""Small data sets whose features and links tell the same, and rankings as tables."""

import numpy as np
import scipy.sparse as sp

import acvae
from acvae.datasets import Dataset


def small(seed: int = 0, n: int = 40) -> Dataset:
    """Two groups, links mostly within, features that tell the group."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 2
    ends = np.array([(i, j) for i in range(n) for j in range(i)])
    chance = np.where(kind[ends[:, 0]] == kind[ends[:, 1]], 0.3, 0.02)
    graph = acvae.Graph(n, ends[rng.random(len(ends)) < chance])
    own = (kind[:, None] == np.arange(60) % 2) * 0.4 + 0.05
    return Dataset("small", sp.csr_array((rng.random((n, 60)) < own).astype(np.float32)), graph, labels=kind)


def random_graph(n: int, m: int, seed: int) -> acvae.Graph:
    return acvae.Graph(n, np.random.default_rng(seed).integers(n, size=(m, 2)))


def groups(seed: int) -> tuple[sp.csr_array, acvae.Graph, np.ndarray]:
    """Four groups of 15, joined mostly within; features tell the group, roughly."""
    rng = np.random.default_rng(seed)
    kind = np.repeat(np.arange(4), 15)
    pairs = np.array([(i, j) for i in range(60) for j in range(i)])
    chance = np.where(kind[pairs[:, 0]] == kind[pairs[:, 1]], 0.5, 0.01)
    graph = acvae.Graph(60, pairs[rng.random(len(pairs)) < chance])
    features = (rng.random((60, 12)) < np.where(kind[:, None] == np.arange(12) % 4, 0.6, 0.1)).astype(float)
    return sp.csr_array(features), graph, kind


def dense(ranking, n: int) -> np.ndarray:
    out = np.full((n, n), np.nan)
    for rows, columns, block in ranking.distance_blocks(None, 7):
        out[np.ix_(rows, columns)] = block
    return out
