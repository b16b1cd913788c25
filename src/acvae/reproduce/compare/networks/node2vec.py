"""node2vec (Grover and Leskovec, 2016): biased random walks, embedded by skip-gram with negative samples.

Written here in full: PyTorch Geometric's needs a further compiled package for the walks. One thread, so that
a seed gives the same embeddings again.
"""

from typing import Any

import numba
import numpy as np
import torch

from acvae._util.seeds import stream_seed
from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.reproduce.compare.method import Watch
from acvae.reproduce.compare.networks.training import by_inner_product

__all__ = ["fit_node2vec", "random_walks"]

LENGTH = 40
NEGATIVES = 5
LEARNING_RATE = 0.025


def fit_node2vec(
    features: Any,
    graph: Graph,
    *,
    seed: int,
    watch: Watch | None = None,
    epochs: int = 10,
    latent: int = 64,
    window: int = 5,
    p: float = 1.0,
    q: float = 1.0,
) -> Ranking:
    """Embeddings from structure alone; an epoch is one walk from every vertex that has a neighbour."""
    n = graph.n_vertices
    rng = np.random.default_rng(stream_seed(seed, "node2vec"))
    inner = ((rng.random((n, latent)) - 0.5) / latent).astype(np.float32)
    outer = np.zeros((n, latent), dtype=np.float32)
    frequency = np.cumsum(np.maximum(graph.degrees, 0) ** 0.75)
    starts = np.flatnonzero(graph.degrees)
    if len(starts):
        for epoch in range(1, epochs + 1):
            order = rng.permutation(starts)
            walks = random_walks(*graph.csr, order, LENGTH, p, q, rng)
            _skip_gram(walks, window, inner, outer, frequency, NEGATIVES, LEARNING_RATE, rng)
            if watch is not None and watch(epoch, lambda: by_inner_product(torch.from_numpy(inner))):
                break
    return by_inner_product(torch.from_numpy(inner))


@numba.njit(cache=True)
def random_walks(indptr: Any, neighbours: Any, starts: Any, length: int, p: float, q: float, rng: Any) -> Any:
    """(len(starts), length) vertices.

    A step from v, come from t, goes to x with weight 1/p if x = t, 1 if x is a neighbour of t, else 1/q, by
    rejection.
    """
    out = np.empty((len(starts), length), dtype=np.int64)
    highest = max(1 / p, 1.0, 1 / q)
    for w in range(len(starts)):
        v, came = starts[w], -1
        out[w, 0] = v
        for step in range(1, length):
            first, last = indptr[v], indptr[v + 1]
            while True:
                x = neighbours[first + rng.integers(0, last - first)]
                if came < 0:
                    break
                if x == came:
                    weight = 1 / p
                else:
                    a, b = indptr[came], indptr[came + 1]
                    at = a + np.searchsorted(neighbours[a:b], x)
                    weight = 1.0 if at < b and neighbours[at] == x else 1 / q
                if rng.random() * highest <= weight:
                    break
            out[w, step] = x
            came, v = v, x
    return out


@numba.njit(cache=True, fastmath=True)
def _skip_gram(
    walks: Any, window: int, inner: Any, outer: Any, frequency: Any, negatives: int, rate: float, rng: Any
) -> None:
    """Stochastic ascent of log σ(⟨u_i, v_j⟩) + Σ log σ(−⟨u_i, v_k⟩), as in word2vec."""
    size = inner.shape[1]
    step = np.empty(size, dtype=np.float32)
    for w in range(walks.shape[0]):
        for at in range(walks.shape[1]):
            i = walks[w, at]
            reach = 1 + rng.integers(0, window)  # nearer ones count more often
            for other in range(max(0, at - reach), min(walks.shape[1], at + reach + 1)):
                if other == at:
                    continue
                step[:] = 0
                for s in range(negatives + 1):
                    if s == 0:
                        j, target = walks[w, other], np.float32(1)
                    else:
                        j = np.searchsorted(frequency, rng.random() * frequency[-1], side="right")
                        target = np.float32(0)
                    dot = np.float32(0)
                    for d in range(size):
                        dot += inner[i, d] * outer[j, d]
                    g = np.float32(rate) * (target - np.float32(1) / (np.float32(1) + np.exp(-dot)))
                    for d in range(size):
                        step[d] += g * outer[j, d]
                        outer[j, d] += g * inner[i, d]
                for d in range(size):
                    inner[i, d] += step[d]
