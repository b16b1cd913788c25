"""Tables of edges: their ends, weights, and which of them are joined with known ids."""

from pathlib import Path

import numpy as np
import pytest

from acvae.datasets.edge_files import EdgeTable, edge_table, join_edges
from acvae.datasets.table_files import RawTable
from acvae.exceptions import DataError

PATH, FEATURES = Path("e.csv"), Path("x.csv")


def read(text, known=None, *, names=None, **options):
    cells = [[cell.replace("_", "") for cell in line.split()] for line in text.split("/")]
    given = {"source": None, "target": None, "weight": None, "header": None}
    return edge_table(RawTable(PATH, cells, names), known, **{**given, **options})


def test_the_first_two_columns_are_ends():
    assert read("u v kind/a b x/b c y").ends == (["a", "b"], ["b", "c"])
    assert read("a b/b c", {"a", "b", "c"}).ends == (["a", "b"], ["b", "c"])
    assert read("a b/b c", header=True).ends == (["b"], ["c"])
    assert read("u v/b c", header=False).ends == (["u", "b"], ["v", "c"])


def test_columns_called_source_and_target_and_columns_that_are_named():
    for names in ("n source target", "n from to", "source target from"):
        table = read(f"{names}/1 a b/2 b c")
        assert table.ends == ((["1", "2"], ["a", "b"]) if names[0] == "s" else (["a", "b"], ["b", "c"]))
    assert read("n p q/1 a b", source="q", target="p").ends == (["b"], ["a"])
    assert read("n p q/1 a b", target="q").ends == (["1"], ["b"])
    with pytest.raises(DataError, match="no column 'r'; it has 'p', 'q'"):
        read("p q/a b", source="r")


def test_weights_are_in_the_column_called_so_or_named():
    assert read("u v Weight/a b 2/b c 0.5").weights.tolist() == [2, 0.5]
    assert read("u v w/a b 2/b c 0.5").weights is None
    assert read("u v w/a b 2/b c 0.5", weight="w").weights.tolist() == [2, 0.5]
    assert read("weight v/1 2/2 3").weights is None  # an end is no weight


@pytest.mark.parametrize("cell", ["0", "-1", "inf", "nan", "_", "x"])
def test_weights_that_are_not_positive_are_located(cell):
    with pytest.raises(DataError, match=r"row 2, column 'weight': .* \(2 cells are like that\)"):
        read(f"u v weight/a b 1/b c {cell}/c d {cell}")


def test_ends_that_are_missing_are_located():
    with pytest.raises(DataError, match=r"row 2: one end of the edge is missing\. Fill"):
        read("u v/a b/b _", header=True)
    with pytest.raises(DataError, match=r"row 1: .* \(2 rows are like that\)"):
        read("u v/_ b/_ c", header=True)


def test_one_column_is_no_edge():
    with pytest.raises(DataError, match="should have two columns"):
        read("a/b")


@pytest.mark.parametrize("text", ["_ a b c/a 0 1 0/b 1 0 1/c 0 1 0", "0 1 0 1/1 0 1 0/0 1 0 1/1 0 1 0"])
def test_an_adjacency_matrix_is_no_list_of_edges(text):
    with pytest.raises(DataError, match="looks like an adjacency matrix of"):
        read(text, header=text.startswith("_"))


def joined(first, second, names, weights=None):
    return join_edges(EdgeTable(PATH, (first, second), weights), names, FEATURES)


def test_edges_with_both_ends_known_are_kept():
    found = joined(["a", "b", "x"], ["b", "y", "a"], ["b", "a", "c"], np.array([1.0, 2, 3]))
    assert found.edges.tolist() == [[1, 0]]
    assert found.weights.tolist() == [1]
    told = found.details
    assert (told["feature_rows"], told["edge_rows"], told["edge_rows_left_out"]) == (3, 3, 2)
    assert told["ids_without_features"] == 2
    assert sorted(told["ids_without_features_examples"]) == ["x", "y"]
    assert told["ids_written_otherwise"] == []


def test_ids_spelt_otherwise_are_the_same():
    found = joined(["1.0", "2.0"], ["2.0", "2"], ["2", "1"])
    assert found.edges.tolist() == [[1, 0], [0, 0]]
    assert sorted(found.details["ids_written_otherwise"]) == [["1.0", "1"], ["2.0", "2"]]
    assert found.weights is None


def test_nothing_in_common():
    with pytest.raises(DataError, match=r"ids there are 'a', 'b', in the edges 'x', 'y'\."):
        joined(["x"], ["y"], ["a", "b"])
