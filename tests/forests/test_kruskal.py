import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from acvae import spanning_forest
from acvae.exceptions import GraphError
from acvae.forests import kruskal
from acvae.forests.kruskal import find_cycle_edge

MASSES = {
    "normal": lambda rng, m: rng.normal(size=m),
    "zeros": lambda rng, m: np.zeros(m),
    "mostly zero": lambda rng, m: rng.normal(size=m) * (rng.random(m) < 0.3),
    "negative": lambda rng, m: -rng.random(m) - 1,
    "few values": lambda rng, m: rng.integers(-2, 3, size=m).astype(float),
    "integers": lambda rng, m: rng.integers(-9, 9, size=m),
    "huge range": lambda rng, m: rng.choice([-1.0, 1.0], m) * 10.0 ** rng.integers(-300, 301, m),
    "subnormal": lambda rng, m: rng.integers(-3, 4, size=m) * 5e-324,
    "float32": lambda rng, m: rng.normal(size=m).astype(np.float32),
}


def networkx_masses(n, edges, masses, maximum):
    """Sorted masses of NetworkX's spanning forest; every optimal forest has the same ones."""
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(
        (u, v, w) for (u, v), w in zip(edges.tolist(), masses.tolist(), strict=True)
    )
    solve = nx.maximum_spanning_edges if maximum else nx.minimum_spanning_edges
    return sorted(data["weight"] for *_, data in solve(graph, data=True))


def assert_spanning(n, edges, mask):
    chosen = edges[mask]
    assert mask.sum() == n - oracles.count_components(n, edges)
    assert oracles.count_components(n, chosen) == oracles.count_components(n, edges)


@pytest.mark.parametrize("maximum", [True, False])
@pytest.mark.parametrize("kind", MASSES)
def test_same_masses_as_networkx(kind, maximum):
    rng = np.random.default_rng(0)
    for n, m in [(2, 1), (6, 8), (12, 40), (30, 25), (40, 120)]:  # 30 vertices, 25 edges: many components
        edges = oracles.random_graph_edges(rng, n, m)
        masses = MASSES[kind](rng, len(edges))
        mask = spanning_forest(n, edges, masses, maximum)
        assert mask.dtype == bool
        assert_spanning(n, edges, mask)
        assert sorted(masses[mask].tolist()) == networkx_masses(n, edges, masses, maximum)


@pytest.mark.parametrize("maximum", [True, False])
def test_best_total_among_all_spanning_forests(maximum):
    rng = np.random.default_rng(1)
    for _ in range(20):
        edges = oracles.random_graph_edges(rng, 6, 9)
        masses = rng.integers(-4, 5, size=len(edges)).astype(float)
        totals = [masses[list(forest)].sum() for forest in oracles.all_spanning_forests(6, edges)]
        found = masses[spanning_forest(6, edges, masses, maximum)].sum()
        assert found == (max(totals) if maximum else min(totals))


@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.integers(0, 5),
            st.floats(allow_nan=False, allow_infinity=True),
            st.integers(-1, 1),
        ),
        max_size=14,
    ),
    st.booleans(),
)
@settings(max_examples=120, deadline=None)
def test_first_in_the_order_of_mass_then_ties_then_number(drawn, maximum):
    """Kruskal is the lexicographically best basis: an edge is in iff the better ones do not join its ends.

    Edges may be parallel, self-loops or infinite.
    """
    edges = np.array([d[:2] for d in drawn], dtype=np.int64).reshape(-1, 2)
    masses = np.array([d[2] for d in drawn])
    ties = np.array([d[3] for d in drawn], dtype=float)
    sign = -1 if maximum else 1
    better = sorted(range(len(drawn)), key=lambda e: (sign * masses[e], sign * ties[e], e))
    expected = np.zeros(len(drawn), dtype=bool)
    for place, e in enumerate(better):
        label = oracles.component_labels(6, edges[better[:place]])
        expected[e] = label[edges[e, 0]] != label[edges[e, 1]]
    assert np.array_equal(spanning_forest(6, edges, masses, maximum, ties=ties), expected)


def test_zero_is_a_mass_like_any_other():
    # The cheapest spanning tree of a triangle with masses -1, 0, 1 leaves out the 1.
    triangle = np.array([[0, 1], [1, 2], [0, 2]])
    assert spanning_forest(3, triangle, [0.0, 1.0, -1.0], maximum=False).tolist() == [True, False, True]
    assert spanning_forest(3, triangle, [0.0, 1.0, -1.0], maximum=True).tolist() == [True, True, False]


def test_infinite_masses():
    triangle = np.array([[0, 1], [1, 2], [0, 2]])
    masses = [np.inf, 1e300, -np.inf]
    assert spanning_forest(3, triangle, masses, maximum=True).tolist() == [True, True, False]
    assert spanning_forest(3, triangle, masses, maximum=False).tolist() == [False, True, True]


def test_signed_zeros_are_equal():
    triangle = np.array([[0, 1], [1, 2], [0, 2]])
    for maximum in (True, False):
        assert spanning_forest(3, triangle, [-0.0, 0.0, -0.0], maximum).tolist() == [True, True, False]


