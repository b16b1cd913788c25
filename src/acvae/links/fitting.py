"""Both heads of a graph, from queries for known links: one for the order, one for the probabilities.

What the numbers of a pair are, and how they are had without a link, is up to who calls: `gather`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.graph import Graph
from acvae.links.head import Head
from acvae.links.judging import fit_order
from acvae.links.known_degrees import degrees_had, with_known_degrees
from acvae.links.likest import likest_by_order
from acvae.links.missing import like_missing, missing_weights
from acvae.links.queries import Queries, sample_edges
from acvae.links.ranking import LinkRanking, PairStatistics
from acvae.links.training import FOLDS, fit_probability

__all__ = ["Gather", "Heads", "fit_heads"]

PAIR_ROWS = 4000  # vertices whose pairs stand for all that are not known to be linked
LIKEST = 20  # candidates of each by the head for the order
STRIPPED, MOST_STRIPPED, ENOUGH_STRIPPED = 0.1, 400, 100  # share of the vertices, at a time and in all
AS_NEW = 0.1  # of what is learnt from: what links of stripped vertices weigh


class Gather(Protocol):
    """Candidates of queries (q, 2) sorted by their first end, and the numbers of each.

    With `removed` each is asked without its edge, else as all is. Of a table (n, n) of `likest`, all entries
    of a row are candidates. `progress` is told the share that is done.
    """

    def __call__(
        self,
        ends: npt.NDArray[np.int64],
        weight: npt.NDArray[np.float64],
        rng: np.random.Generator,
        *,
        removed: bool,
        likest: sp.csr_array | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Queries:
        """Of ends (q, 2), each of which stands for `weight` (q,) of the population."""


# Statistics, and a way to gather them, of a graph that has some of the edges.
Strip = Callable[[Graph], tuple[PairStatistics, Gather]]


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
    ranking: type[LinkRanking] = LinkRanking,
    strip: Strip | None = None,
) -> Heads:
    """Learn from about so many `queries`; `progress` is told a stage and the share of it that is done.

    `ranking` says among whom vertices are ranked. Where hardly any vertex has no link, `strip` says what the
    numbers are had some lost theirs; probabilities of vertices that come without links are learnt from those.
    """
    ends, weight = sample_edges(graph, queries, rng)
    asked = gather(ends, weight, rng, removed=True, progress=lambda share: progress("leave-one-out", share))
    asked, known = with_known_degrees(graph, asked, seed)
    order, held_out = fit_order(
        asked,
        _or_all(like_missing(graph, asked.ends, asked.weight, seed), known[:, 1]),
        statistics.names,
        statistics.signs,
        n_vertices=graph.n_vertices,
        seed=seed,
        progress=lambda share: progress("head", share),
    )
    chosen = np.sort(rng.choice(graph.n_vertices, min(graph.n_vertices, PAIR_ROWS), replace=False))
    likest = likest_by_order(ranking(statistics, order, order), chosen, graph, LIKEST)
    each = np.full(len(chosen), graph.n_vertices / len(chosen))
    others = gather(np.stack([chosen, chosen], axis=1), each, rng, removed=False, likest=likest)
    links, pairs = _missing(graph, asked, known), _pairs(others)
    if strip is not None and degrees_had(graph.degrees)[0] < 1:
        new_links, new_pairs = _of_new(graph, strip, seed)
        scale = AS_NEW * links.weight.sum() / new_links.weight.sum()
        links, pairs = (
            _together([old, new._replace(weight=scale * new.weight)])
            for old, new in ((links, new_links), (pairs, new_pairs))
        )
    ends = np.concatenate([links.ends, pairs.ends])
    probability = fit_probability(
        links.statistics,
        links.weight,
        pairs.statistics,
        pairs.weight,
        seed,
        statistics.directed,
        # The same for a pair both ways round.
        rng.integers(FOLDS, size=graph.n_vertices)[ends].sum(axis=1) % FOLDS,
    )
    return Heads(order, probability, held_out)


class _Pairs(NamedTuple):
    """Pairs of vertices, links or not, and how many each stands for."""

    ends: npt.NDArray[np.int64]  # (k, 2)
    statistics: npt.NDArray[np.float32]  # (k, F)
    weight: npt.NDArray[np.float64]  # (k,)


def _missing(graph: Graph, asked: Queries, known: npt.NDArray[np.float64]) -> _Pairs:
    """Left-out links as missing ones between vertices as they are."""
    weight = missing_weights(graph, asked.ends, asked.weight)
    kept = _or_all(weight, known.prod(axis=1))
    return _Pairs(asked.ends, asked.statistics[:, 0], kept * (weight.sum() / kept.sum()))


def _of_new(graph: Graph, strip: Strip, seed: int) -> tuple[_Pairs, _Pairs]:
    """Links and pairs of vertices that come without any link: some are stripped of theirs."""
    rng = np.random.default_rng((seed, 2))
    linked = np.flatnonzero(graph.degrees)
    count = int(np.clip(STRIPPED * len(linked), 1, MOST_STRIPPED))
    links, others = [], []
    for _ in range(-(-ENOUGH_STRIPPED // count)):
        chosen = np.sort(rng.choice(linked, min(count, len(linked)), replace=False))
        gone = np.isin(graph.edges, chosen)
        statistics, gather = strip(graph.with_edges(~gone.any(axis=1)))
        lost = np.concatenate([graph.edges[gone[:, 0]], graph.edges[gone[:, 1]][:, ::-1]])
        links.append(_Pairs(lost, statistics.pairs(*lost.T), np.ones(len(lost))))
        alone = gather(np.stack([chosen, chosen], axis=1), np.ones(len(chosen)), rng, removed=False)
        others.append(_pairs(alone))
    return _together(links), _together(others)


def _together(parts: Sequence[_Pairs]) -> _Pairs:
    ends, statistics, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
    return _Pairs(ends, statistics, weight)


def _pairs(queries: Queries) -> _Pairs:
    """All candidates of queries."""
    real = np.isfinite(queries.log_weight)
    stands_for = (np.exp(queries.log_weight) * queries.weight[:, None])[real].astype(np.float64)
    at = np.broadcast_to(queries.ends[:, :1], queries.candidates.shape)
    return _Pairs(
        np.stack([at[real], queries.candidates[real]], axis=1), queries.statistics[real], stands_for
    )


def _or_all(weight: npt.NDArray[np.float64], share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The share of each weight, or all of them where nothing would be left."""
    found = weight * share
    return found if found.any() else weight
