"""Graphs, splits and spanning forests of anything."""

import datetime

import networkx
import numpy as np
import pandas as pd
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import acvae
from acvae import forests
from fuzz import good
from fuzz.odd import calls, odd
from fuzz.outcomes import settle, share
from fuzz.subjects import EDGES, NAMES, N, graph

names = st.sampled_from(
    [None, list(NAMES), list(range(N)), [datetime.date(2020, 1, d) for d in range(1, N + 1)], [1, "a"]]
)
combine = st.sampled_from(["equal", "sum", "mean", "max", "least"])
some_weights = st.one_of(st.none(), st.lists(st.floats(0.1, 10), max_size=8))
odd_pairs = st.one_of(
    good.pairs,
    st.lists(st.tuples(odd, odd), max_size=3).map(lambda drawn: [(a.value, b.value) for a, b in drawn]),
)
column = st.sampled_from(["a", "b", None])


def _matrix(pairs):
    return sp.csr_array(networkx.to_scipy_sparse_array(networkx.Graph([*pairs, (0, 1)])))


MADE = {
    "Graph": (
        acvae.Graph,
        {
            "n_vertices": st.integers(0, 9),
            "edges": good.pairs,
            "names_": names,
            "weights_": some_weights,
            "combine_": combine,
        },
    ),
    "from_edges": (
        acvae.Graph.from_edges,
        {"pairs": odd_pairs, "vertices_": names, "weights_": some_weights, "combine_": combine},
    ),
    "from_networkx": (
        acvae.Graph.from_networkx,
        {
            "graph": good.pairs.map(networkx.Graph),
            "weight_": st.sampled_from(["weight", "w", None]),
            "combine_": combine,
        },
    ),
    "from_scipy": (
        acvae.Graph.from_scipy,
        {"adjacency": good.pairs.map(_matrix), "names_": names, "weighted_": good.flags},
    ),
    "from_pyg": (
        acvae.Graph.from_pyg,
        {
            "data": good.graphs.map(lambda g: g.to_pyg()),
            "names_": names,
            "weight_": st.sampled_from(["edge_weight", "x", None]),
        },
    ),
    "from_pandas": (
        acvae.Graph.from_pandas,
        {
            "table": good.pairs.map(lambda p: pd.DataFrame(p, columns=["a", "b"])),
            "source_": column,
            "target_": column,
            "vertices_": names,
            "weight_": st.sampled_from(["weight", "a", None]),
        },
    ),
}

ASKED = {
    "neighbors": (graph().neighbors, {"vertex": st.integers(0, N - 1)}),
    "name": (graph(True).name, {"vertex": st.integers(0, N - 1)}),
    "index": (graph(True).index, {"name": st.sampled_from(NAMES)}),
    "index without names": (graph().index, {"name": st.integers(0, N)}),
    "has_edges": (graph().has_edges, {"pairs": good.pairs}),
    "with_edges": (graph().with_edges, {"chosen": st.lists(st.integers(0, 3), max_size=4)}),
    "split_edges": (
        acvae.split_edges,
        {"graph": good.graphs, "seed_": good.seeds, "fraction_": st.floats(0.01, 0.99)},
    ),
    "spanning_forest": (
        acvae.spanning_forest,
        {
            "n_vertices": st.just(N),
            "edges": st.just(EDGES),
            "weights": good.weights,
            "maximum_": good.flags,
            "ties_": good.weights,
        },
    ),
    "spanning_tree_probabilities": (acvae.spanning_tree_probabilities, {"graph": good.graphs}),
    "sampled": (
        acvae.sampled_spanning_tree_probabilities,
        {"graph": good.graphs, "n_trees_": good.whole, "seed_": good.seeds},
    ),
    "initial_weights": (forests.initial_weights, {"graph": good.graphs, "seed_": good.seeds}),
    "update_weights": (
        forests.update_weights,
        {
            "state": st.just(forests.initial_weights(graph())),
            "masses": good.weights,
            "graph": st.just(graph()),
            "maximum": good.flags,
            "step_size_": st.floats(0.1, 1),
        },
    ),
    "round_to_forest": (
        forests.round_to_forest,
        {
            "state": st.just(forests.initial_weights(graph())),
            "graph": st.just(graph()),
            "masses_": good.weights,
            "maximum": good.flags,
        },
    ),
}


@share(0.14)
@given(calls(MADE))
def test_made_of_anything(call):
    name, given = call
    made = settle(MADE[name][0], given)
    if made is not None:
        edges = made.edges
        assert (edges[:, 0] < edges[:, 1]).all()
        assert edges.size == 0 or 0 <= edges.min() <= edges.max() < made.n_vertices
        assert made.names is None or len(made.names) == made.n_vertices
        assert made.weights is None or ((made.weights > 0) & np.isfinite(made.weights)).all()


@share(0.1)
@given(calls(ASKED))
def test_asked_for_anything(call):
    name, given = call
    settle(ASKED[name][0], given)


@share(0.03)
@given(good.pairs, st.integers(0, 10_000))
def test_a_spanning_forest_is_the_heaviest(pairs, seed):
    """Against NetworkX."""
    made = acvae.Graph(N, pairs)
    weights = np.random.default_rng(seed).uniform(0, 1, made.n_edges)
    chosen = acvae.spanning_forest(N, made.edges, weights)
    other = networkx.Graph()
    other.add_weighted_edges_from(
        (u, v, w) for (u, v), w in zip(made.edges.tolist(), weights.tolist(), strict=True)
    )
    expected = networkx.maximum_spanning_tree(other).size("weight") if len(other) else 0
    assert np.isclose(weights[chosen].sum(), expected)
