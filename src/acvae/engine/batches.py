"""Batches of one epoch: a shuffled pass over the edges, with random vertices and random pairs beside them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from acvae.graph import Graph

__all__ = ["Batch", "BatchSizes", "Share", "compact", "edge_batches", "n_batches", "vertex_batches"]

IntArray = npt.NDArray[np.int64]


class BatchSizes(NamedTuple):
    """How many of each go into one step."""

    vertices: int = 64
    edges: int = 256
    pairs: int = 256


class Batch(NamedTuple):
    """One step's vertices, edges and pairs, as row numbers into `rows`, the distinct vertices among them.

    The first `n_own` rows are the sampled vertices, the first `n_encoded` all whose own marginal is needed;
    the others only occur in random pairs.
    """

    rows: Tensor  # (r,) vertex ids
    n_own: int
    n_encoded: int
    weights: Tensor  # (e,)
    pairs: Tensor  # (2, e + p) the edges, then the random pairs
    noise: Tensor | None = None  # (b, d) standard normals of the sampled vertices, once they are drawn

    @property
    def edges(self) -> Tensor:
        """(2, e)."""
        return self.pairs[:, : len(self.weights)]

    def ready(self, generator: torch.Generator, latent_dim: int) -> "Batch":
        """The batch on the generator's device, with its noise drawn."""
        device = generator.device
        noise = torch.randn((self.n_own, latent_dim), generator=generator, device=device)
        if device.type == "cpu":
            return self._replace(noise=noise)
        rows, n_own, n_encoded, weights, pairs, _ = self
        return Batch(rows.to(device), n_own, n_encoded, weights.to(device), pairs.to(device), noise)


class Share(NamedTuple):
    """The part of a pass over `total` things that is one process's, out of `parts` processes.

    All take the same number of steps of the same sizes, so that the mean of their gradients is the gradient
    of one large batch: where parts are uneven, the shorter ones take one of theirs twice.
    """

    own: range
    total: int
    part: int
    parts: int

    @property
    def length(self) -> int:
        """How many each process passes over."""
        return n_batches(self.total, self.parts)

    @property
    def scale(self) -> float:
        """Puts right that the means over uneven parts count alike; 1 where parts are even."""
        return len(self.own) * self.parts / self.total if self.total else 1.0


def n_batches(count: int, size: int) -> int:
    """Steps in one pass over `count` items; the last batch may be short."""
    return -(-count // size)


def edge_batches(
    graph: Graph,
    weights: npt.NDArray[np.float64],
    sizes: BatchSizes,
    rng: np.random.Generator,
    draw_pairs: bool,
    share: Share | None = None,
) -> Iterator[Batch]:
    """One epoch over the edges in random order, all of them or one process's share.

    `draw_pairs` says whether there are random pairs.
    """
    n = graph.n_vertices
    share = share or Share(range(graph.n_edges), graph.n_edges, 0, 1)
    order = share.own.start + rng.permutation(len(share.own))
    order = np.concatenate([order, order[: share.length - len(order)]])
    vertices = _endless_shuffle(n, sizes.vertices, rng)
    slot = np.zeros(n, dtype=np.int64)  # 1 + row of a vertex in the current batch, 0 if it is not in
    for start in range(0, len(order), sizes.edges):
        chosen = order[start : start + sizes.edges]
        ends = np.ascontiguousarray(graph.edges[chosen].T)
        own = next(vertices)
        random = random_pairs(n, sizes.pairs if draw_pairs else 0, rng)
        rows, n_encoded, local = compact(np.concatenate([own, ends.ravel()]), random.ravel(), slot)
        of_edges, of_pairs = np.split(local[len(own) :], [2 * len(chosen)])
        pairs_of_rows = np.concatenate([of_edges.reshape(2, -1), of_pairs.reshape(2, -1)], axis=1)
        yield Batch(
            torch.from_numpy(rows),
            len(own),
            n_encoded,
            torch.from_numpy((share.scale * weights[chosen]).astype(np.float32)),
            torch.from_numpy(pairs_of_rows),
        )


def vertex_batches(
    n_vertices: int, sizes: BatchSizes, rng: np.random.Generator, share: Share | None = None
) -> Iterator[Batch]:
    """One epoch over the vertices in random order, without edges.

    Processes that share a pass draw the same order, and each takes its part of that.
    """
    order = rng.permutation(n_vertices)
    if share is not None:
        order = np.concatenate([order, order[: share.length * share.parts - n_vertices]])
        order = order[share.part :: share.parts]
    nothing = torch.empty((2, 0), dtype=torch.int64)
    for start in range(0, len(order), sizes.vertices):
        rows = torch.from_numpy(order[start : start + sizes.vertices])
        yield Batch(rows, len(rows), len(rows), torch.empty(0), nothing)


def random_pairs(n: int, count: int, rng: np.random.Generator) -> IntArray:
    """(2, count) ordered pairs u ≠ v, uniform over all of them."""
    if n < 2:
        return np.empty((2, 0), dtype=np.int64)
    u = rng.integers(0, n, count)
    v = rng.integers(0, n - 1, count)
    return np.stack([u, v + (v >= u)])


def _endless_shuffle(n: int, size: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Batches of vertices from one random order after another; a batch never repeats a vertex."""
    size = min(size, n)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - size + 1, size):
            yield order[start : start + size]


@numba.njit(cache=True, nogil=True)
def compact(first: Any, second: Any, slot: Any) -> Any:
    """Distinct ids of `first`, then those of `second` that are new, and all ids as places in that list.

    `slot` is scratch space of one zero per vertex and is left so. Returns (rows, how many are from `first`,
    local numbers of first and second, one after the other).
    """
    rows = np.empty(len(first) + len(second), dtype=np.int64)
    local = np.empty(len(first) + len(second), dtype=np.int64)
    count = 0
    for t in range(len(first)):
        v = first[t]
        if slot[v] == 0:
            rows[count] = v
            count += 1
            slot[v] = count
        local[t] = slot[v] - 1
    n_first = count
    for t in range(len(second)):
        v = second[t]
        if slot[v] == 0:
            rows[count] = v
            count += 1
            slot[v] = count
        local[len(first) + t] = slot[v] - 1
    for t in range(count):
        slot[rows[t]] = 0
    return rows[:count].copy(), n_first, local
