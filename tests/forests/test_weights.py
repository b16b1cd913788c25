from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from acvae import Graph
from acvae.exceptions import GraphError, OptionError
from acvae.forests import WeightState, initial_weights, round_to_forest, spanning_forest, update_weights
from acvae.forests.weights import SETTLED_WITHIN, merge_forests, part_forest, settled_share


def random_graph(seed, n=30, m=60):
    return Graph(n, oracles.random_graph_edges(np.random.default_rng(seed), n, m))


def assert_in_polytope(graph, weights, rng, subsets=40):
    """In [0, 1], k − 1 on each component, and at most the rank of the edges inside any set of vertices."""
    assert ((weights >= 0) & (weights <= 1)).all()
    for c in range(graph.n_components):
        inside = graph.components[graph.edges[:, 0]] == c
        assert weights[inside].sum() == pytest.approx((graph.components == c).sum() - 1, abs=1e-9)
    for _ in range(subsets):
        kept = rng.random(graph.n_vertices) < rng.random()
        inside = kept[graph.edges].all(axis=1)
        rank = graph.n_vertices - oracles.count_components(graph.n_vertices, graph.edges[inside].tolist())
        assert weights[inside].sum() <= rank + 1e-9


@pytest.mark.parametrize("maximum", [True, False])
@pytest.mark.parametrize(("n", "m"), [(30, 60), (40, 35)])  # the second falls into many components
def test_weights_stay_in_the_polytope(n, m, maximum):
    rng = np.random.default_rng(n)
    graph = random_graph(n, n, m)
    state = initial_weights(graph, seed=1)
    assert_in_polytope(graph, state.weights, rng)
    for step in range(300):
        masses = rng.normal(size=graph.n_edges) * 10.0 ** rng.integers(-9, 9)
        state, _ = update_weights(
            state, masses, graph, maximum=maximum, step_size=rng.choice([0.01, 0.1, 0.9, 1.0])
        )
        assert state.step == step + 1
        if step % 30 == 0:
            assert_in_polytope(graph, state.weights, rng)
            forest = round_to_forest(state, graph, masses, maximum=maximum)
            assert forest.sum() == n - graph.n_components
            assert oracles.count_components(n, graph.edges[forest].tolist()) == graph.n_components
    assert_in_polytope(graph, state.weights, rng)


def test_sums_do_not_drift_over_many_updates():
    graph = random_graph(3)
    rng = np.random.default_rng(3)
    state = initial_weights(graph)
    for _ in range(5000):
        state, _ = update_weights(state, rng.normal(size=graph.n_edges), graph, maximum=True)
    assert state.weights.sum() == pytest.approx(graph.n_vertices - graph.n_components, abs=1e-10)
    assert state.step == 5000


def test_one_update_by_hand():
    triangle = Graph(3, [[0, 1], [0, 2], [1, 2]])
    state = WeightState(np.array([1.0, 1.0, 0.0]), 4)
    masses = np.array([5.0, -1.0, 2.0])  # smallest: edges 1 and 2; largest: edges 0 and 2
    smallest, info = update_weights(state, masses, triangle, maximum=False, step_size=0.25)
    assert smallest.weights.tolist() == [0.75, 1.0, 0.25]
    assert smallest.step == 5
    assert info.forest.tolist() == [False, True, True]
    assert info.forest_mass == 1.0
    assert info.settled == pytest.approx(1 / 3)
    largest, info = update_weights(state, masses, triangle, maximum=True, step_size=0.25)
    assert largest.weights.tolist() == [1.0, 0.75, 0.25]
    assert info.forest_mass == 7.0


def test_update_is_pure():
    graph = random_graph(4)
    state = initial_weights(graph, seed=2)
    before, masses = state.weights.copy(), np.random.default_rng(0).normal(size=graph.n_edges)
    given_masses = masses.copy()
    one, _ = update_weights(state, masses, graph, maximum=True)
    two, _ = update_weights(state, masses, graph, maximum=True)
    assert np.array_equal(state.weights, before)
    assert np.array_equal(masses, given_masses)
    assert np.array_equal(one.weights, two.weights)


def test_constant_masses_converge_to_their_forest():
    graph = random_graph(5)
    masses = np.random.default_rng(1).normal(size=graph.n_edges)
    state = initial_weights(graph, seed=9)
    for _ in range(200):
        state, info = update_weights(state, masses, graph, maximum=False)
    best = spanning_forest(graph.n_vertices, graph.edges, masses, maximum=False)
    np.testing.assert_allclose(state.weights, best, atol=0.9**200)
    assert info.settled == 1.0
    assert np.array_equal(round_to_forest(state, graph, maximum=False), best)