def test_ties_go_by_the_second_criterion_in_the_same_direction_then_by_edge_order():
    triangle = np.array([[0, 1], [1, 2], [0, 2]])
    equal = np.zeros(3)
    assert spanning_forest(3, triangle, equal).tolist() == [True, True, False]
    assert spanning_forest(3, triangle, equal, ties=[1.0, 3.0, 2.0]).tolist() == [False, True, True]
    assert spanning_forest(3, triangle, equal, False, ties=[1.0, 3.0, 2.0]).tolist() == [True, False, True]
    assert spanning_forest(3, triangle, equal, ties=[1.0, 1.0, 1.0]).tolist() == [True, True, False]


@pytest.mark.parametrize("maximum", [True, False])
def test_edge_order_decides_among_many_equal_masses(maximum):
    rng = np.random.default_rng(4)
    edges = rng.permutation(oracles.random_graph_edges(rng, 100, 2000))
    masses = rng.integers(0, 2, size=2000).astype(float)
    expected = np.zeros(2000, dtype=bool)
    label = np.arange(100)
    for value in (1.0, 0.0) if maximum else (0.0, 1.0):
        for e in np.flatnonzero(masses == value):
            u, v = label[edges[e]]
            if u != v:
                label[label == u] = v
                expected[e] = True
    assert np.array_equal(spanning_forest(100, edges, masses, maximum), expected)


def in_sorted_order(n, edges, masses, maximum):
    """Kruskal on all edges at once, sorted by NumPy and joined by relabelling."""
    chosen = np.zeros(len(edges), dtype=bool)
    label = np.arange(n)
    for e in np.argsort(-masses if maximum else masses, kind="stable"):
        u, v = label[edges[e]]
        if u != v:
            label[label == u] = v
            chosen[e] = True
    return chosen


@given(
    st.integers(2, 40),
    st.integers(0, 300),
    st.integers(1, 20),
    st.sampled_from(sorted(MASSES.keys() - {"float32"})),
    st.booleans(),
    st.integers(0, 1000),
)
@settings(max_examples=150, deadline=None)
def test_filtering_by_fronts_changes_nothing(n, m, front_size, kind, maximum, seed):
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, n, (m, 2))
    masses = MASSES[kind](rng, m)
    keys = kruskal._sort_keys("weights", masses, m, maximum)
    found = kruskal._filtered(n, edges, keys, front_size)
    assert np.array_equal(found, in_sorted_order(n, edges, masses, maximum))


@pytest.mark.parametrize("kind", ["random", "equal", "clusters", "path first", "self-loops"])
def test_more_edges_than_are_sorted_at_once(kind):
    rng = np.random.default_rng(6)
    n, m = 500, 2 * kruskal.SMALL
    edges = rng.integers(0, n, (m, 2))
    masses = rng.normal(size=m)
    if kind == "equal":
        masses = np.zeros(m)
    elif kind == "clusters":  # one after the other in the order, so that no front drops much
        cluster = np.arange(m) * 10 // m
        edges = 50 * cluster[:, None] + rng.integers(0, 50, (m, 2))
        masses = cluster + rng.random(m)
    elif kind == "path first":
        edges[-n + 1 :] = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
        masses[-n + 1 :] = 100 + np.arange(n - 1)
    elif kind == "self-loops":
        edges[:, 1] = edges[:, 0]
    for maximum in (True, False):
        found = spanning_forest(n, edges, masses, maximum)
        assert np.array_equal(found, in_sorted_order(n, edges, masses, maximum))


@pytest.mark.parametrize("kind", [*MASSES, "extended", "uint64"])
def test_keys_are_in_the_order_of_the_masses(kind):
    rng = np.random.default_rng(7)
    made = MASSES | {
        "extended": lambda rng, m: 1 + rng.integers(0, 9, size=m) * np.finfo(np.longdouble).eps,
        "uint64": lambda rng, m: rng.integers(0, 2**64, size=m, dtype=np.uint64),
    }
    masses = made[kind](rng, 60)
    up = kruskal._sort_keys("weights", masses, 60, False)
    down = kruskal._sort_keys("weights", masses, 60, True)
    less, equal = masses[:, None] < masses, masses[:, None] == masses
    assert np.array_equal(up[:, None] < up, less)
    assert np.array_equal(down[:, None] > down, less)
    assert np.array_equal(up[:, None] == up, equal)
    assert np.array_equal(down[:, None] == down, equal)


def test_ties_never_beat_the_mass():
    parallel = np.array([[0, 1], [1, 0]])
    assert spanning_forest(2, parallel, [1.0, 2.0], ties=[9.0, 0.0]).tolist() == [False, True]


def test_self_loops_are_never_chosen_and_parallel_edges_compete():
    edges = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert spanning_forest(2, edges, [9.0, 1.0, 2.0, 9.0]).tolist() == [False, False, True, False]
    assert spanning_forest(1, [[0, 0]], [1.0]).tolist() == [False]


