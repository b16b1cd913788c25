"""A user's own files: every format, the join by id, and what is said about bad input."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp

from acvae.datasets import from_files
from acvae.exceptions import DataError, OptionError

X = np.array([[1, 0, 2.5], [0, 0, 0], [0, 3, 0]])
IDS = ["007", "b", "c d"]


@pytest.fixture
def edges(write):
    return write("edges.csv", "source,target\n007,b\nb,c d\nb,007\nb,b\nb,stranger\nother,stranger\n")


@pytest.fixture
def numbered(write):
    return write("numbered.csv", "0,1\n1,2\n")


def table_csv(separator=","):
    lines = [separator.join(["id", "x", "y", "z"])]
    lines += [separator.join([i, *map(str, row)]) for i, row in zip(IDS, X.tolist(), strict=True)]
    return "\n".join(lines) + "\n"


def dense(data):
    return data.features.toarray() if sp.issparse(data.features) else data.features


def as_npz(path):
    sp.save_npz(path, sp.csr_matrix(X))


def as_npz_of_numpy(path):
    np.savez(path, X)


def as_npy(path):
    np.save(path, X)


def as_mtx(path):
    scipy.io.mmwrite(path, sp.coo_array(X))


def as_dense_mtx(path):
    scipy.io.mmwrite(path, X)


# ---------------------------------------------------------------------- formats of features


@pytest.mark.parametrize(
    ("name", "save"),
    [
        ("x.npz", as_npz),
        ("x.npz", as_npz_of_numpy),
        ("x.npy", as_npy),
        ("x.mtx", as_mtx),
        ("x.mtx", as_dense_mtx),
    ],
)
def test_matrices_are_numbered_from_0(tmp_path, numbered, name, save):
    save(tmp_path / name)
    data = from_files(tmp_path / name, numbered)
    np.testing.assert_array_equal(dense(data), X)
    assert data.features.dtype == np.float32
    assert sp.issparse(data.features) == (save in (as_npz, as_mtx))  # as it was stored
    assert data.graph.names.tolist() == ["0", "1", "2"]
    assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
    assert data.feature_names is None
    assert data.name == "x"


def test_ids_of_a_matrix_from_a_file(tmp_path, write, edges):
    as_npy(tmp_path / "x.npy")
    data = from_files(tmp_path / "x.npy", edges, ids=write("ids.txt", "007\nb\n\nc d\n"))
    assert data.graph.names.tolist() == IDS
    assert data.graph.n_edges == 2
    with pytest.raises(DataError, match="2 ids for a matrix of 3 rows"):
        from_files(tmp_path / "x.npy", edges, ids=write("ids.txt", "007\nb\n"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", table_csv().encode()),
        ("x.csv", table_csv(";").encode()),
        ("x.tsv", table_csv("\t").encode()),
        ("x.csv", b"\xef\xbb\xbf" + table_csv().replace("\n", "\r\n").encode()),
        ("x.csv.gz", gzip.compress(table_csv().encode(), mtime=0)),
        ("x.csv", table_csv().replace("c d", '" c d "').encode()),
    ],
    ids=["comma", "semicolon", "tab", "windows", "gzip", "quoted"],
)
def test_text_tables(write, edges, name, content):
    data = from_files(write(name, content), edges)
    np.testing.assert_array_equal(dense(data), X)
    assert data.feature_names.tolist() == ["x", "y", "z"]
    assert data.graph.names.tolist() == IDS


def test_parquet(tmp_path, edges):
    columns = {"x": [1, 0, 0], "id": IDS, "flag": [True, False, True], "z": [2.5, 0.0, 0.0]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    data = from_files(tmp_path / "x.parquet", edges)
    assert data.graph.names.tolist() == IDS
    assert data.feature_names.tolist() == ["x", "flag", "z"]
    assert dense(data).tolist() == [[1, 1, 2.5], [0, 0, 0], [0, 1, 0]]


def test_a_table_without_header_or_ids(write, numbered):
    data = from_files(write("x.csv", "1,0\n0,2\n0,0\n"), numbered, header=False, row_ids=True)
    assert dense(data).tolist() == [[1, 0], [0, 2], [0, 0]]
    assert data.feature_names.tolist() == ["0", "1"]


def test_columns_can_be_chosen(write, edges):
    data = from_files(write("x.csv", table_csv()), edges, columns=["z", "x"])
    np.testing.assert_array_equal(dense(data), X[:, [2, 0]])
    assert data.feature_names.tolist() == ["z", "x"]


def test_text_becomes_tfidf(write, edges):
    path = write("x.csv", 'id,year,text\n007,2001,"The apple, the pear"\nb,2002,Apple\nc d,2003,of the\n')
    data = from_files(path, edges, text_column="text", columns=[])
    assert data.feature_names.tolist() == ["apple", "pear"]
    # apple is in 2 of 3 texts, pear in 1: idf = 1 + ln(4/3) and 1 + ln(4/2), rows scaled to length 1.
    weights = np.array([1 + np.log(4 / 3), 1 + np.log(2)])
    expected = [weights / np.linalg.norm(weights), [1, 0], [0, 0]]
    np.testing.assert_allclose(dense(data), np.array(expected), rtol=1e-6)
    for columns in (["year"], None):  # numbers and words together
        both = from_files(path, edges, text_column="text", columns=columns, max_words=1)
        assert both.feature_names.tolist() == ["year", "apple"]
        assert dense(both)[:, 0].tolist() == [2001, 2002, 2003]


# ---------------------------------------------------------------------- edges and the join


def test_what_did_not_match_is_counted_and_told(write, edges):
    data = from_files(write("x.csv", table_csv() + "alone,0,0,1\n"), edges)
    assert data.graph.names.tolist() == [*IDS, "alone"]
    assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
    expected = {"feature_rows": 4, "edge_rows": 6, "edge_rows_left_out": 2, "ids_without_features": 2}
    expected |= {"features_without_edge": 1, "self_loops": 1, "edges": 2}
    expected |= {"ids_without_features_examples": ["other", "stranger"], "isolated": "kept"}
    assert {key: data.details[key] for key in expected} == expected
    assert data.details["summary"] == (
        "4 rows of features and 6 rows of edges give 2 distinct edges; 1 self-loop left out; 2 rows of "
        "edges left out, for there are no features of 2 ids ('other', 'stranger'); 1 row of "
        "features without an edge kept."
    )


def test_nothing_left_out_is_told_too(write):
    data = from_files(write("x.csv", table_csv()), write("e.csv", f"{IDS[0]},{IDS[1]}\n{IDS[1]},{IDS[2]}\n"))
    assert data.details["summary"] == (
        "3 rows of features and 2 rows of edges give 2 distinct edges; every id of the edges has features; "
        "every row of features has an edge."
    )


def test_text_where_numbers_are_expected_is_answered_with_the_option_for_text(write, edges):
    content = "id,words\n" + "".join(f"{name},{'some long words ' * 9}\n" for name in IDS)
    with pytest.raises(DataError) as told:
        from_files(write("x.csv", content), edges)
    assert str(told.value).endswith(
        "column 'words': 'some long words some long words some long words some long wo…' is not a finite "
        "number (3 cells of this column are like that). To take the words of 'words' as features, name it in "
        "the option text_column; to leave a column out, name the others in the option columns."
    )


def test_isolated_rows_can_be_dropped(write, edges):
    content = table_csv().replace("b,", "alone,9,9,9\nb,")
    data = from_files(write("x.csv", content), edges, isolated="drop")
    assert data.graph.names.tolist() == IDS
    assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
    np.testing.assert_array_equal(dense(data), X)


@pytest.mark.parametrize(
    ("content", "n_edges"),
    [
        ("0,1\n1,2\n", 2),  # known ids: no header
        ("9,8\n0,1\n", 1),  # unknown, but numbers as all ids are: no header
        ("from,to\n0,1\n", 1),
        ("0,1\n", 1),
    ],
)
def test_a_header_of_edges_is_recognised(tmp_path, write, content, n_edges):
    as_npy(tmp_path / "x.npy")
    data = from_files(tmp_path / "x.npy", write("e.csv", content))
    assert data.graph.n_edges == n_edges
    assert data.details["edge_rows"] == content.count("\n") - content.startswith("from")


def test_a_header_of_edges_can_be_forced(tmp_path, write):
    as_npy(tmp_path / "x.npy")
    path = write("e.csv", "0,1\n1,2\n")
    assert from_files(tmp_path / "x.npy", path, edges_header=True).graph.edges.tolist() == [[1, 2]]
    named = from_files(tmp_path / "x.npy", path, source_column="1", target_column="0")
    assert named.graph.edges.tolist() == [[1, 2]]


def test_columns_of_edges_by_name(write):
    path = write("e.tsv", "kind\tto\tfrom\nlikes\tb\t007\n")
    data = from_files(write("x.csv", table_csv()), path, source_column="from", target_column="to")
    assert data.graph.edges.tolist() == [[0, 1]]


def test_parquet_edges_of_whole_numbers(tmp_path):
    as_npy(tmp_path / "x.npy")
    columns = {"u": pa.array([0, 2], pa.int32()), "v": pa.array([1.0, 1.0])}
    pq.write_table(pa.table(columns), tmp_path / "e.parquet")
    assert from_files(tmp_path / "x.npy", tmp_path / "e.parquet").graph.edges.tolist() == [[0, 1], [1, 2]]


# ---------------------------------------------------------------------- bad input


def assert_refused(features, edges, match, error=DataError, **options):
    with pytest.raises(error, match=match):
        from_files(features, edges, **options)


def test_missing_columns_are_answered_with_those_there_are(write, edges):
    path = write("x.csv", table_csv())
    there = "it has 'id', 'x', 'y', 'z'"
    assert_refused(path, edges, f"no column 'name'; {there}", id_column="name")
    assert_refused(path, edges, f"no column 'w'; {there}", columns=["x", "w"])
    assert_refused(path, edges, f"no column 'body'; {there}", text_column="body")
    assert_refused(path, edges, "no column 'from'; it has 'source', 'target'", source_column="from")


@pytest.mark.parametrize(
    ("cell", "match"),
    [
        ("two", "'two' is not a finite"),
        ("", "cell is empty"),
        ("nan", "'nan' is not"),
        ("inf", "'inf' is not"),
    ],
)
def test_cells_that_are_no_numbers_are_located(write, edges, cell, match):
    path = write("x.csv", f"id,x,y\n007,1,2\nb,3,{cell}\n")
    assert_refused(path, edges, rf"row 2, column 'y': .*{match}")


def test_missing_values_in_parquet_are_located(tmp_path, edges):
    pq.write_table(pa.table({"id": ["007", "b"], "x": [1.5, None]}), tmp_path / "x.parquet")
    assert_refused(tmp_path / "x.parquet", edges, "row 2, column 'x': the cell is empty")


def test_entries_of_a_matrix_that_are_not_finite_are_located(tmp_path, numbered):
    np.save(tmp_path / "x.npy", np.array([[1, 0], [0, np.nan]]))
    assert_refused(
        tmp_path / "x.npy", numbered, "1 entries that are not finite, the first, nan, in row 1 and column 1"
    )


def test_repeated_and_empty_ids(write, edges):
    assert_refused(write("x.csv", "id,x\na,1\nb,2\na,3\n"), edges, "the id 'a' twice, in rows 1 and 3")
    assert_refused(write("x.csv", "id,x\na,1\n,2\n"), edges, "row 2: the id is empty")


def test_no_common_ids(write, edges):
    path = write("x.csv", "id,x\n7,1\n8,2\n")
    assert_refused(path, edges, r"no edge .* ids there are '7', '8', in the edges '007', 'b', 'other'")


def test_an_edge_with_one_end(write):
    assert_refused(
        write("x.csv", table_csv()), write("e.csv", "007,b\nb,\n"), "row 2: one end of the edge is missing"
    )


def test_edges_of_one_column(write):
    assert_refused(write("x.csv", table_csv()), write("e.csv", "007\nb\n"), "two columns")


def test_irregular_and_empty_tables(write, edges):
    assert_refused(write("x.csv", "id,x\na,1\nb,2,3\n"), edges, "row 2: 3 cells where 2 are expected")
    assert_refused(write("x.csv", ""), edges, "is empty")
    assert_refused(write("x.csv", "id,x\n"), edges, "has no rows")
    assert_refused(write("x.csv", "id\na\n"), edges, "no column of features")
    assert_refused(write("x.csv", "id,x,x\na,1,2\n"), edges, "more than one column called 'x'")
    assert_refused(write("x.csv", "a,0,0\nb,1,2\n"), edges, "say so: header=False", header=True)
    assert_refused(write("x.csv", 'id,x\n"a,1\n'), edges, "not a regular table")


def test_text_of_stop_words_only(write, edges):
    assert_refused(write("x.csv", "id,t\n007,the\nb,of\n"), edges, "no words but stop words", text_column="t")


def test_files_that_are_missing_or_of_unknown_kind(tmp_path, write, edges):
    assert_refused(tmp_path / "none.csv", edges, "does not exist")
    assert_refused(
        write("x.xlsx", "?"), edges, r"may end in \.npz, \.npy, \.mtx, \.csv, \.tsv, \.txt, \.parquet"
    )
    assert_refused(
        write("x.csv", table_csv()), write("e.npz", "?"), r"may end in \.csv, \.tsv, \.txt, \.parquet"
    )


@pytest.mark.parametrize("name", ["x.npz", "x.npy", "x.mtx", "x.parquet", "x.csv.gz"])
@pytest.mark.parametrize("content", [b"", b"nonsense" * 50])
def test_files_that_are_not_what_their_name_says(write, edges, name, content):
    with pytest.raises(DataError, match=name.replace(".", r"\.")):
        from_files(write(name, content), edges)


def test_truncated_archives(tmp_path, write, numbered):
    as_npz(tmp_path / "x.npz")
    assert_refused(write("x.npz", (tmp_path / "x.npz").read_bytes()[:-40]), numbered, "x.npz'")


@pytest.mark.parametrize("name", ["x.npy", "x.npz"])
def test_pickled_objects_are_not_read(tmp_path, numbered, name):
    objects = np.array([[1, "a"]], dtype=object)
    np.save(tmp_path / name, objects) if name == "x.npy" else np.savez(tmp_path / name, objects)
    assert_refused(tmp_path / name, numbered, "Python objects, which are not read")


def test_matrices_of_another_shape_or_kind(tmp_path, numbered):
    np.save(tmp_path / "x.npy", np.ones(3))
    assert_refused(tmp_path / "x.npy", numbered, r"its shape is \(3,\)")
    np.save(tmp_path / "x.npy", np.array([["a"]]))
    assert_refused(tmp_path / "x.npy", numbered, "real numbers")
    np.savez(tmp_path / "x.npz", a=X, b=X)
    assert_refused(tmp_path / "x.npz", numbered, "holds the arrays a, b")


def test_options_that_do_not_go_together(tmp_path, write, edges, numbered):
    as_npy(tmp_path / "x.npy")
    assert_refused(tmp_path / "x.npy", numbered, "text_column cannot be used", OptionError, text_column="t")
    path = write("x.csv", table_csv())
    assert_refused(path, edges, "option ids goes with a matrix", OptionError, ids=edges)
    assert_refused(path, edges, "columns is a list", OptionError, columns="x")
    assert_refused(path, edges, "row_ids=True says", OptionError, row_ids=True, id_column="id")
    assert_refused(path, edges, "'keep', 'drop'", OptionError, isolated="maybe")


def test_text_that_is_not_utf8(write):
    content = "id,x\nzoë,1\nbob,2\n".encode("latin-1")
    data = from_files(write("x.csv", content), write("e.csv", "zoë,bob\n".encode("latin-1")))
    assert data.graph.names.tolist() == ["zoë", "bob"]
    assert data.graph.n_edges == 1
