"""GraphSAGE's graph and network, against plain averages over neighbours."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae import Graph
from acvae.exceptions import FeatureError
from acvae.nn.sage import SageGraph, SageNetwork

pytest.importorskip("torch_geometric")

GRAPH = Graph(6, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)])  # 5 is alone
X = np.random.default_rng(0).poisson(0.5, (6, 5)).astype(np.float32)
CPU = torch.device("cpu")


def neighbour_means(x):
    means = np.zeros_like(x)
    for i in range(6):
        if len(GRAPH.neighbors(i)):
            means[i] = x[GRAPH.neighbors(i)].mean(axis=0)
    return means


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_means_of_neighbours_are_zero_without_any(form):
    graph = SageGraph(form(X), GRAPH, CPU)
    found = graph.neighbour_means.rows().times(torch.eye(5))
    np.testing.assert_allclose(found.numpy(), neighbour_means(X), rtol=1e-6)


def test_neighbourhoods_one_after_the_other():
    neighbours, whose = SageGraph(X, GRAPH, CPU).neighbourhoods(np.array([3, 5, 0]))
    assert neighbours.tolist() == [2, 4, 1, 2]
    assert whose.tolist() == [0, 0, 2, 2]


def test_embeddings_are_two_layers_on_the_whole_graph():
    network, graph = SageNetwork(5, 4, 3, seed=1), SageGraph(X, GRAPH, CPU)

    def layer(conv, x):
        own, means = conv.lin_r.weight.detach().numpy(), conv.lin_l.weight.detach().numpy()
        return neighbour_means(x) @ means.T + conv.lin_l.bias.detach().numpy() + x @ own.T

    expected = layer(network.second, np.maximum(layer(network.first, X), 0))
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    vertices = np.array([4, 0, 4, 5, 2])  # repeated ones among them
    z, place = network.embed(graph, vertices)
    assert len(z) == 4
    np.testing.assert_allclose(z[place].detach().numpy(), expected[vertices], rtol=1e-4, atol=1e-5)


def test_the_seed_is_its_own():
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    first, again = (SageNetwork(5, 4, 3, seed=2).state_dict() for _ in range(2))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(first[name], again[name]) for name in first)


def test_negatives_are_drawn_by_degree_to_three_quarters():
    draw = SageGraph(X, GRAPH, CPU).negative_sampler()
    found = np.bincount(draw(20_000, np.random.default_rng(0)), minlength=6) / 20_000
    share = np.array([2, 2, 3, 2, 1, 0]) ** 0.75
    expected = share / share.sum()
    assert (np.abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / 20_000)).all()


@pytest.mark.parametrize(
    ("x", "graph", "telling"),
    [
        (X[:1], Graph(1, []), "at least two data points with one feature"),
        (np.zeros((6, 0)), GRAPH, "6 rows and 0 columns"),
        (X[:4], GRAPH, "4 rows of features but 6 vertices"),
    ],
)
def test_what_does_not_fit(x, graph, telling):
    with pytest.raises(FeatureError, match=telling):
        SageGraph(x, graph, CPU)
