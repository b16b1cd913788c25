"""Both heads of a graph, from queries for known links: one for the order, one for the probabilities.

What the numbers of a pair are, and how they are had without a link, is up to who calls: `gather`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from acvae.graph import Graph
from acvae.links.head import Head
from acvae.links.judging import fit_order
from acvae.links.missing import like_missing, missing_weights
from acvae.links.queries import Queries, sample_edges
from acvae.links.ranking import PairStatistics
from acvae.links.training import FOLDS, fit_probability

__all__ = ["Gather", "Heads", "fit_heads"]

PAIR_ROWS = 4000  # vertices whose pairs stand for all that are not known to be linked


class Gather(Protocol):
    """Candidates of queries (q, 2) sorted by their first end, and the numbers of each.

    With `removed` each is asked without its edge, else as all is. `progress` is told the share that is done.
    """

    def __call__(
        self,
        ends: npt.NDArray[np.int64],
        weight: npt.NDArray[np.float64],
        rng: np.random.Generator,
        *,
        removed: bool,
        progress: Callable[[float], None] | None = None,
    ) -> Queries:
        """Of ends (q, 2), each of which stands for `weight` (q,) of the population."""


class Heads(NamedTuple):
    """The two heads, and mean reciprocal ranks of held-out queries by name (`judging.fit_order`)."""

    order: Head
    probability: Head
    held_out: dict[str, float]


def fit_heads(
    statistics: PairStatistics,
    graph: Graph,
    gather: Gather,
    rng: np.random.Generator,
    *,
    queries: int,
    seed: int,
    progress: Callable[[str, float], None],
) -> Heads:
    """Learn from about so many `queries`; `progress` is told a stage and the share of it that is done."""
    n = graph.n_vertices
    ends, weight = sample_edges(graph, queries, rng)
    asked = gather(ends, weight, rng, removed=True, progress=lambda share: progress("leave-one-out", share))
    order, held_out = fit_order(
        asked,
        like_missing(graph, asked.ends, asked.weight, seed),
        statistics.names,
        statistics.signs,
        n_vertices=n,
        seed=seed,
        progress=lambda share: progress("head", share),
    )
    # Probabilities: links without themselves, as missing ones, against pairs as they are.
    chosen = np.sort(rng.choice(n, min(n, PAIR_ROWS), replace=False))
    each = np.full(len(chosen), n / len(chosen))
    others = gather(np.stack([chosen, chosen], axis=1), each, rng, removed=False)
    real = np.isfinite(others.log_weight)
    stands_for = np.exp(others.log_weight) * others.weight[:, None]
    at = np.broadcast_to(others.ends[:, :1], others.candidates.shape)
    pairs = np.concatenate([asked.ends, np.stack([at[real], others.candidates[real]], axis=1)])
    probability = fit_probability(
        asked.statistics[:, 0],
        missing_weights(graph, asked.ends, asked.weight),
        others.statistics[real],
        stands_for[real].astype(np.float64),
        seed,
        statistics.directed,
        # The same for a pair both ways round.
        rng.integers(FOLDS, size=n)[pairs].sum(axis=1) % FOLDS,
    )
    return Heads(order, probability, held_out)
