"""Scores of ranked links: NCRR, MRR and Hits@k, each with what a random ranking has."""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.checks import instance, whole_number
from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.metrics.ranks import LinkRanks, link_ranks

__all__ = ["LinkScores", "Score", "evaluate", "hits_at", "mrr", "ncrr", "scores"]

IntArray = npt.NDArray[np.int64]


class Score(NamedTuple):
    """One metric on the train links, on the test links, and what a random ranking of the test has."""

    train: float
    test: float
    random: float


class LinkScores(NamedTuple):
    """All link-prediction metrics from one pass over the distances."""

    ncrr: Score
    mrr: Score
    hits: Score
    k: int


def evaluate(posterior: Ranking, train: Graph, test: Graph, k: int = 10) -> LinkScores:
    """NCRR, MRR and Hits@k together, from one pass over the distances."""
    k = whole_number("k", k, minimum=1)
    return scores(link_ranks(posterior, train, test), k)


def scores(ranks: LinkRanks, k: int = 10) -> LinkScores:
    """NCRR, MRR and Hits@k of links that are ranked already."""
    k = whole_number("k", k, minimum=1)
    instance("ranks", ranks, LinkRanks)
    return LinkScores(_ncrr(ranks), _mrr(ranks), _hits(ranks, k), k)


def ncrr(posterior: Ranking, train: Graph, test: Graph) -> Score:
    """Normalised cumulative reciprocal rank, the paper's metric.

    CRR_i = Σ 1/rank over the links of i, divided by the harmonic number of their count, which it reaches
    when all of them come first; the mean is over vertices that have such a link.
    """
    return _ncrr(link_ranks(posterior, train, test))


def mrr(posterior: Ranking, train: Graph, test: Graph) -> Score:
    """Mean over vertices of 1/(rank of their best-ranked link)."""
    return _mrr(link_ranks(posterior, train, test))


def hits_at(posterior: Ranking, train: Graph, test: Graph, k: int = 10) -> Score:
    """Share of vertices with at least one of their links among the first k."""
    k = whole_number("k", k, minimum=1)
    return _hits(link_ranks(posterior, train, test), k)


# ---------------------------------------------------------------------- from ranks to scores


def _harmonic(counts: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """H(c) = 1 + 1/2 + … + 1/c for each count, H(0) = 0."""
    table = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, counts.max(initial=0) + 1))])
    return table[counts]


def _mean(values: npt.NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _per_vertex_ncrr(vertex: IntArray, rank: IntArray, n: int) -> npt.NDArray[np.float64]:
    links = np.bincount(vertex, minlength=n)
    crr = np.bincount(vertex, weights=1 / rank, minlength=n)
    return (crr[links > 0]) / _harmonic(links[links > 0])


def _ncrr(ranks: LinkRanks) -> Score:
    links = np.bincount(ranks.test_vertex, minlength=ranks.n_vertices)
    has = links > 0
    # In a random order each link's rank is uniform, so E[1/rank] = H(candidates) / candidates.
    expected = links[has] * _harmonic(ranks.candidates)[has] / ranks.candidates[has]
    return Score(
        _mean(_per_vertex_ncrr(ranks.train_vertex, ranks.train_rank, ranks.n_vertices)),
        _mean(_per_vertex_ncrr(ranks.test_vertex, ranks.test_rank, ranks.n_vertices)),
        _mean(expected / _harmonic(links[has])),
    )


def _best_ranks(vertex: IntArray, rank: IntArray) -> IntArray:
    """Smallest rank of each vertex that has one; `vertex` is sorted."""
    if len(vertex) == 0:
        return rank
    return np.minimum.reduceat(rank, np.flatnonzero(np.diff(vertex, prepend=-1)))


def _miss_probability(ranks: LinkRanks, k: int) -> npt.NDArray[np.float64]:
    """P(no link of a vertex is among the first k) in a random order, per vertex with a test link."""
    links = np.bincount(ranks.test_vertex, minlength=ranks.n_vertices)
    has = links > 0
    total, good = ranks.candidates[has], links[has]
    steps = np.arange(min(k, total.max(initial=0)))[:, None]
    left = np.maximum(total - good - steps, 0) / np.maximum(total - steps, 1)
    return np.asarray(left.prod(axis=0))


def _hits(ranks: LinkRanks, k: int) -> Score:
    return Score(
        _mean((_best_ranks(ranks.train_vertex, ranks.train_rank) <= k).astype(np.float64)),
        _mean((_best_ranks(ranks.test_vertex, ranks.test_rank) <= k).astype(np.float64)),
        _mean(1 - _miss_probability(ranks, k)),
    )


def _mrr(ranks: LinkRanks) -> Score:
    links = np.bincount(ranks.test_vertex, minlength=ranks.n_vertices)
    has = links > 0
    return Score(
        _mean(1 / _best_ranks(ranks.train_vertex, ranks.train_rank)),
        _mean(1 / _best_ranks(ranks.test_vertex, ranks.test_rank)),
        _mean(_random_reciprocal_rank(ranks.candidates[has], links[has])),
    )


@numba.njit(cache=True, nogil=True)
def _random_reciprocal_rank(total: Any, good: Any) -> Any:
    """E[1/(first of `good` among `total` in random order)] = Σ_r (1/r)·P(first at r)."""
    out = np.zeros(len(total))
    for t in range(len(total)):
        still = 1.0  # probability that no link came before rank r
        for r in range(1, total[t] - good[t] + 2):
            here = good[t] / (total[t] - r + 1)
            out[t] += still * here / r
            still *= 1 - here
            if still < 1e-12:
                break
    return out
