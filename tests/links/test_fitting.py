"""Both heads of a graph, from whatever numbers a pair has."""

from functools import partial

import numpy as np
import pytest

from acvae.graph import Graph
from acvae.links.fitting import fit_heads
from acvae.links.queries import Queries

N = 30
GROUP = np.arange(N) % 2


class Alike:
    """Three numbers of a pair: whether both are of one group, and the log degrees of both ends."""

    names = ("same group", "log degree of i", "log degree of j")
    signs = (1.0, 0.0, 1.0)
    directed = 1
    n_vertices = N

    def __init__(self, graph):
        self.degrees = graph.degrees

    def rows(self, at):
        """(b, n, 3) of some vertices with all."""
        return self.pairs(np.repeat(at, N), np.tile(np.arange(N), len(at))).reshape(len(at), N, 3)

    def pairs(self, i, j, removed=0):
        degrees = np.log(1.0 + np.maximum(0, [self.degrees[i], self.degrees[j] - removed]))
        return np.stack([GROUP[i] == GROUP[j], *degrees], axis=-1).astype(np.float32)


@pytest.fixture
def graph():
    """Half of the pairs within each of two groups."""
    i, j = np.triu_indices(N, 1)
    within = np.flatnonzero(GROUP[i] == GROUP[j])
    kept = np.random.default_rng(0).permutation(within)[: len(within) // 2]
    return Graph(N, np.stack([i[kept], j[kept]], axis=1))


def gather(statistics, asked, ends, weight, rng, *, removed, likest=None, progress=None):
    """Every vertex that is no neighbour is a candidate; after the answer, if there is one."""
    if progress is not None:
        progress(1.0)
    asked.append((removed, len(ends)))
    candidates = np.array([[*([j] if removed else []), *np.delete(np.arange(N), i)] for i, j in ends])
    i = np.broadcast_to(ends[:, :1], candidates.shape)
    log_weight = np.zeros(candidates.shape, dtype=np.float32)
    return Queries(ends, weight, candidates, log_weight, statistics.pairs(i, candidates))


@pytest.fixture
def told():
    return []


@pytest.fixture
def fitted(graph, told):
    statistics, asked = Alike(graph), []
    heads = fit_heads(
        statistics,
        graph,
        partial(gather, statistics, asked),
        np.random.default_rng(0),
        queries=10_000,
        seed=0,
        progress=lambda stage, share: told.append(stage),
    )
    return statistics, asked, heads


def test_links_are_asked_without_themselves_and_vertices_as_they_are(graph, fitted):
    _, asked, _ = fitted
    assert asked == [(True, 2 * graph.n_edges), (False, N)]


def test_both_heads_put_a_pair_of_one_group_first(fitted):
    statistics, _, heads = fitted
    numbers = statistics.pairs(np.array([0, 0]), np.array([2, 3]))  # of one group, of two
    for head in (heads.order, heads.probability):
        within, across = head(numbers)
        assert within > across


def test_every_number_that_can_rank_is_judged_beside_the_head(fitted):
    assert set(fitted[2].held_out) == {"head", "same group", "log degree of j"}


def test_what_is_done_is_told(fitted, told):
    assert list(dict.fromkeys(told)) == ["leave-one-out", "head"]


def fit_with(graph, strip):
    statistics = Alike(graph)
    return fit_heads(
        statistics,
        graph,
        partial(gather, statistics, []),
        np.random.default_rng(0),
        queries=10_000,
        seed=0,
        progress=lambda stage, share: None,
        strip=strip,
    )


def test_vertices_without_links_are_learnt_from_some_that_lose_theirs(graph):
    stripped = []

    def strip(rest):
        stripped.append(rest)
        statistics = Alike(rest)
        return statistics, partial(gather, statistics, [])

    assert graph.degrees.min() > 0
    head = fit_with(graph, strip).probability
    assert all((rest.degrees == 0).any() and rest.n_vertices == N for rest in stripped)
    lost = sum((rest.degrees == 0).sum() for rest in stripped)
    assert lost >= 100
    # A new vertex of group 0: as many links as vertices of this graph have, by whom they may be with.
    same = np.log(1.0 + graph.degrees[::2])
    own = np.stack([np.ones_like(same), np.zeros_like(same), same], axis=-1).astype(np.float32)
    other = own.copy()
    other[:, 0] = 0
    log_odds = head(np.concatenate([own, other]))
    assert 1 / (1 + np.exp(-log_odds)).sum() < 1
    expected = (1 / (1 + np.exp(-log_odds))).sum()
    assert 0.4 * graph.degrees.mean() < expected < 2.5 * graph.degrees.mean()


def test_nothing_is_stripped_where_there_are_vertices_without_links(graph):
    few = graph.with_edges(~np.isin(graph.edges, np.arange(6)).any(axis=1))

    def strip(rest):
        raise AssertionError("it was asked for")

    fit_with(few, strip)
