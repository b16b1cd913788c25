"""Links ranked among candidates: as among all, where all are candidates, and else with the others last."""

import numpy as np
import pytest

import acvae
from acvae import GraphGaussian
from acvae.links.statistics import candidates as module

N = 150


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, N - 2, (3 * N, 2))
    x = (rng.random((N, 20)) < 0.2).astype(float)
    return GraphGaussian(latent_dim=4, solver="local", progress=False).fit(x, acvae.Graph(N, pairs))


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
