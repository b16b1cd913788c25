import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from acvae import Graph
from acvae.exceptions import (
    AcvaeError,
    GraphError,
    InputError,
    UnknownNameError,
)


def edge_set(graph):
    return {frozenset((graph.name(u), graph.name(v))) for u, v in graph.edges.tolist()}


class TestCanonicalForm:
    def test_edges_are_sorted_unique_and_point_upwards(self):
        graph = Graph(5, [[3, 1], [1, 3], [0, 4], [2, 2], [1, 0], [3, 1]])
        assert graph.edges.tolist() == [[0, 1], [0, 4], [1, 3]]
        assert graph.edges.dtype == np.int64
        assert graph.dropped_self_loops == 1
        assert graph.merged_duplicates == 2

    @given(
        st.integers(1, 9).flatmap(
            lambda n: st.tuples(
                st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30)
            )
        )
    )
    @settings(max_examples=80, deadline=None)
    def test_any_pairs(self, drawn):
        n, pairs = drawn
        graph = Graph(n, np.array(pairs, dtype=np.int64).reshape(-1, 2))
        proper = sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]})
        loops = sum(u == v for u, v in pairs)
        assert [tuple(e) for e in graph.edges.tolist()] == proper
        assert graph.dropped_self_loops == loops
        assert graph.merged_duplicates == len(pairs) - loops - len(proper)
        neighbours = [sorted({u + v - i for u, v in proper if i in (u, v)}) for i in range(n)]
        assert [graph.neighbors(i).tolist() for i in range(n)] == neighbours
        assert graph.degrees.tolist() == [len(own) for own in neighbours]
        label = oracles.component_labels(n, proper)
        assert graph.n_components == len(set(label.tolist()))
        assert np.array_equal(graph.components[:, None] == graph.components, label[:, None] == label)
        asked = [(i, j) for i in range(n) for j in range(n)]
        assert graph.has_edges(asked).tolist() == [(min(p), max(p)) in proper for p in asked]

    @pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
    def test_any_integer_dtype(self, dtype):
        # 100·120 does not fit the narrow types, which must not be used to build keys.
        graph = Graph(120, np.array([[100, 3], [119, 118]], dtype=dtype))
        assert graph.edges.tolist() == [[3, 100], [118, 119]]

    def test_edges_cannot_be_written(self):
        graph = Graph(3, [[0, 1]])
        with pytest.raises(ValueError, match="read-only"):
            graph.edges[0, 0] = 2

    @pytest.mark.parametrize(
        "of",
        [
            lambda g: g.neighbors(1),
            lambda g: g.csr[0],
            lambda g: g.csr[1],
            lambda g: g.degrees,
            lambda g: g.components,
        ],
    )
    def test_what_is_told_of_them_cannot_be_written_either(self, of):
        graph = Graph(4, [[0, 1], [1, 2]])
        with pytest.raises(ValueError, match="read-only"):
            of(graph)[:] = 3
        assert graph.neighbors(1).tolist() == [0, 2]

    def test_inputs_are_left_alone(self):
        edges, names = np.array([[2, 0], [1, 1]]), np.array(["a", "b", "c"])
        graph = Graph(3, edges, names)
        names[0] = "changed"
        edges[0] = 1
        assert graph.name(0) == "a"
        assert graph.edges.tolist() == [[0, 2]]

    def test_edges_that_are_canonical_already_are_left_alone_too(self):
        edges = np.array([[0, 1], [0, 3], [2, 3]])
        graph = Graph(4, edges)
        edges[0] = (1, 2)
        assert graph.edges.tolist() == [[0, 1], [0, 3], [2, 3]]
        assert edges.flags.writeable

    def test_tensors(self):
        assert Graph(3, torch.tensor([[2, 0]])).edges.tolist() == [[0, 2]]

    @pytest.mark.parametrize("n", [0, 1, 4])
    def test_no_edges(self, n):
        graph = Graph(n, [])
        assert graph.edges.shape == (0, 2)
        assert graph.n_edges == 0
        assert graph.n_components == n
        assert sorted(graph.components.tolist()) == list(range(n))
        assert graph.degrees.tolist() == [0] * n
        assert graph.to_scipy().shape == (n, n)
        assert not graph.has_edges([[0, 1]]).any()

    def test_has_edges_outside_the_graph_is_false(self):
        graph = Graph(3, [[0, 1], [1, 2]])
        assert graph.has_edges([[-1, 0], [0, 3], [1, 0], [9, 9], [-3, 4]]).tolist() == [
            False,
            False,
            True,
            False,
            False,
        ]
        assert graph.has_edges([]).shape == (0,)

    def test_equality_looks_at_vertices_edges_and_names(self):
        graph = Graph(3, [[0, 1]], ["a", "b", "c"])
        assert graph == Graph(3, [[1, 0], [1, 0]], ["a", "b", "c"])
        assert graph != Graph(3, [[0, 1]])
        assert graph != Graph(3, [[0, 1]], ["a", "b", "d"])
        assert graph != Graph(4, [[0, 1]], ["a", "b", "c", "d"])
        assert graph != Graph(3, [[0, 2]], ["a", "b", "c"])
        assert graph != "graph"

    def test_repr(self):
        assert repr(Graph(1234, [[0, 1]])) == "Graph(n_vertices=1,234, n_edges=1)"

    def test_with_edges_keeps_vertices_and_names(self):
        graph = Graph(4, [[0, 1], [1, 2], [2, 3]], list("abcd"))
        assert graph.with_edges([2, 0]) == Graph(4, [[0, 1], [2, 3]], list("abcd"))
        assert graph.with_edges([False, True, False]) == Graph(4, [[1, 2]], list("abcd"))
        assert graph.with_edges([]) == Graph(4, [], list("abcd"))