@pytest.mark.parametrize(
    "masses",
    [
        np.array([-(2**63), 5], dtype=np.int64),
        np.array([1, 2**63 + 5], dtype=np.uint64),
        np.array([2**62, 2**62 + 1], dtype=np.int64),
        np.array([False, True]),
        np.array([1, 2], dtype=np.float16),
        torch.tensor([1.0, 2.0], requires_grad=True),
    ],
    ids=["smallest int64", "large uint64", "beyond 2^53", "bool", "float16", "tensor"],
)
def test_masses_of_other_types_are_compared_exactly(masses):
    parallel = np.array([[0, 1], [0, 1]])
    assert spanning_forest(2, parallel, masses, maximum=True).tolist() == [False, True]
    assert spanning_forest(2, parallel, masses, maximum=False).tolist() == [True, False]


def test_same_input_same_output():
    rng = np.random.default_rng(2)
    edges = oracles.random_graph_edges(rng, 50, 300)
    masses = rng.integers(0, 3, size=300).astype(float)
    first = spanning_forest(50, edges, masses)
    assert all(np.array_equal(spanning_forest(50, edges, masses), first) for _ in range(3))
    # Directions do not matter, and neither do more vertices.
    assert np.array_equal(spanning_forest(60, edges[:, ::-1], masses), first)


def test_forests_merge():
    """MSF(A ∪ B) = MSF(MSF(A) ∪ MSF(B)), which lets weight updates be sharded."""
    rng = np.random.default_rng(3)
    edges = oracles.random_graph_edges(rng, 30, 150)
    masses = rng.normal(size=150)
    whole = spanning_forest(30, edges, masses)
    survivors = np.zeros(150, dtype=bool)
    for shard in np.array_split(rng.permutation(150), 4):
        survivors[shard[spanning_forest(30, edges[shard], masses[shard])]] = True
    merged = np.flatnonzero(survivors)[spanning_forest(30, edges[survivors], masses[survivors])]
    assert np.array_equal(merged, np.flatnonzero(whole))


@pytest.mark.parametrize("n", [0, 1, 7])
def test_no_edges(n):
    assert spanning_forest(n, [], []).shape == (0,)


def test_long_path_and_large_star():
    n = 20_000
    path = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    assert spanning_forest(n, path, np.zeros(n - 1)).all()
    star = np.stack([np.zeros(n - 1, dtype=int), np.arange(1, n)], axis=1)
    both = spanning_forest(n, np.concatenate([path, star]), np.repeat([1.0, 2.0], n - 1))
    assert both[n - 1 :].all()
    assert not both[: n - 1].any()


@pytest.mark.parametrize(
    ("n", "edges", "masses", "telling"),
    [
        (3, [[0, 3]], [1.0], r"must lie in 0…2, but they span 0…3"),
        (3, [[-1, 0]], [1.0], r"span -1…0"),
        (3, [[0.0, 1.0]], [1.0], r"integers of shape \(m, 2\), got float64"),
        (3, [[0, 1, 2]], [1.0], r"integers of shape \(m, 2\), got int64 \(1, 3\)"),
        (3, [[0, 1]], [1.0, 2.0], r"weights must have one number per edge: shape \(1,\), got \(2,\)"),
        (3, [[0, 1]], [np.nan], "weights has a NaN at edge 0"),
        (3, [[0, 1]], ["heavy"], "weights must be real numbers, got <U5"),
        (3, [[0, 1]], [1j], "weights must be real numbers, got complex128"),
        (3, [], [1.0], r"shape \(0,\), got \(1,\)"),
        (-1, [], [], "n_vertices must be a whole number of at least 0, not -1"),
        (
            2**62,
            [],
            [],
            r"4,611,686,018,427,387,904 vertices take 36,893,488,147 GB of memory, and .* are free",
        ),
        (3.0, [[0, 1]], [1.0], "n_vertices must be a whole number of at least 0, not 3.0"),
    ],
)
def test_bad_input(n, edges, masses, telling):
    with pytest.raises(ValueError, match=telling) as caught:
        spanning_forest(n, edges, masses)
    assert type(caught.value).__module__ == "acvae.exceptions"


def test_bad_ties():
    with pytest.raises(GraphError, match="ties has a NaN at edge 1"):
        spanning_forest(3, [[0, 1], [1, 2]], [1.0, 1.0], ties=[0.0, np.nan])
    with pytest.raises(GraphError, match="ties must have one number per edge"):
        spanning_forest(3, [[0, 1]], [1.0], ties=[0.0, 1.0])


def test_find_cycle_edge():
    assert find_cycle_edge(4, np.array([[0, 1], [2, 3], [1, 2]])) is None
    assert find_cycle_edge(4, np.array([[0, 1], [1, 2], [0, 2], [0, 3], [2, 3]])) == 2
    assert find_cycle_edge(2, np.array([[0, 1], [1, 0]])) == 1
    assert find_cycle_edge(2, np.array([[1, 1]])) == 0
    assert find_cycle_edge(2, np.empty((0, 2), dtype=np.int64)) is None
