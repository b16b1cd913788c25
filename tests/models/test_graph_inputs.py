"""Graphs of users as an `acvae.Graph`: names, weights, and numbers that may be either."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from torch_geometric.data import Data

from acvae import Graph
from acvae._util.frames import is_frame
from acvae.exceptions import GraphError
from acvae.models.graph_inputs import as_graph, is_networkx, is_pyg

EDGES = np.array([[0, 1], [1, 2]])
NAMES = np.array(["a", "b", "c"])
WEIGHTS = np.array([0.5, 2.0])
FRAME = pd.DataFrame({"source": [0, 1], "target": [1, 2], "weight": WEIGHTS})


def weighted_forms():
    graph = Graph(3, EDGES, weights=WEIGHTS)
    return [graph, graph.to_networkx(), graph.to_scipy(), graph.to_pyg(), FRAME]


@pytest.mark.parametrize("graph", weighted_forms(), ids=lambda graph: type(graph).__name__)
def test_weights_are_told_of_and_taken_if_asked_for(graph):
    with_them = as_graph(graph, 3, None, weighted=True)
    assert with_them.weighted
    np.testing.assert_allclose(with_them.graph.weights, WEIGHTS)
    without = as_graph(graph, 3, None, weighted=False)
    assert without.weighted
    assert without.graph.edges.tolist() == EDGES.tolist()


def test_ones_alone_are_no_weights():
    assert not as_graph(Graph(3, EDGES, weights=[1, 1]), 3, None, weighted=False).weighted
    assert not as_graph(FRAME.assign(weight=1.0), 3, None, weighted=False).weighted
    assert not as_graph(Graph(3, EDGES).to_scipy(), 3, None, weighted=False).weighted
    assert not as_graph(EDGES, 3, None, weighted=True).weighted


def test_names_are_looked_up_among_the_rows():
    found = as_graph([("c", "a"), ("b", "a")], 3, NAMES, weighted=False).graph
    assert found.edges.tolist() == [[0, 1], [0, 2]]
    assert found.names.tolist() == NAMES.tolist()
    with pytest.raises(GraphError, match=r"name 1 vertex without a row of features: .*'x'"):
        as_graph([("c", "x")], 3, NAMES, weighted=False)


def test_whole_numbers_are_names_where_rows_are_called_so():
    numbers = np.array([7, 1, 0])
    assert as_graph([(7, 1)], 3, numbers, weighted=False).graph.edges.tolist() == [[0, 1]]
    assert as_graph([(0, 1)], 3, numbers, weighted=False).graph.edges.tolist() == [[1, 2]]
    with pytest.raises(GraphError, match="without a row"):
        as_graph([(0, 2)], 3, numbers, weighted=False)


def test_whole_numbers_are_rows_where_these_have_other_names():
    assert as_graph(EDGES, 3, NAMES, weighted=False).graph == Graph(3, EDGES, NAMES)


def test_numbers_and_their_text_are_the_same_names():
    text = np.array(["7", "1", "0"])
    assert as_graph([(7, 1)], 3, text, weighted=False).graph.edges.tolist() == [[0, 1]]
    assert as_graph(np.array([[7.0, 0], [7, 1], [1, 0]]), 3, text, weighted=False).graph.n_edges == 3


def test_without_rows_edges_make_the_vertices():
    found = as_graph([("u", "v"), ("v", "w")], None, None, weighted=False).graph
    assert found.names.tolist() == ["u", "v", "w"]
    assert as_graph(FRAME, None, None, weighted=True).graph.weights.tolist() == WEIGHTS.tolist()


def test_an_edge_index_lies_and_two_edges_stand():
    assert as_graph(np.array([[0, 1, 0], [1, 2, 2]]), 3, None, weighted=False).graph.n_edges == 3
    assert as_graph(np.array([[0, 2], [1, 2]]), 3, None, weighted=False).graph.edges.tolist() == [
        [0, 2],
        [1, 2],
    ]


@pytest.mark.parametrize(
    ("graph", "telling"),
    [
        (sp.csr_array((2, 2)), r"on the 3 rows of features, got shape \(2, 2\)"),
        (np.zeros((3, 3)), "An adjacency matrix has to be sparse"),
        (np.zeros(4), "Labels of vertices are not a graph"),
        ({0: 1}, "graph cannot be dict"),
        (None, "graph cannot be NoneType"),
        (FRAME[["source"]], "at least two columns"),
        (FRAME.assign(target=[1.0, None]), "'source' and 'target' of the edges have missing values"),
    ],
)
def test_what_is_no_graph(graph, telling):
    with pytest.raises(GraphError, match=telling):
        as_graph(graph, 3, None, weighted=False)


def test_forms_are_told_apart_without_an_import():
    for told, own in ((is_frame, FRAME), (is_networkx, nx.Graph()), (is_pyg, Data())):
        given = [FRAME, nx.Graph(), Data(), EDGES, Graph(3, EDGES), None, "text"]
        assert told(own)
        assert sum(map(told, given)) == 1
