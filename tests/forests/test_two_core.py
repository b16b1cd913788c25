import networkx as nx
import numpy as np
import pytest

import oracles
from acvae import Graph
from acvae.forests.two_core import two_core_edges


@pytest.mark.parametrize("seed", range(8))
def test_as_networkx(seed):
    graph = Graph(40, oracles.random_graph_edges(np.random.default_rng(seed), 40, 44))
    core = set(nx.k_core(graph.to_networkx(), 2).nodes)
    expected = [u in core and v in core for u, v in graph.edges.tolist()]
    assert two_core_edges(40, graph.edges).tolist() == expected
    assert 0 < sum(expected) < graph.n_edges


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_forests_have_none(shape):
    edges = Graph(60, oracles.forest_edges(shape, 60, np.random.default_rng(0))).edges
    assert not two_core_edges(60, edges).any()


def test_long_chain_on_a_cycle():
    n = 30_000  # would take 30,000 rounds, one vertex each
    chain = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    edges = Graph(n, np.concatenate([chain, [[0, 2]]])).edges
    assert edges[two_core_edges(n, edges)].tolist() == [[0, 1], [0, 2], [1, 2]]
