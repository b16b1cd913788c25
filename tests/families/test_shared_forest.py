"""The best spanning forest from shares of the edges, against all spanning forests."""

import numpy as np
import pytest

import oracles
from acvae import Graph
from acvae.engine.distributed import ALONE
from acvae.families.shared_forest import shared_forest
from worlds import together

EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3), (4, 5)]  # 6 is alone
GRAPH = Graph(7, EDGES)
WEIGHTS = np.random.default_rng(0).standard_normal(GRAPH.n_edges)


def best(maximum):
    """The edge set of the largest (or smallest) weight, and that weight, by trying all."""
    forests = oracles.all_spanning_forests(7, GRAPH.edges.tolist())
    totals = [WEIGHTS[list(chosen)].sum() for chosen in forests]
    at = int(np.argmax(totals) if maximum else np.argmin(totals))
    return sorted(forests[at]), totals[at]


@pytest.mark.parametrize("maximum", [True, False])
def test_alone(maximum):
    mask, total = shared_forest(ALONE, GRAPH, WEIGHTS, maximum=maximum)
    edges, expected = best(maximum)
    assert np.flatnonzero(mask).tolist() == edges
    assert total == pytest.approx(expected)


@pytest.mark.parametrize("size", [2, 3, 8])
@pytest.mark.parametrize("maximum", [True, False])
def test_shared(size, maximum):
    def work(world):
        own = world.share(GRAPH.n_edges).own
        return shared_forest(world, GRAPH, WEIGHTS[own.start : own.stop], maximum=maximum)

    edges, expected = best(maximum)
    for mask, total in together(size, work):
        assert np.flatnonzero(mask).tolist() == edges
        assert total == pytest.approx(expected)


@pytest.mark.parametrize("size", [1, 3])
def test_among_equals_ties_decide(size):
    ties = np.random.default_rng(1).permutation(GRAPH.n_edges).astype(float)

    def work(world):
        own = slice(*(GRAPH.n_edges * (world.rank + k) // world.size for k in (0, 1)))
        equal = np.ones(GRAPH.n_edges)[own]
        return shared_forest(world, GRAPH, equal, ties[own], maximum=True)[0]

    masks = together(size, work)
    alone, _ = shared_forest(ALONE, GRAPH, np.ones(GRAPH.n_edges), ties, maximum=True)
    for mask in masks:
        np.testing.assert_array_equal(mask, alone)
    assert alone.sum() == 4  # seven vertices in three trees
