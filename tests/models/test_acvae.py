"""ACVAE: weights that adapt, a joint on a forest, and what it finds where the truth is known."""

import networkx as nx
import numpy as np
import pytest
import torch

import acvae
from acvae import ACVAE, CVAE, Graph, spanning_forest
from acvae.datasets.tree import true_tree

TINY = {"latent_dim": 2, "hidden_dim": 4, "pair_hidden_dim": 5, "progress": False}
OBJECTIVES = ["empirical-bayes", "saddle-point"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    edges = np.concatenate([rng.integers(0, 20, (50, 2)), rng.integers(20, 35, (30, 2))])
    return rng.poisson(0.8, (37, 6)), Graph(37, edges)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_weights_end_in_the_polytope_and_round_to_a_spanning_forest(data, objective):
    x, graph = data
    model = ACVAE(objective, **TINY, epochs=15, learning_rate=1e-2).fit(x, graph)
    w = model.weights_
    assert w.min() >= 0
    assert w.max() <= 1
    network = nx.Graph(map(tuple, graph.edges.tolist()))
    network.add_nodes_from(range(37))
    components = list(nx.connected_components(network))
    for component in components:
        inside = np.isin(graph.edges[:, 0], list(component))
        assert w[inside].sum() == pytest.approx(len(component) - 1, abs=1e-9)
    forest = nx.Graph(map(tuple, model.posterior_.forest.tolist()))
    assert nx.is_forest(forest)
    assert len(model.posterior_.forest) == 37 - len(components)
    chosen = graph.has_edges(model.posterior_.forest)
    assert chosen.all()
    heaviest = spanning_forest(37, graph.edges, w, maximum=True)
    picked = np.isin(graph.edges @ [37, 1], model.posterior_.forest @ [37, 1])
    assert w[picked].sum() == pytest.approx(w[heaviest].sum())


def test_the_options_go_for_the_lightest_and_the_heaviest_forest(data):
    x, graph = data
    seen = {}

    def look(state):
        seen["masses"] = state.family.edge_masses()

    for objective, maximum in zip(OBJECTIVES, (False, True), strict=True):
        options = TINY | {"epochs": 2, "weight_step": 1.0}  # w is then the forest of the last epoch
        model = ACVAE(objective, **options).fit(x, graph, callbacks=[look])
        best = spanning_forest(37, graph.edges, seen["masses"], maximum)
        np.testing.assert_array_equal(model.posterior_.forest, graph.edges[best])
        by_networkx = nx.Graph()
        by_networkx.add_weighted_edges_from(
            (u, v, m) for (u, v), m in zip(graph.edges.tolist(), seen["masses"], strict=True)
        )
        span = nx.maximum_spanning_edges if maximum else nx.minimum_spanning_edges
        total = sum(d["weight"] for *_, d in span(by_networkx))
        assert seen["masses"][best].sum() == pytest.approx(total)


def test_on_a_tree_there_is_nothing_to_choose_and_both_options_agree():
    rng = np.random.default_rng(0)
    tree = Graph(12, [(i, rng.integers(0, i)) for i in range(1, 12)])
    x = rng.poisson(0.8, (12, 6))
    a, b = (ACVAE(o, **TINY, epochs=3).fit(x, tree) for o in OBJECTIVES)
    assert (a.weights_ == 1).all()
    np.testing.assert_array_equal(a.posterior_.forest, tree.edges)
    np.testing.assert_array_equal(a.posterior_.mean, b.posterior_.mean)
    # CVAE's weights are all one too, so the training is the same, only read without a joint.
    np.testing.assert_array_equal(CVAE(**TINY, epochs=3).fit(x, tree).posterior_.mean, a.posterior_.mean)


def test_components_are_uncorrelated_and_the_joint_can_be_sampled(data):
    q = ACVAE(**TINY, epochs=2).fit(*data).posterior_
    assert (q.pair_correlation(np.arange(20)[:, None], np.arange(20, 35)) == 0).all()
    assert np.isfinite(q.log_prob(q.sample(3))).all()


def test_pairwise_posterior_agrees_with_the_joint_on_forest_edges(data):
    x, graph = data
    model = ACVAE(**TINY, epochs=2).fit(x, graph)
    pairwise = model.pairwise_posterior(x)
    np.testing.assert_allclose(
        pairwise.pair_correlation(*model.posterior_.forest.T), model.posterior_.joint.correlation, atol=1e-5
    )
    np.testing.assert_array_equal(pairwise.mean, model.posterior_.mean)


@pytest.mark.parametrize("make", [ACVAE, lambda **o: CVAE(False, **o, latent_dim=200)], ids=["acvae", "cvae"])
def test_default_batches_give_the_same_bits_on_several_threads(make):
    # Large enough for PyTorch to share a step's gradients out over threads.
    rng = np.random.default_rng(0)
    x, graph = (rng.random((300, 40)) < 0.2).astype(float), Graph(300, rng.integers(0, 300, (2000, 2)))
    threads = torch.get_num_threads()
    torch.set_num_threads(max(2, threads))
    try:
        first, *others = (make(epochs=1, progress=False).fit(x, graph).posterior_ for _ in range(4))
    finally:
        torch.set_num_threads(threads)
    for other in others:
        np.testing.assert_array_equal(other.mean, first.mean)
        np.testing.assert_array_equal(other.joint.correlation, first.joint.correlation)


@pytest.mark.slow
def test_empirical_bayes_finds_the_true_tree_among_random_edges():
    data = acvae.datasets.load("tree", n_vertices=2000, seed=0)
    truth = true_tree(data)
    rng = np.random.default_rng(0)
    random = spanning_forest(2000, data.graph.edges, rng.random(data.graph.n_edges))
    by_chance = truth.has_edges(data.graph.edges[random]).mean()
    steps_per_epoch = -(-data.graph.n_edges // 256)
    model = ACVAE(
        "empirical-bayes",
        likelihood="bernoulli",
        tau=0.95,
        gamma=1.0,
        epochs=-(-3000 // steps_per_epoch),
        progress=False,
    ).fit(data.features, data.graph)
    found = truth.has_edges(model.posterior_.forest).mean()
    assert 0.3 < by_chance < 0.4
    assert found >= 0.6
