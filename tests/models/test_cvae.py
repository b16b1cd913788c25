"""CVAE: the uniform mixture over spanning forests, correlated or not."""

import numpy as np
import pytest

from acvae import CVAE, Graph, load, sampled_spanning_tree_probabilities, spanning_tree_probabilities
from acvae.exceptions import OptionError, PosteriorError

TINY = {"latent_dim": 2, "hidden_dim": 4, "pair_hidden_dim": 5, "epochs": 3, "progress": False}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    # A triangle with a tail, a square, and an isolated vertex.
    graph = Graph(9, [(0, 1), (1, 2), (0, 2), (2, 3), (4, 5), (5, 6), (6, 7), (4, 7)])
    return rng.poisson(0.8, (9, 5)), graph


@pytest.mark.parametrize("correlated", [True, False])
def test_weights_are_spanning_tree_probabilities(data, correlated):
    model = CVAE(correlated, **TINY).fit(*data)
    expected = {(0, 1): 2 / 3, (1, 2): 2 / 3, (0, 2): 2 / 3, (2, 3): 1, (4, 5): 0.75}
    by_edge = dict(zip(map(tuple, data[1].edges.tolist()), model.weights_, strict=True))
    for edge, weight in expected.items():
        assert by_edge[edge] == pytest.approx(weight, abs=1e-9)
    np.testing.assert_allclose(model.weights_, spanning_tree_probabilities(data[1]))
    assert model.weights_.sum() == pytest.approx(9 - 3)


def test_weights_can_be_sampled(data, tmp_path):
    model = CVAE(edge_weights="sampled", n_trees=50, seed=4, **TINY).fit(*data)
    expected = sampled_spanning_tree_probabilities(data[1], 50, seed=4).probabilities
    np.testing.assert_array_equal(model.weights_, expected)
    assert not np.array_equal(model.weights_, spanning_tree_probabilities(data[1]))
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert (again.edge_weights, again.n_trees) == ("sampled", 50)
    np.testing.assert_array_equal(again.weights_, expected)


def test_options_of_the_weights():
    with pytest.raises(OptionError, match=r"edge_weights='guessed' is unknown.*'exact', 'sampled'"):
        CVAE(edge_weights="guessed")
    with pytest.raises(OptionError, match="n_trees must be a whole number of at least 2"):
        CVAE(n_trees=1)


def test_correlated_ranks_by_the_pair_network_and_has_no_joint(data):
    q = CVAE(True, **TINY).fit(*data).posterior_
    assert not q.has_joint
    rho = q.pair_correlation(np.arange(9)[:, None], np.arange(9))
    np.testing.assert_allclose(rho, rho.transpose(1, 0, 2), atol=1e-7)
    assert (np.abs(rho[~np.eye(9, dtype=bool)]) > 0).all()  # pairs without an edge too
    with pytest.raises(PosteriorError, match="joint"):
        q.sample(1)


def test_independent_has_no_correlations_and_no_pair_network(data):
    model = CVAE(False, **TINY).fit(*data)
    assert model.module_.pair_encoder is None
    assert model.posterior_.has_joint
    assert (model.posterior_.pair_correlation(0, np.arange(1, 9)) == 0).all()


def test_gamma_matters_to_the_correlated_one_only(data):
    def means(correlated, gamma):
        return CVAE(correlated, gamma=gamma, **TINY).fit(*data).posterior_.mean

    np.testing.assert_array_equal(means(False, 0.0), means(False, 100.0))
    assert not np.array_equal(means(True, 0.1), means(True, 100.0))
