"""CVAE: the uniform mixture over spanning forests, correlated or not."""

import numpy as np
import pytest
from sklearn.base import clone

from acvae import (
    CVAE,
    Graph,
    Posterior,
    load,
    sampled_spanning_tree_probabilities,
    spanning_tree_probabilities,
)
from acvae.exceptions import FeatureError, OptionError, PosteriorError
from acvae.gaussian.graph import joint

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


class TestJointOnTheGraph:
    """`posterior="graph"`: the same training, read as one distribution on all edges."""

    def test_it_is_what_the_pair_network_says_of_the_edges(self, data):
        x, graph = data
        model = CVAE(posterior="graph", **TINY).fit(x, graph)
        pairs = CVAE(tau=0.8, **TINY).fit(x, graph)
        q = model.posterior_
        assert q.has_joint
        np.testing.assert_array_equal(q.mean, pairs.posterior_.mean)
        rho = pairs.posterior_.pair_correlation(*graph.edges.T)
        by_hand = Posterior.on_graph(q.mean, q.std, graph, rho, model.weights_)
        np.testing.assert_allclose(q.distances(np.arange(9)), by_hand.distances(np.arange(9)), atol=1e-5)
        assert (q.pair_correlation(0, [4, 8]) == 0).all()  # no path
        assert (q.pair_correlation(0, 3) != 0).all()  # no edge, but a path

    def test_on_a_tree_it_is_the_joint_on_the_forest(self, data):
        x, _ = data
        tree = Graph(9, [(i, i + 1) for i in range(8)])
        model = CVAE(posterior="graph", **TINY).fit(x, tree)
        rho = model.pairwise_posterior(x).pair_correlation(*tree.edges.T)
        forest = Posterior(model.posterior_.mean, model.posterior_.std, tree.edges, rho)
        everyone = np.arange(9)
        np.testing.assert_allclose(
            model.posterior_.distances(everyone), forest.distances(everyone), rtol=1e-4, atol=1e-5
        )

    def test_of_a_trained_model(self, data):
        x, graph = data
        asked = CVAE(posterior="graph", **TINY).fit(x, graph).posterior_
        found = CVAE(tau=0.8, **TINY).fit(x, graph).graph_posterior(x)
        np.testing.assert_array_equal(found.distances([0, 5]), asked.distances([0, 5]))

    def test_sampled_weights_belong_to_a_joint_too(self, data):
        model = CVAE(posterior="graph", edge_weights="sampled", n_trees=20, **TINY).fit(*data)
        assert np.isfinite(model.posterior_.log_prob(model.posterior_.mean))

    def test_while_training(self, data):
        seen = []
        model = CVAE(posterior="graph", **TINY)
        model.fit(*data, callbacks=[lambda state: seen.append(state.posterior().entropy())])
        assert seen[-1] == pytest.approx(model.posterior_.entropy())
        assert len(set(seen)) == 3

    def test_the_graph_is_eliminated_once(self, data, monkeypatch):
        calls, eliminate = [], joint.eliminate
        monkeypatch.setattr(joint, "eliminate", lambda *a, **k: calls.append(a) or eliminate(*a, **k))
        CVAE(posterior="graph", **TINY).fit(*data).posterior_.distances([0])
        assert len(calls) == 1

    def test_too_large_a_graph_is_refused_before_training(self, data, monkeypatch):
        monkeypatch.setattr("acvae.forests.elimination.order.available_memory", lambda: 100)
        with pytest.raises(PosteriorError, match="the joint on this graph needs"):
            CVAE(posterior="graph", **TINY).fit(*data, callbacks=[pytest.fail])

    def test_tables_and_graphs_of_it_have_all_edges(self, data):
        q = CVAE(posterior="graph", **TINY).fit(*data).posterior_
        table = q.to_pandas(table="forest")
        assert len(table) == q.to_networkx().number_of_edges() == data[1].n_edges
        expected = q.pair_correlation(*data[1].edges.T)
        np.testing.assert_allclose(table[["correlation_0", "correlation_1"]], expected, atol=1e-6)

    def test_saved_and_loaded(self, data, tmp_path):
        model = CVAE(posterior="graph", **TINY).fit(*data)
        model.save(tmp_path / "model")
        again = load(tmp_path / "model")
        assert again.posterior == "graph"
        np.testing.assert_array_equal(again.posterior_.sample(2, seed=1), model.posterior_.sample(2, seed=1))

    def test_options(self, data):
        with pytest.raises(OptionError, match=r"posterior='forest' is unknown.*'pairs', 'graph'"):
            CVAE(posterior="forest")
        with pytest.raises(OptionError, match="for a correlated CVAE, and this one has correlated=False"):
            CVAE(False, posterior="graph")
        model = CVAE(**TINY).fit(*data)
        with pytest.raises(FeatureError, match=r"trained on 9 rows of features.*needs those, not 4"):
            model.graph_posterior(data[0][:4])
        with pytest.raises(OptionError, match="correlations need a model with a pair encoder"):
            CVAE(False, **TINY).fit(*data).graph_posterior(data[0])


class TestOneDefaultOfTau:
    """The prior's correlation across an edge, in Python and on the command line."""

    @pytest.mark.parametrize(
        ("method", "options", "tau"),
        [
            ("cvae-graph", {"posterior": "graph"}, 0.8),
            ("cvae-corr", {}, 0.99),
            ("cvae-ind", {"correlated": False}, 0.99),
        ],
    )
    def test_is_what_both_train_with(self, data, method, options, tau):
        trained = []
        by_hand = CVAE(**options, **TINY)
        for model in (by_hand, by_name(method).set_params(**TINY)):
            model.fit(*data, callbacks=[lambda state: trained.append(state.family.tau)])
        assert set(trained) == {tau}

    def test_a_tau_that_is_given_is_taken(self, data):
        trained = []
        look = [lambda state: trained.append(state.family.tau)]
        CVAE(posterior="graph", tau=0.5, **TINY).fit(*data, callbacks=look)
        assert set(trained) == {0.5}

    def test_options_go_round(self, data, tmp_path):
        model = CVAE(posterior="graph", **TINY)
        assert model.get_params()["tau"] is None
        assert clone(model).get_params() == model.get_params()
        model.fit(*data).save(tmp_path / "model")
        again = load(tmp_path / "model")
        assert again.get_params() == model.get_params()
        np.testing.assert_array_equal(again.fit(*data).posterior_.mean, model.posterior_.mean)


def by_name(method):
    """The model as the command line makes it."""
    try:
        from acvae.methods import METHODS
    except ImportError:
        from acvae.runs.methods import make_model

        return make_model(method, {}, progress=False)
    return METHODS[method].make({}, progress=False)
