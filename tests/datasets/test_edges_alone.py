"""Edges without features: the vertices are the ends, and a first line that is a header is found out."""

import numpy as np
import pytest

from acvae.datasets import from_files
from acvae.exceptions import DataError, GraphError, HeaderWarning, OptionError

RING = "ada,ben\nben,cid\ncid,dee\ndee,ada\n"


@pytest.fixture
def read(tmp_path):
    def reading(text, name="e.csv", **options):
        (tmp_path / name).write_text(text)
        return from_files(None, tmp_path / name, **options)

    return reading


def test_vertices_in_the_order_of_the_rows(read):
    data = read(RING)
    assert data.graph.names.tolist() == ["ada", "ben", "cid", "dee"]
    assert data.graph.edges.tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]
    assert data.features.shape == (4, 0)
    assert data.name == "e"
    assert data.details["summary"] == (
        "4 rows of edges, the first between 'ada' and 'ben', give 4 distinct edges of 4 vertices; there are "
        "no features."
    )


@pytest.mark.parametrize("header", ["source,target", "From,To", "who,knows", "a person,another"])
def test_a_header_is_found_out(read, header):
    assert read(f"{header}\n{RING}").graph.names.tolist() == ["ada", "ben", "cid", "dee"]


def test_a_header_above_numbers(read):
    assert read("x,y\n1,2\n3,4\n").graph.names.tolist() == ["1", "2", "3", "4"]
    assert read("1,2\n2,3\n").graph.names.tolist() == ["1", "2", "3"]


def test_an_edge_is_no_header(read):
    assert read(f"eve,ada\n{RING}").graph.n_edges == 5  # ada recurs
    pairs = "ada,ben\ncid,dee\neve,fay\ngus,hal\n"  # as all others, the first is a component of its own
    with pytest.warns(HeaderWarning):
        assert read(pairs).graph.n_edges == 4
    assert read("ada,ben\n").graph.n_edges == 1


@pytest.mark.parametrize("said", [True, False])
def test_who_knows_says_so(read, said):
    assert read(f"who,knows\n{RING}", edges_header=said).graph.n_vertices == (4 if said else 6)


def test_columns_weights_and_self_loops(read):
    text = "weight;one;two\n2,5;a;b\n1,5;b;a\n4;c;c\n1;b;c\n"
    data = read(text, source_column="one", target_column="two", combine="sum", decimal=",")
    assert data.graph.names.tolist() == ["a", "b", "c"]
    assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
    np.testing.assert_allclose(data.graph.weights, [4, 1])
    assert "1 self-loop left out" in data.details["summary"]
    with pytest.raises(GraphError, match="given more than once, with the weights"):
        read(text, source_column="one", target_column="two", decimal=",")


@pytest.mark.parametrize(
    "options",
    [{"id_column": "x"}, {"columns": ["x"]}, {"ids": "ids.txt"}, {"row_ids": True}, {"header": True}],
    ids=lambda options: next(iter(options)),
)
def test_options_of_features_are_refused(read, options):
    (name,) = options
    with pytest.raises(OptionError, match=f"the option {name} is for a file of features, and there is none"):
        read(RING, **options)


def test_nothing_at_all(read, tmp_path):
    with pytest.raises(DataError):
        read("")
    with pytest.raises(DataError, match="no edges"):
        read("source,target\n", edges_header=True)
    with pytest.raises(OptionError, match="edges must be a path, not None"):
        from_files(None)


PAIRS = "a,b\nada,ben\ncid,dee\neve,fay\n"  # no id recurs


def test_a_first_line_that_may_be_a_header_is_warned_of(read):
    with pytest.warns(
        HeaderWarning, match=r"e.csv' is taken for an edge, between 'a' and 'b'\..*edges_header=T"
    ):
        assert read(PAIRS).graph.n_edges == 4
    assert read(PAIRS, edges_header=False).graph.n_edges == 4  # who says so is not warned
    assert read(PAIRS, edges_header=True).graph.n_edges == 3
    assert read("a,b\n").graph.n_edges == 1  # what would be left?
    assert read("1,2\n3,4\n").graph.n_edges == 2
    assert read(f"eve,ada\n{RING}").graph.n_edges == 5
