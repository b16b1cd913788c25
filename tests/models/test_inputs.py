"""The door of `fit`: every form of features and graph, and rows that describe the vertex they should."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

import acvae
from acvae import Graph
from acvae.datasets import Dataset
from acvae.datasets.missing import MISSING
from acvae.exceptions import (
    AcvaeWarning,
    AlignmentWarning,
    FeatureError,
    GraphError,
    IgnoredWeightsWarning,
    OptionError,
)
from acvae.models.inputs import prepare

X = np.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 0], [0, 0, 5]])
EDGES = np.array([[0, 1], [1, 2], [2, 3]])
PATH = Graph(4, EDGES)
NAMES = ["u0", "u10", "u2", "u1"]  # the order of the user's rows; sorted as text it is u0, u1, u10, u2
BY_NAME = [(NAMES[u], NAMES[v]) for u, v in EDGES.tolist()]


def frame(order=(0, 1, 2, 3), names=NAMES):
    return pd.DataFrame(X[list(order)], index=[names[i] for i in order], columns=["a", "b", "c"])


def dense(features):
    return features.toarray() if sp.issparse(features) else np.asarray(features)


def rows_by_name(inputs):
    return {name: row.tolist() for name, row in zip(inputs.names, dense(inputs.features), strict=True)}


def edges_by_name(graph):
    return {frozenset((graph.name(u), graph.name(v))) for u, v in graph.edges.tolist()}


EXPECTED_ROWS = dict(zip(NAMES, X.tolist(), strict=True))
EXPECTED_EDGES = {frozenset(pair) for pair in BY_NAME}


class TestFormsOfFeatures:
    @pytest.mark.parametrize(
        "features",
        [
            X,
            X.tolist(),
            sp.csr_array(X),
            sp.csc_matrix(X),
            sp.coo_array(X),
            torch.tensor(X),
            torch.tensor(X).to_sparse(),
            torch.tensor(X, dtype=torch.bfloat16),
            pd.DataFrame(X),
            pd.DataFrame(X).astype(pd.SparseDtype(float, 0)),
            pd.DataFrame(X).astype("Int64"),
            pd.DataFrame(X).astype({0: "Float64", 1: int, 2: float}),
        ],
        ids=[
            "array",
            "list",
            "csr",
            "csc",
            "coo",
            "tensor",
            "sparse-tensor",
            "bfloat16",
            "frame",
            "sparse-frame",
            "nullable-frame",
            "mixed-frame",
        ],
    )
    def test_all_give_the_same_matrix(self, features):
        inputs = prepare(features, PATH)
        np.testing.assert_array_equal(dense(inputs.features), X)
        assert not sp.issparse(inputs.features) or inputs.features.format == "csr"
        assert inputs.graph == PATH
        assert inputs.names is inputs.observed is None
        assert inputs.notes == ()

    def test_sparse_stays_sparse(self):
        assert sp.issparse(prepare(sp.coo_array(X), PATH).features)
        assert sp.issparse(prepare(pd.DataFrame(X).astype(pd.SparseDtype(float, 0))).features)

    def test_columns_of_a_frame_are_kept(self):
        assert prepare(frame()).feature_names.tolist() == ["a", "b", "c"]
        assert prepare(pd.DataFrame(X)).feature_names is None

    def test_all_bad_columns_in_one_message(self):
        bad = frame().assign(kind=["x", "y", "x", "y"], when=pd.Timestamp("2001-01-01"))
        with pytest.raises(FeatureError) as told:
            prepare(bad, PATH)
        assert "these columns are not: 'kind' (" in str(told.value)
        assert "'when' (datetime64[" in str(told.value)
        assert "pandas.get_dummies" in str(told.value)

    @pytest.mark.parametrize(
        ("features", "telling"),
        [
            (np.ones(3), r"a matrix \(n, D\), got shape \(3,\)"),
            ([[1, 2], [3]], r"a matrix \(n, D\): "),
            (np.array([["a", "b"]]), "real numbers, got <U1"),
            (sp.csr_array(np.ones((2, 2), dtype=complex)), "real numbers, got complex"),
        ],
    )
    def test_no_matrix(self, features, telling):
        with pytest.raises(FeatureError, match=telling):
            prepare(features)


class TestFormsOfGraph:
    @pytest.mark.parametrize(
        "graph",
        [
            PATH,
            nx.path_graph(4),
            nx.path_graph(4, create_using=nx.DiGraph),
            PATH.to_scipy(),
            sp.coo_matrix(np.triu(PATH.to_scipy().toarray())),
            PATH.to_pyg(),
            EDGES,
            EDGES.astype(float),
            EDGES.T,
            torch.tensor(EDGES),
            torch.tensor(EDGES.T),
            EDGES.tolist(),
            [(0, 1), (1, 2), (2, 3)],
            pd.DataFrame(EDGES, columns=["source", "target"]),
            pd.DataFrame({"kind": [0, 0, 0], "target": EDGES[:, 1], "source": EDGES[:, 0]}),
            pd.DataFrame(EDGES.astype(float), columns=["from", "to"]),
            Dataset("path", sp.csr_array(X), PATH),
        ],
    )
    def test_all_give_the_same_graph(self, graph):
        made = prepare(X, graph).graph
        assert made.n_vertices == 4
        np.testing.assert_array_equal(made.edges, EDGES)

    def test_none(self):
        inputs = prepare(frame())
        assert inputs.graph is None
        assert inputs.names.tolist() == NAMES

    def test_isolated_rows_at_the_end_are_vertices(self):
        assert prepare(X, EDGES[:1]).graph == Graph(4, [[0, 1]])

    @pytest.mark.parametrize(
        ("graph", "telling"),
        [
            (np.array([0, 1, 0, 1]), r"holds edges, shape \(m, 2\), got \(4,\)\. Labels of vertices"),
            (np.ones((4, 4)), r"got \(4, 4\)\. An adjacency matrix has to be sparse"),
            (
                sp.csr_array((3, 3)),
                r"adjacency matrix \(4, 4\) on the 4 rows of features, got shape \(3, 3\)",
            ),
            ("graph.csv", "graph cannot be str; it may be an acvae.Graph, a graph of NetworkX"),
            (7, "graph cannot be int"),
            (pd.DataFrame({"source": [1]}), "at least two columns, source and target"),
            (pd.DataFrame({"source": [1, None], "target": [2, 3]}), "have missing values"),
            (np.array([[0.5, 1.0], [1, 2], [2, 3]]), "edge ids must be integers or names"),
        ],
    )
    def test_no_graph(self, graph, telling):
        with pytest.raises(GraphError, match=telling):
            prepare(X, graph)

    def test_pyg_data_alone(self):
        data = Data(x=torch.tensor(X), edge_index=torch.tensor(EDGES.T))
        inputs = prepare(data)
        np.testing.assert_array_equal(dense(inputs.features), X)
        assert inputs.graph == PATH
        other = prepare(data, Graph(4, [[0, 3]]))
        assert other.graph == Graph(4, [[0, 3]])

    def test_pyg_data_without_features(self):
        with pytest.raises(FeatureError, match=r"has no features: its x is None\. Set data\.x, or call"):
            prepare(Data(edge_index=torch.tensor(EDGES.T), num_nodes=4))

    def test_a_data_set_alone(self):
        inputs = prepare(Dataset("path", sp.csr_array(X), PATH))
        assert inputs.graph == PATH
        np.testing.assert_array_equal(dense(inputs.features), X)


class TestSwapped:
    @pytest.mark.parametrize("graph", [PATH, nx.path_graph(4)])
    def test_a_graph_first(self, graph):
        with pytest.raises(
            FeatureError, match=r"first argument is a graph \(Graph\)\. The arguments are swapped"
        ):
            prepare(graph, X)
        with pytest.raises(FeatureError, match=r"Features are missing: write fit\(features, graph\)"):
            prepare(graph)

    @pytest.mark.parametrize("features", [X, sp.csr_array(X)])
    def test_an_adjacency_matrix_first(self, features):
        with pytest.raises(FeatureError, match=r"seem swapped: the first is square, \(4, 4\)"):
            prepare(PATH.to_scipy(), features)

    def test_square_features_are_no_mistake(self):
        square = sp.csr_array(np.eye(4))
        assert prepare(square, PATH.to_scipy()).graph == PATH
        assert prepare(square, EDGES).graph == PATH


class TestAlignment:
    """The same rows and edges by name, whatever order they come in."""

    @pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
    @pytest.mark.parametrize(
        "graph",
        [
            Graph.from_edges(BY_NAME),
            Graph.from_edges(BY_NAME, vertices=NAMES),
            Graph(4, EDGES, NAMES),
            nx.Graph(BY_NAME[::-1]),
            pd.DataFrame(BY_NAME, columns=["source", "target"]),
            BY_NAME,
            np.array(BY_NAME),
        ],
    )
    def test_a_frame_is_joined_by_its_index(self, order, graph):
        inputs = prepare(frame(order), graph)
        assert rows_by_name(inputs) == EXPECTED_ROWS
        assert edges_by_name(inputs.graph) == EXPECTED_EDGES
        assert inputs.graph.names.tolist() == inputs.names.tolist()
        assert inputs.notes == ()

    def test_sparse_frames_are_joined_too(self):
        inputs = prepare(frame((2, 0, 3, 1)).astype(pd.SparseDtype(float, 0)), Graph(4, EDGES, NAMES))
        assert rows_by_name(inputs) == EXPECTED_ROWS

    def test_the_index_decides_which_vertices_an_edge_list_has(self):
        inputs = prepare(frame(), [("u1", "u0")])
        assert inputs.graph.names.tolist() == NAMES
        assert inputs.graph.degrees.tolist() == [1, 0, 0, 1]

    @pytest.mark.parametrize("names", [[1282, 7, 30, 4], ["1282", "7", "30", "4"], [1282.0, 7.0, 30.0, 4.0]])
    @pytest.mark.parametrize("kind", [int, float, str])
    def test_numbers_and_their_texts_are_the_same_ids(self, names, kind):
        edges = pd.DataFrame([[kind(1282), kind(7)], [kind(30), kind(4)]], columns=["source", "target"])
        inputs = prepare(frame(names=names), edges)
        assert inputs.graph.edges.tolist() == [[0, 1], [2, 3]]
        if kind is not float:
            named = Graph(4, EDGES, [kind(4), kind(30), kind(7), kind(1282)])
            assert dense(prepare(frame(names=names), named).features).tolist() == X[::-1].tolist()

    def test_an_index_of_ids_in_another_order_is_aligned_with_a_graph_without_names(self):
        inputs = prepare(frame((2, 0, 3, 1), names=[0, 1, 2, 3]), PATH)
        np.testing.assert_array_equal(dense(inputs.features), X)

    def test_an_index_that_contradicts_the_names_is_refused(self):
        with pytest.raises(GraphError) as told:
            prepare(frame(names=["u0", "u10", "u2", "u7"]), Graph.from_edges(BY_NAME))
        assert str(told.value).startswith(
            "the index of the features and the names of the graph contradict each other: 1 vertices (such as "
            "'u1') without a row, 1 rows (such as 'u7') without a vertex. Give both the same names"
        )

    def test_so_is_one_with_too_few_or_too_many(self):
        with pytest.raises(GraphError, match=r"1 vertices \(such as 'u1'\) without a row, 0 rows without"):
            prepare(frame((0, 1, 2)), Graph.from_edges(BY_NAME))
        with pytest.raises(GraphError, match=r"0 vertices without a row, 1 rows \(such as 'u1'\)"):
            prepare(frame(), Graph.from_edges(BY_NAME[:2]))

    def test_edges_that_name_strangers(self):
        with pytest.raises(
            GraphError, match=r"1 vertex without a row of features: 'x'\. Rows .* 'u0', 'u10'"
        ):
            prepare(frame(), [("u0", "x")])

    def test_an_index_that_names_a_vertex_twice(self):
        with pytest.raises(FeatureError, match=r"more than once: 'u0'\. Drop or merge these rows"):
            prepare(frame(names=["u0", "u0", "u2", "u1"]), PATH)

    def test_row_numbers_in_edges_beside_names_of_text(self):
        inputs = prepare(frame(), EDGES)
        assert inputs.graph == Graph(4, EDGES, NAMES)

    def test_names_of_rows_go_to_a_graph_without(self):
        weighted = Graph(4, EDGES, weights=[1, 2, 3])
        inputs = prepare(frame(), weighted, uses_weights=True)
        assert inputs.graph == Graph(4, EDGES, NAMES, weights=[1, 2, 3])
        assert prepare(frame(), PATH.to_scipy()).names.tolist() == NAMES

    @pytest.mark.parametrize(
        "graph", [Graph.from_edges(BY_NAME), nx.Graph(BY_NAME), pd.DataFrame(BY_NAME), BY_NAME]
    )
    @pytest.mark.parametrize("features", [X, sp.csr_array(X), pd.DataFrame(X)])
    def test_an_array_meets_names_that_were_mapped(self, graph, features):
        with pytest.warns(AlignmentWarning, match=r"row 0 is taken to describe 'u0', and so on") as told:
            inputs = prepare(features, graph)
        np.testing.assert_array_equal(dense(inputs.features), X)
        first = ", ".join(map(repr, inputs.graph.names.tolist()))
        assert f"in the order {first} (graph.names)" in inputs.notes[0]
        assert issubclass(told[0].category, UserWarning)
        assert len(told) == 1

    def test_the_order_told_is_the_order_taken(self):
        with pytest.warns(AlignmentWarning, match=r"'u0', 'u1', 'u10', 'u2' \(graph\.names\)"):
            inputs = prepare(X, Graph.from_edges(BY_NAME))
        assert inputs.names.tolist() == ["u0", "u1", "u10", "u2"]

    def test_names_given_in_the_order_of_the_rows_need_no_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            prepare(X, Graph.from_edges(BY_NAME, vertices=NAMES))
            prepare(X, Graph(4, EDGES, NAMES))

    def test_numbers_in_the_index_that_are_no_vertices(self):
        with pytest.warns(AlignmentWarning, match=r"index of the features \(7, 8, 9, …\) is not 0…3"):
            inputs = prepare(frame(names=[7, 8, 9, 10]), PATH)
        assert inputs.graph.names.tolist() == [7, 8, 9, 10]

    def test_another_number_of_rows(self):
        with pytest.raises(
            FeatureError, match="3 rows of features but 4 vertices; row i must describe vertex i"
        ):
            prepare(X[:3], PATH)
        with pytest.raises(
            FeatureError, match=r"4 rows .* but 3 vertices.* The vertices are called 'u0', 'u10'"
        ):
            prepare(X, BY_NAME[:2])


class TestWeights:
    WEIGHTS = (0.5, 2.0, 3.0)
    GRAPHS = (
        Graph(4, EDGES, weights=WEIGHTS),
        Graph(4, EDGES, weights=WEIGHTS).to_networkx(),
        Graph(4, EDGES, weights=WEIGHTS).to_scipy(),
        Graph(4, EDGES, weights=WEIGHTS).to_pyg(),
        pd.DataFrame(EDGES, columns=["u", "v"]).assign(weight=WEIGHTS),
    )

    @pytest.mark.parametrize("graph", GRAPHS)
    def test_are_read_where_the_model_uses_them(self, graph):
        assert prepare(X, graph, uses_weights=True).graph.weights.tolist() == list(self.WEIGHTS)

    @pytest.mark.parametrize("graph", GRAPHS)
    def test_are_named_where_not(self, graph):
        with pytest.warns(IgnoredWeightsWarning, match=r"^VAE does not use the weights of edges\.$"):
            inputs = prepare(X, graph, model="VAE")
        np.testing.assert_array_equal(inputs.graph.edges, EDGES)
        assert inputs.notes == ("VAE does not use the weights of edges.",)
        assert issubclass(IgnoredWeightsWarning, AcvaeWarning)

    def test_weights_that_contradict_matter_only_where_they_are_used(self):
        both = sp.csr_array(np.array([[0, 2.0], [3.0, 0]]))
        with pytest.warns(IgnoredWeightsWarning):
            assert prepare(X[:2], both).graph == Graph(2, [[0, 1]])
        with pytest.raises(GraphError, match=r"weights 2.0 and 3.0"):
            prepare(X[:2], both, uses_weights=True)

    def test_ones_are_not_worth_a_word(self):
        assert prepare(X, Graph(4, EDGES, weights=[1, 1, 1])).notes == ()


class TestMissing:
    GAPS = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, 5.0], [2.0, 7.0]])

    def test_refused_by_default(self):
        with pytest.raises(FeatureError, match=r"row 0, column 1 is missing \(nan\) \(3 cells in 2 columns"):
            prepare(self.GAPS, PATH)
        with pytest.raises(FeatureError, match=r"yourself, or take GraphGaussian, where observed= says"):
            acvae.VAE(progress=False).fit(self.GAPS, PATH)
        with pytest.raises(FeatureError, match=r"yourself, or take GraphGaussian, where observed= says"):
            acvae.tune(acvae.VAE(), self.GAPS, PATH, {"latent_dim": [2]})
        with pytest.raises(FeatureError, match=r"yourself, or say by observed= which vertices have"):
            acvae.tune(acvae.GraphGaussian(), self.GAPS, PATH, {"latent_dim": [2]})
        with pytest.raises(OptionError, match="missing='drop' is unknown"):
            prepare(self.GAPS, PATH, missing="drop")

    def test_the_mask_follows_the_rows_into_the_order_of_the_vertices(self):
        table = pd.DataFrame(self.GAPS, index=NAMES)
        inputs = prepare(table, Graph.from_edges(BY_NAME), missing="evidence")
        assert inputs.names[~inputs.observed].tolist() == ["u10"]
        given = pd.Series([True, True, False, True], index=["u1", "u2", "u0", "u10"])
        inputs = prepare(table, Graph.from_edges(BY_NAME), missing="mean", observed=given)
        assert inputs.names[~inputs.observed].tolist() == ["u0"]
        inputs = prepare(
            table, Graph.from_edges(BY_NAME), missing="evidence", observed=[True, True, True, False]
        )
        assert set(inputs.names[~inputs.observed].tolist()) == {"u10", "u1"}

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pd.DataFrame])
    def test_rows_that_are_not_observed_are_not_looked_at(self, form):
        seen, given = np.array([False, False, True, True]), form(self.GAPS)
        for missing in MISSING:
            inputs = prepare(given, PATH, observed=seen, missing=missing)
            np.testing.assert_array_equal(dense(inputs.features), [[0, 0], [0, 0], [3, 5], [2, 7]])
            np.testing.assert_array_equal(inputs.observed, seen)
        np.testing.assert_array_equal(dense(given), self.GAPS)  # left alone
        seen = np.array([True, False, False, True])
        with pytest.raises(FeatureError, match=r"row 0, column 1 is missing \(nan\)\. "):
            prepare(given, PATH, observed=seen)
        inputs = prepare(given, PATH, observed=seen, missing="mean")
        np.testing.assert_array_equal(dense(inputs.features), [[1, 7], [0, 0], [0, 0], [2, 7]])

    def test_all_observed_is_none(self):
        assert prepare(X, PATH, observed=np.ones(4, dtype=bool)).observed is None
        assert prepare(X, PATH, missing="evidence").observed is None

    @pytest.mark.parametrize("observed", [[1, 0, 1, 1], [True, False]])
    def test_bad_masks(self, observed):
        with pytest.raises(FeatureError, match=r"boolean mask \(4,\)"):
            prepare(X, PATH, observed=observed)


def test_warnings_point_at_the_caller_of_fit():
    def fit(features, graph):
        return prepare(features, graph)

    with pytest.warns(AlignmentWarning) as told:
        fit(X, BY_NAME)
    assert told[0].filename == __file__
