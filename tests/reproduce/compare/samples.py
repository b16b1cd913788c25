"""A small data set whose features and links tell the same."""

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