class TestFromEdges:
    def test_names_are_numbered_in_sorted_order(self):
        graph = Graph.from_edges([("pear", "fig"), ("apple", "pear"), ("fig", "pear"), ("fig", "fig")])
        assert graph.names.tolist() == ["apple", "fig", "pear"]
        assert graph.edges.tolist() == [[0, 2], [1, 2]]
        assert (graph.dropped_self_loops, graph.merged_duplicates) == (1, 1)

    @pytest.mark.parametrize(
        "pairs",
        [
            [(30, -5), (7, 30)],
            np.array([[30, -5], [7, 30]]),
            (np.array([30, 7]), np.array([-5, 30])),
            iter([(30, -5), (7, 30)]),
            torch.tensor([[30, -5], [7, 30]]),
            [[np.int64(30), -5], [7, np.int32(30)]],
        ],
        ids=["list", "array", "columns", "iterator", "tensor", "mixed integers"],
    )
    def test_integer_ids(self, pairs):
        graph = Graph.from_edges(pairs)
        assert graph.names.tolist() == [-5, 7, 30]
        assert graph.edges.tolist() == [[0, 2], [1, 2]]
        assert graph.index(30) == 2

    def test_names_that_do_not_compare_come_in_order_of_appearance(self):
        graph = Graph.from_edges([("b", 2), (1, "b")])
        assert set(graph.names.tolist()) == {"b", 2, 1}
        assert edge_set(graph) == {frozenset(("b", 2)), frozenset((1, "b"))}

    def test_an_integer_is_not_the_string_of_it(self):
        graph = Graph.from_edges((np.array([1, 2]), np.array(["1", "x"])))
        assert graph.n_vertices == 4
        assert edge_set(graph) == {frozenset((1, "1")), frozenset((2, "x"))}

    def test_large_ids_of_mixed_signedness_stay_exact(self):
        big = 2**53
        graph = Graph.from_edges((np.array([big, big + 1]), np.array([1, 2], dtype=np.uint64)))
        assert graph.n_vertices == 4
        assert big + 1 in graph.names.tolist()

    def test_tuples_as_names(self):
        graph = Graph.from_edges([((0, 1), (0, 2)), ((0, 2), (1, 2))])
        assert graph.n_vertices == 3
        assert edge_set(graph) == {frozenset(((0, 1), (0, 2))), frozenset(((0, 2), (1, 2)))}

    def test_vertices_fix_the_order_and_add_isolated_ones(self):
        graph = Graph.from_edges([("a", "c")], vertices=["c", "b", "a"])
        assert graph.names.tolist() == ["c", "b", "a"]
        assert graph.edges.tolist() == [[0, 2]]
        assert graph.degrees.tolist() == [1, 0, 1]

    @pytest.mark.parametrize("pairs", [[], np.empty((0, 2)), np.empty((0, 2), dtype=np.int64), ()])
    def test_no_pairs(self, pairs):
        assert Graph.from_edges(pairs).n_vertices == 0
        assert Graph.from_edges(pairs, vertices=["a", "b"]) == Graph(2, [], ["a", "b"])

    def test_end_outside_the_vertices(self):
        with pytest.raises(UnknownNameError, match=r"'pare'.*not among the vertices.*'pear'"):
            Graph.from_edges([("pare", "fig")], vertices=["pear", "fig"])

    @pytest.mark.parametrize(
        ("pairs", "telling"),
        [
            (np.array([[0.5, 1.0]]), "integers or names, got float64"),
            ([(0.5, 1.0)], "integers or names, got 0.5"),
            ([("a", float("nan"))], "integers or names, got nan"),
            (np.zeros((2, 3), dtype=int), r"shape \(m, 2\), got \(2, 3\)"),
            ([("a", "b"), ("a", "b", "c")], r"pair of two ids, but number 1 is \('a', 'b', 'c'\)"),
            ((np.array([1, 2]), np.array([1])), "differ in length: 2 and 1"),
            ([1, 2], "pair of two ids, but number 0 is 1"),
            (["ab", "cd"], "pair of two ids, but number 0 is 'ab'"),
            (5, "pairs of ids or names, not int"),
            ([([1], [2])], "hashable"),
        ],
    )
    def test_bad_pairs(self, pairs, telling):
        with pytest.raises(InputError, match=telling):
            Graph.from_edges(pairs)