def test_settled_weights_stay_to_the_bit():
    graph = random_graph(6)
    masses = np.random.default_rng(1).normal(size=graph.n_edges)
    settled = WeightState(spanning_forest(30, graph.edges, masses).astype(float), 0)
    after, _ = update_weights(settled, masses, graph, maximum=True, step_size=0.1)
    assert np.array_equal(after.weights, settled.weights)


def test_initial_weights_are_a_random_spanning_forest():
    graph = random_graph(7)
    first = initial_weights(graph, seed=0)
    assert set(first.weights.tolist()) <= {0.0, 1.0}
    assert first.step == 0
    chosen = first.weights == 1
    assert chosen.sum() == graph.n_vertices - graph.n_components
    assert oracles.count_components(30, graph.edges[chosen].tolist()) == graph.n_components
    assert np.array_equal(initial_weights(graph, seed=0).weights, first.weights)
    assert not np.array_equal(initial_weights(graph, seed=1).weights, first.weights)


def test_rounding_ties_go_by_mass_in_the_options_direction_then_by_edge_order():
    triangle = Graph(3, [[0, 1], [0, 2], [1, 2]])
    state = WeightState(np.full(3, 2 / 3), 0)
    masses = [1.0, 3.0, 2.0]
    assert round_to_forest(state, triangle, masses, maximum=True).tolist() == [False, True, True]
    assert round_to_forest(state, triangle, masses, maximum=False).tolist() == [True, False, True]
    assert round_to_forest(state, triangle, maximum=False).tolist() == [True, True, False]
    uneven = WeightState(np.array([0.5, 0.6, 0.9]), 0)
    assert round_to_forest(uneven, triangle, masses, maximum=False).tolist() == [False, True, True]


@given(st.lists(st.floats(0, 1), max_size=12))
@settings(max_examples=40, deadline=None)
def test_settled_share(weights):
    near = [w for w in weights if min(w, 1 - w) <= SETTLED_WITHIN]
    expected = len(near) / len(weights) if weights else 1.0
    assert settled_share(np.array(weights)) == pytest.approx(expected)


def test_graph_without_edges():
    graph = Graph(4, [])
    state, info = update_weights(initial_weights(graph), [], graph, maximum=True)
    assert state.weights.shape == (0,)
    assert info.forest_mass == 0
    assert info.settled == 1


def test_bad_masses_change_nothing():
    graph = Graph(3, [[0, 1], [1, 2]])
    state = initial_weights(graph)
    before = state.weights.copy()
    with pytest.raises(GraphError, match="NaN at edge 1"):
        update_weights(state, [0.0, np.nan], graph, maximum=True)
    with pytest.raises(GraphError, match="one number per edge"):
        update_weights(state, [0.0], graph, maximum=True)
    assert np.array_equal(state.weights, before)


@pytest.mark.parametrize("step_size", [-0.1, 1.1, float("nan"), "fast"])
def test_bad_step_size(step_size):
    graph = Graph(3, [[0, 1], [1, 2]])
    with pytest.raises(OptionError, match="step_size must be a finite number"):
        update_weights(initial_weights(graph), [0.0, 1.0], graph, maximum=True, step_size=step_size)


class TestAForestFoundInParts:
    @given(
        st.integers(2, 12), st.integers(0, 40), st.integers(1, 5), st.booleans(), st.integers(0, 2**32 - 1)
    )
    def test_merged_forests_are_the_forest_of_all_edges(self, n, m, parts, maximum, seed):
        rng = np.random.default_rng(seed)
        graph = Graph(n, rng.integers(0, n, (m, 2)))
        m = graph.n_edges
        weights, ties = (rng.integers(0, 3, m).astype(np.float64) for _ in range(2))  # many are equal
        bounds = np.sort(np.concatenate([[0, m], rng.integers(0, m + 1, parts - 1)]))
        for second in (None, ties):
            found = [
                part_forest(
                    graph,
                    range(a, b),
                    weights[a:b],
                    None if second is None else second[a:b],
                    maximum=maximum,
                )
                for a, b in pairwise(bounds.tolist())
            ]
            rng.shuffle(found)  # in whatever order they come
            merged = reduce(lambda a, b: merge_forests(graph, a, b, maximum=maximum), found)
            expected = spanning_forest(n, graph.edges, weights, maximum, ties=second)
            np.testing.assert_array_equal(merged.edges, np.flatnonzero(expected))
            np.testing.assert_array_equal(merged.weights, weights[expected])
