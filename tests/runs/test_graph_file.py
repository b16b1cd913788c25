"""graph.safetensors: what was stored comes back, and nothing of a file is believed."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae import Graph, split_edges
from acvae._util.arrays import json_array, read_arrays, write_arrays
from acvae.datasets import Dataset
from acvae.exceptions import OptionError, RunError
from acvae.runs.graph_file import FORMAT, VERSION, read_graph, write_graph

GRAPH = Graph(4, [(0, 1), (1, 2), (2, 3), (0, 3)], ["a", "b", "ü", "d"], weights=[1, 2, 3, 4])


def data(graph=GRAPH, **more):
    return Dataset("mine", sp.csr_array(np.ones((4, 1), dtype=np.float32)), graph, **more)


def same(one, other):
    assert one == other
    assert (one.names is None and other.names is None) or one.names.tolist() == other.names.tolist()
    if other.weights is not None:
        np.testing.assert_array_equal(one.weights, other.weights)


@pytest.mark.parametrize(
    "graph", [GRAPH, Graph(4, [(0, 1), (1, 2)]), Graph(4, [(0, 1), (1, 2)], [7, 5, 3, 1])]
)
def test_with_and_without_a_split(graph, tmp_path):
    path, split = tmp_path / "graph.safetensors", split_edges(graph, seed=3, fraction=0.2)
    write_graph(path, data(graph), split)
    found = read_graph(path)
    same(found.train, split.train)
    same(found.split.test, split.test)
    assert (found.split.seed, found.split.fraction) == (3, 0.2)
    assert found.display_names is found.classes is found.class_names is None
    write_graph(path, data(graph), None)
    same(read_graph(path).train, graph)
    assert read_graph(path).split is None


def test_names_to_show_and_classes(tmp_path):
    path = tmp_path / "graph.safetensors"
    shown, classes, called = np.array(["A", "A", "", "D"]), np.array([0, -1, 1, 1]), np.array(["no", "yes"])
    write_graph(path, data(labels=classes, class_names=called, display_names=shown), None)
    found = read_graph(path)
    assert found.display_names == shown.tolist()
    assert found.classes.tolist() == classes.tolist()
    assert found.class_names == called.tolist()


def test_names_of_another_kind_cannot_be_stored(tmp_path):
    with pytest.raises(OptionError, match="strings or whole numbers"):
        write_graph(tmp_path / "x", data(Graph(4, [(0, 1)], [(0,), (1,), (2,), (3,)])), None)


CHANGES = [
    ({"train.edges": np.array([[0, 9]])}, {}),
    ({"train.edges": np.array([0, 1])}, {}),
    ({"names": json_array(["a", "b"])}, {}),
    ({"names": json_array(3)}, {}),
    ({"display_names": json_array(["a"])}, {}),
    ({"display_names": json_array([1, 2, 3, 4])}, {}),
    ({"classes": np.array([0.5, 1, 1, 1])}, {}),
    ({"classes": np.array([0, 1])}, {}),
    ({"class_names": json_array(["no"])}, {}),
    ({"class_names": json_array("no")}, {}),
    ({"train.weights": np.array([-1.0])}, {}),
    ({}, {"n_vertices": "many"}),
    ({}, {"n_vertices": None}),
    ({"test.edges": np.array([[0, 1]])}, {"seed": None}),
]


@pytest.mark.parametrize(("arrays", "about"), CHANGES, ids=str)
def test_damage(arrays, about, tmp_path):
    path = tmp_path / "graph.safetensors"
    write_graph(path, data(labels=np.array([0, 1, 1, 1]), class_names=np.array(["no", "yes"])), None)
    stored, told = read_arrays(path, format=FORMAT, version=VERSION, what="graph of a run")
    write_arrays(path, {**stored, **arrays}, {**told, **about}, format=FORMAT, version=VERSION)
    with pytest.raises(RunError, match=r"the graph in '.*graph\.safetensors' cannot be read: "):
        read_graph(path)