class TestNames:
    def test_names_and_ids(self):
        graph = Graph(3, [[0, 1]], ["flask", "click", "numpy"])
        assert [graph.name(v) for v in range(3)] == ["flask", "click", "numpy"]
        assert [graph.index(name) for name in graph.names] == [0, 1, 2]

    def test_without_names_ids_are_names(self):
        graph = Graph(3, [[0, 1]])
        assert graph.names is None
        assert graph.name(np.int64(2)) == 2
        assert graph.index(2) == 2
        with pytest.raises(UnknownNameError, match=r"no vertex 3; .* 0…2"):
            graph.index(3)

    def test_unknown_name_suggests_a_close_one(self):
        graph = Graph(2, [[0, 1]], ["numpy", "scipy"])
        with pytest.raises(UnknownNameError, match=r"called 'nunpy'. Did you mean 'numpy'\?"):
            graph.index("nunpy")
        with pytest.raises(KeyError):
            graph.index(["unhashable"])

    @pytest.mark.parametrize("vertex", [-1, 3])
    @pytest.mark.parametrize("names", [None, ["a", "b", "c"]])
    def test_vertex_out_of_range(self, vertex, names):
        graph = Graph(3, [[0, 1]], names)
        with pytest.raises(GraphError, match=rf"no vertex {vertex}; ids lie in 0…2"):
            graph.neighbors(vertex)
        with pytest.raises(GraphError, match=rf"no vertex {vertex}; ids lie in 0…2"):
            graph.name(vertex)

    @pytest.mark.parametrize(
        ("names", "telling"),
        [
            (["a", "b"], "2 names were given for 3 vertices"),
            (["a", "b", "a"], "distinct, but 'a' occurs more than once"),
            ("abc", "not a single string"),
            (np.array([["a"], ["b"], ["c"]]), r"one-dimensional, got shape \(3, 1\)"),
            ([["a"], ["b"], ["c"]], "hashable"),
        ],
    )
    def test_bad_names(self, names, telling):
        with pytest.raises(InputError, match=telling):
            Graph(3, [], names)


class TestBadInput:
    @pytest.mark.parametrize(
        ("n", "edges", "telling"),
        [
            (3, [[0, 1], [1, 3]], r"edge 1 is \(1, 3\), but vertex ids must lie in 0…2.*from_edges"),
            (3, [[-1, 1]], r"edge 0 is \(-1, 1\)"),
            (0, [[0, 0]], r"edge 0 is \(0, 0\)"),
            (3, [[0.0, 1.0]], "must be integers, got float64.*from_edges"),
            (3, [["a", "b"]], "must be integers, got <U1.*from_edges"),
            (3, [[True, False]], "must be integers, got bool"),
            (3, [[0, 1, 2]], r"shape \(m, 2\), got \(1, 3\)"),
            (3, [0, 1], r"shape \(m, 2\), got \(2,\)"),
            (3, [[0, 1], [1]], r"shape \(m, 2\)"),
            (-1, [], "whole number of at least 0, not -1"),
            (3.0, [], "whole number of at least 0, not 3.0"),
            ("3", [], "whole number of at least 0, not '3'"),
            (None, [], "whole number of at least 0, not None"),
        ],
    )
    def test_clear_typed_error(self, n, edges, telling):
        with pytest.raises(GraphError, match=telling) as caught:
            Graph(n, edges)
        assert isinstance(caught.value, AcvaeError)
        assert isinstance(caught.value, ValueError)

    @pytest.mark.parametrize("pairs", [[[0.5, 1.0]], [[0, 1, 2]]])
    def test_has_edges_checks_too(self, pairs):
        with pytest.raises(GraphError, match="edges must"):
            Graph(3, [[0, 1]]).has_edges(pairs)

    def test_with_edges_outside(self):
        with pytest.raises(GraphError, match="2 edges"):
            Graph(3, [[0, 1], [1, 2]]).with_edges([2])
        with pytest.raises(GraphError, match="2 edges"):
            Graph(3, [[0, 1], [1, 2]]).with_edges([True, False, True])
