"""A head against each number it is made from, on queries whose best number is known."""

import numpy as np
import pytest

from acvae import Graph
from acvae.links import judging
from acvae.links.head import Head, Parameters, start
from acvae.links.judging import fit_order, per_vertex, single
from acvae.links.queries import Queries
from acvae.links.training import NETWORKS

CANDIDATES = 4


def queries(count, statistics):
    """Queries of `count` vertices, each with itself as its other end: only folds and ranks look at these."""
    at = np.arange(count)
    return Queries(
        np.stack([at, at], axis=1),
        np.ones(count),
        np.zeros((count, CANDIDATES), dtype=np.int64),
        np.zeros((count, CANDIDATES), dtype=np.float32),
        statistics.astype(np.float32),
    )


def told_by_one(count=200):
    """The second number is largest at the answer, the third smallest, the first says nothing."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((count, CANDIDATES, 3))
    x[:, 0, 1] = x[:, 1:, 1].max(axis=1) + 1
    x[:, 0, 2] = x[:, 1:, 2].min(axis=1) - 1
    return queries(count, x)


def backwards(given, per_query, seed, progress=None, left_out=None):
    """A head that puts the answers of `told_by_one` last."""
    zero = Parameters(*(np.zeros_like(part) for part in start(3, 2, 0)))
    network = zero._replace(linear=np.array([0, -1, 0], dtype=np.float32))
    return Head(np.zeros(3, np.float32), np.ones(3, np.float32), (network,) * NETWORKS)


def test_every_vertex_counts_the_same():
    graph = Graph(4, [(0, 1), (1, 2), (1, 3)])
    ends = np.array([[0, 1], [1, 0], [1, 2], [1, 3], [2, 1], [3, 1]])
    empty = np.zeros((6, 0))
    weight = per_vertex(Queries(ends, np.ones(6), empty.astype(int), empty, empty), graph)
    assert weight == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3, 1, 1])
    taken = per_vertex(Queries(ends[1:2], np.array([3.0]), empty.astype(int), empty, empty), graph)
    assert taken == pytest.approx([1])  # one edge of three stands for all of its vertex


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_single_number_as_a_head_has_its_order(sign):
    head = single(backwards(*[None] * 3), 2, sign)
    x = np.array([[9, 9, 0.5], [-9, 0, -2], [0, 3, 4]], dtype=np.float32)
    assert head(x).tolist() == (sign * x[:, 2]).tolist()


def test_a_number_that_ranks_clearly_better_than_the_head_is_taken(monkeypatch):
    monkeypatch.setattr(judging, "fit_ranking", backwards)
    given = told_by_one()
    names, signs = ("noise", "good", "bad"), (0.0, 1.0, 1.0)
    head, scores = fit_order(given, np.ones(200), names, signs, n_vertices=200, seed=0)
    assert set(scores) == {"head", "good", "bad"}  # one whose sign is not known is not tried
    assert scores["good"] == pytest.approx(1)
    assert scores["bad"] == scores["head"] == pytest.approx(1 / CANDIDATES)  # after three others
    assert (head(given.statistics).argmax(axis=1) == 0).all()
    head, scores = fit_order(given, np.ones(200), names, (0.0, 0.0, -1.0), n_vertices=200, seed=0)
    assert scores["bad"] == pytest.approx(1)
    assert (head(given.statistics).argmax(axis=1) == 0).all()


def test_a_head_that_ranks_as_well_is_kept():
    given = told_by_one()
    head, scores = fit_order(given, np.ones(200), ("a", "b", "c"), (1.0, 1.0, 1.0), n_vertices=200, seed=0)
    assert scores["head"] > 0.95
    assert len(head.networks) == NETWORKS
    assert any(network.last.any() for network in head.networks)  # `single` has no hidden layers


def test_a_number_that_may_be_better_by_chance_is_not_taken(monkeypatch):
    """It puts one answer first that the head has second, and one third that the head has second."""
    count = 200
    x = np.zeros((count, CANDIDATES, 3))
    x[:, 0], x[:, 1] = 1, 2  # of both numbers the answer comes second
    fold = np.random.default_rng(0).permutation(count) % judging.FOLDS
    first, second = np.flatnonzero(fold == 0)[:2]
    x[first, 0, 2], x[second, 2, 2] = 3, 3
    head = backwards(None, None, 0)
    ours = single(head, 0, 1.0)._replace(networks=(single(head, 0, 1.0).networks * NETWORKS)[:NETWORKS])
    monkeypatch.setattr(judging, "fit_ranking", lambda *given, **more: ours)
    found, scores = fit_order(
        queries(count, x), np.ones(count), ("a", "b", "c"), (1.0, 1.0, 1.0), n_vertices=count, seed=0
    )
    held = (fold < NETWORKS).sum()
    assert scores["head"] == pytest.approx(1 / 2)
    assert scores["c"] == pytest.approx(1 / 2 + (1 / 2 - 1 / 6) / held)  # better, by less than its error
    assert found is ours


def test_too_few_queries_are_not_judged():
    rng = np.random.default_rng(0)
    given = queries(judging.ENOUGH - 1, rng.standard_normal((judging.ENOUGH - 1, CANDIDATES, 3)))
    head, scores = fit_order(
        given, np.ones(len(given.ends)), ("a", "b", "c"), (1.0, 1.0, 1.0), n_vertices=100, seed=0
    )
    assert scores == {}
    assert len(head.networks) == NETWORKS
