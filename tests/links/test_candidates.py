"""Candidates of a vertex: their numbers are those of the pairs, and the strongest of each are there."""

import numpy as np
import pytest

import acvae
from acvae import GraphGaussian
from acvae.links.statistics import candidates as module
from acvae.links.statistics.candidates import candidates

N = 150


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, N - 2, (3 * N, 2))
    x = (rng.random((N, 20)) < 0.2).astype(float)
    return GraphGaussian(latent_dim=4, solver="local", progress=False).fit(x, acvae.Graph(N, pairs))


def test_numbers_are_those_of_rows_and_pairs(model):
    statistics = model._fit.statistics
    at = np.array([3, 70, N - 1])
    found = candidates(statistics, at, each=5)
    rows = statistics.rows(at)
    for b, own in enumerate(at):
        part = slice(found.start[b], found.start[b + 1])
        ids = found.ids[part]
        assert (np.diff(ids) > 0).all()
        assert own not in ids
        np.testing.assert_allclose(found.statistics[part], rows[b, ids], atol=2e-5)
        pairs = statistics.pairs(np.full(len(ids), own), ids)
        np.testing.assert_allclose(found.statistics[part], pairs, atol=0.02)  # of the rows of both ends
        for f, name in enumerate(statistics.names):
            if "log correlation" in name or name == "log walk":  # others have equal values
                score = rows[b, :, f].copy()
                floor = score.min()
                score[own] = -np.inf
                best = np.argsort(-score)[:4]  # the vertex itself is one of the five
                assert set(best[score[best] > floor]) <= set(ids)


def test_with_all_as_candidates_the_ranking_is_that_of_all(model, monkeypatch):
    monkeypatch.setattr(module, "EACH", N)
    at = np.arange(N)
    (block,) = model.links_.log_odds_blocks(at[:40], 40)
    statistics = model._fit.statistics
    plain = acvae.links.ranking.LinkRanking(statistics, model._fit.order, model._fit.probability)
    (reference,) = plain.log_odds_blocks(at[:40], 40)
    for table, whole in zip(block[1:], reference[1:], strict=True):
        real = np.isfinite(table)
        assert real.any(axis=1).sum() > 30
        np.testing.assert_allclose(table[real], whole[real], atol=1e-3)


def test_ranks_count_who_is_no_candidate_as_last(model):
    test = acvae.Graph(N, [(0, N - 1)])
    train = model.graph_
    hidden = test.with_edges(~train.has_edges(test.edges))
    ranks = acvae.metrics.link_ranks(model.links_, train, hidden)
    (_, _, block) = next(iter(model.links_.distance_blocks([0])))
    others = np.ones(N, dtype=bool)
    others[[0, *train.neighbors(0)]] = False
    assert ranks.test_rank[0] == (block[0, others] <= block[0, N - 1]).sum()
