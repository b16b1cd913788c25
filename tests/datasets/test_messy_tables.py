"""Tables as people have them: no header, gaps, kinds of columns, weights, classes, ids written two ways."""

import bz2
import gzip

import numpy as np
import pytest
import scipy.sparse as sp

from acvae import Graph
from acvae.datasets import from_files, table_files
from acvae.exceptions import DataError, GraphError, OptionError


@pytest.fixture
def path(write):
    """Edges a–b–c."""
    return write("edges.csv", "source,target\na,b\nb,c\n")


def dense(data):
    return data.features.toarray() if sp.issparse(data.features) else data.features


# ---------------------------------------------------------------------- headers


@pytest.mark.parametrize(
    ("content", "header"),
    [
        ("a,1,2\nb,3,4\nc,5,6\n", False),
        ("id,x,y\na,1,2\nb,3,4\nc,5,6\n", True),
        ("id,2001,2002\na,1,2\nb,3,4\nc,5,6\n", True),  # numbers as names, but the first cell says it
        (",2001,2002\na,1,2\nb,3,4\nc,5,6\n", True),  # as pandas writes an index
        ("who,2001,2002\na,1,2\nb,3,4\nc,5,6\n", True),  # no edge speaks of a "who"
        ("who,x,y\na,1,\nb,,4\nc,5,6\n", True),
        ("a,1,\nb,,4\nc,5,6\n", False),
    ],
)
def test_a_header_of_features_is_found_out(write, path, content, header):
    data = from_files(write("x.csv", content), path, missing="zero")
    assert data.graph.names.tolist() == ["a", "b", "c"]
    assert data.details["features_header"] is header
    assert ("the features have no header line" in data.details["summary"]) is not header
    assert data.graph.n_edges == 2
    assert dense(data)[2].tolist() == [5, 6]


def test_numbers_all_over(write):
    edges = write("e.csv", "1,2\n2,3\n")
    data = from_files(write("x.csv", "1,0.5,2\n2,1.5,3\n3,2.5,4\n"), edges)
    assert data.graph.names.tolist() == ["1", "2", "3"]
    assert data.feature_names.tolist() == ["1", "2"]


def test_what_the_user_says_of_columns_decides(write, path):
    table = write("x.csv", "a,1,2\nb,3,4\nc,5,6\n")
    assert from_files(table, path, columns=["2"]).details["features_header"] is False
    assert from_files(table, path, columns=["1", "2"]).feature_names.tolist() == ["1", "2"]
    named = write("y.csv", "who,kind\na,x\nb,y\nc,y\n")
    assert from_files(named, path, categorical="kind").details["features_header"] is True


def test_found_out_or_said(write, path):
    table = write("x.csv", "a,1,2\nb,3,4\nc,5,6\n")
    assert from_files(table, path, header=True).graph.names.tolist() == ["b", "c"]
    assert from_files(table, path, header=False).graph.names.tolist() == ["a", "b", "c"]


# ---------------------------------------------------------------------- kinds of columns

MIXED = "id,year,type,note\na,2001,fish,red pie\nb,2002,bird,blue sky\nc,2003,,red sky\n"


def test_numbers_text_and_categories_together(write, path):
    data = from_files(write("x.csv", MIXED), path, text_column="note", categorical=["type"])
    assert data.feature_names.tolist()[:3] == ["year", "type=bird", "type=fish"]
    assert set(data.feature_names[3:].tolist()) == {"red", "pie", "blue", "sky"}
    assert dense(data)[:, :3].tolist() == [[2001, 0, 1], [2002, 1, 0], [2003, 0, 0]]
    assert data.details["columns"] == {"numeric": ["year"], "categorical": ["type"], "text": ["note"]}
    auto = from_files(write("x.csv", MIXED), path, text_column="note", categorical="auto")
    np.testing.assert_array_equal(dense(auto), dense(data))


def test_more_than_one_column_of_text(write, path):
    data = from_files(
        write("x.csv", "id,t,u\na,red,pie\nb,blue,sky\nc,red,sky\n"), path, text_column=["t", "u"]
    )
    assert data.feature_names.tolist() == ["blue", "pie", "red", "sky"]


def test_too_many_values_are_no_category_unless_asked_for(write):
    n = 60
    edges = write("e.csv", "".join(f"{i},{i + 1}\n" for i in range(n - 1)))
    table = write("x.csv", "id,x,code\n" + "".join(f"{i},{i},c{i}\n" for i in range(n)))
    with pytest.raises(DataError, match=r"column 'code': 'c0' is not a finite number \(60 cells"):
        from_files(table, edges, categorical="auto")
    assert from_files(table, edges, categorical=["code"]).features.shape == (60, 61)


def test_all_bad_columns_in_one_message(write, path):
    with pytest.raises(DataError) as told:
        from_files(write("x.csv", MIXED.replace("2002", "soon")), path)
    message = str(told.value)
    assert (
        "row 2, column 'year': 'soon' is not a finite number; row 1, column 'type': 'fish' is not" in message
    )
    assert "row 1, column 'note': 'red pie' is not a finite number (3 cells" in message
    assert message.endswith(
        "To take the words of 'note' as features, name it in the option text_column; to take each value of "
        "'year' as a category, name it in the option categorical; to leave a column out, name the others in "
        "the option columns."
    )


# ---------------------------------------------------------------------- gaps

GAPS = "id,x,y\na,1,\nb,,NA\nc,3,5\n"


def test_all_columns_with_gaps_in_one_message(write, path):
    with pytest.raises(DataError) as told:
        from_files(write("x.csv", GAPS), path)
    message = str(told.value)
    assert (
        "row 2, column 'x': the cell is empty where a number is needed; row 1, column 'y': the cell is"
        in message
    )
    assert (
        "empty where a number is needed (2 cells of this column are like that). Fill them in; or say"
        in message
    )
    assert "by the option missing what a gap means ('mean', 'zero' or 'evidence')" in message


@pytest.mark.parametrize(
    ("missing", "expected", "observed"),
    [
        ("zero", [[1, 0], [0, 0], [3, 5]], None),
        ("mean", [[1, 5], [2, 5], [3, 5]], None),
        ("evidence", [[1, 5], [0, 0], [3, 5]], [True, False, True]),
    ],
)
def test_gaps_by_option(write, path, missing, expected, observed):
    data = from_files(write("x.csv", GAPS), path, missing=missing)
    assert dense(data).tolist() == expected
    assert (None if data.observed is None else data.observed.tolist()) == observed


def test_a_word_is_evidence_too(write, path):
    table = write("x.csv", "id,x,t\na,1,red\nb,,blue\nc,,\n")
    data = from_files(table, path, missing="evidence", text_column="t")
    assert data.observed.tolist() == [True, True, False]
    assert dense(data)[2].tolist() == [0, 0, 0]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_gaps_of_a_matrix(tmp_path, write, form):
    matrix = np.array([[1, 2], [np.nan, np.nan], [3, np.nan]])
    file = tmp_path / ("x.npy" if form is np.asarray else "x.npz")
    np.save(file, matrix) if form is np.asarray else sp.save_npz(file, sp.csr_array(matrix))
    edges = write("e.csv", "0,1\n1,2\n")
    assert from_files(file, edges, missing="evidence").observed.tolist() == [True, False, True]
    with pytest.raises(DataError, match="3 entries that are not finite"):
        from_files(file, edges)


def test_isolated_rows_are_dropped_from_all_there_is(write, path):
    table = write("x.csv", "id,x,k,l\nalone,,q,Q\na,1,p,A\nb,2,p,B\nc,3,,C\n")
    options = {"missing": "evidence", "class_column": "k", "label_column": "l", "isolated": "drop"}
    data = from_files(table, path, **options)
    assert data.observed.tolist() == [True, True, True]
    assert data.labels.tolist() == [0, 0, -1]
    assert data.display_names.tolist() == ["A", "B", "C"]


# ---------------------------------------------------------------------- ids


@pytest.mark.parametrize(
    ("duplicates", "expected"), [("first", [[1, 2], [3, 4], [9, 9]]), ("mean", [[3, 4], [3, 4], [9, 9]])]
)
def test_repeated_ids_by_option(write, path, duplicates, expected):
    table = write("x.csv", "id,x,y,k\na,1,2,p\nb,3,4,q\na,5,6,q\nc,9,9,p\n")
    data = from_files(table, path, duplicates=duplicates, class_column="k")
    assert data.graph.names.tolist() == ["a", "b", "c"]
    assert dense(data).tolist() == expected
    assert data.labels.tolist() == [0, 1, 0]
    assert "1 row with an id seen before merged" in data.details["summary"]
    with pytest.raises(DataError, match=r"'a' twice, in rows 1 and 3\. Say by the option duplicates what"):
        from_files(table, path, class_column="k")
    with pytest.raises(OptionError, match="duplicates='last' is unknown; choose one of 'error', 'first'"):
        from_files(table, path, duplicates="last")


@pytest.mark.parametrize(("here", "there"), [("", ".0"), (".0", "")])
def test_whole_numbers_with_a_decimal_point_are_the_same_ids(write, here, there):
    table = write("x.csv", f"id,x\n1282{here},1\n7{here},2\n")
    data = from_files(table, write("e.csv", f"s,t\n1282{there},7{there}\n"))
    assert data.graph.n_edges == 1
    assert data.graph.names.tolist() == [f"1282{here}", f"7{here}"]
    assert (
        f"ids that are written otherwise in the edges were matched ('1282{there}' is '1282{here}')"
        in data.details["summary"]
    )


def test_unless_both_are_ids(write):
    table = write("x.csv", "id,x\n7,1\n7.0,2\n8,3\n")
    with pytest.raises(DataError) as told:
        from_files(table, write("e.csv", "s,t\n8.0,9.0\n"))
    assert "with a decimal point (1282.0 for 1282): 1 id would match then." in str(told.value)


@pytest.mark.parametrize(
    ("names", "telling"),
    [
        (("007", "008"), "leading zeros (007 for 7): 2 ids would match then."),
        (("x", "y"), ""),
    ],
)
def test_why_nothing_matches(write, names, telling):
    table = write("x.csv", f"id,x\n{names[0]},1\n{names[1]},2\n")
    with pytest.raises(DataError) as told:
        from_files(table, write("e.csv", "s,t\n7,8\n"))
    assert str(told.value).endswith(telling)
    assert ("It seems" in str(told.value)) == bool(telling)


def test_capital_letters(write):
    with pytest.raises(DataError, match="It seems that capital letters differ: 2 ids would match then"):
        from_files(write("x.csv", "id,x\nAnn,1\nBob,2\n"), write("e.csv", "s,t\nann,bob\n"))


# ---------------------------------------------------------------------- edges

SNAP = "# Directed graph\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.txt", SNAP.encode()),
        ("e.txt", SNAP.replace("\t", "  ").encode()),
        ("e.txt", SNAP.replace("\n", "\r\n").encode()),
        ("e.tsv", SNAP.encode()),
        ("e.txt.gz", gzip.compress(SNAP.encode(), mtime=0)),
        ("e.txt.bz2", bz2.compress(SNAP.encode())),
        ("e.txt", b"% konect\n 0 1\n 1 2\n"),
        ("e.txt", b"0,1\n1,2\n"),
    ],
)
def test_edge_lists_of_snap(tmp_path, write, name, content):
    np.save(tmp_path / "x.npy", np.eye(3))
    assert from_files(tmp_path / "x.npy", write(name, content)).graph.edges.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("source,target,weight\na,b,0.5\nb,c,2\n", {}),
        ("weight,source,target\n0.5,a,b\n2,b,c\n", {}),
        ("u;v;Weight\na;b;0,5\nb;c;2\n", {}),
        ("u,v,mass\na,b,0.5\nb,c,2\n", {"weight_column": "mass"}),
        ("a,b,0.5\nb,c,2\n", {"weight_column": "2", "edges_header": False}),
    ],
)
def test_weights(write, content, options):
    data = from_files(write("x.csv", "id,x\na,1\nb,2\nc,3\n"), write("e.csv", content), **options)
    assert data.graph == Graph(3, [[0, 1], [1, 2]], ["a", "b", "c"], weights=[0.5, 2])


def test_other_columns_are_no_weights(write):
    edges = write("e.csv", "u,v,year\na,b,2001\nb,c,2002\n")
    assert from_files(write("x.csv", "id,x\na,1\nb,2\nc,3\n"), edges).graph.weights is None


@pytest.mark.parametrize("cell", ["0", "-1", "", "heavy", "inf"])
def test_bad_weights_are_located(write, cell):
    edges = write("e.csv", f"u,v,weight\na,b,1\nb,c,{cell}\n")
    with pytest.raises(
        DataError, match=rf"row 2, column 'weight': a weight is a positive number, not '{cell}'"
    ):
        from_files(write("x.csv", "id,x\na,1\nb,2\nc,3\n"), edges)


def test_weights_of_an_edge_that_is_there_twice(write):
    table, edges = write("x.csv", "id,x\na,1\nb,2\n"), write("e.csv", "u,v,weight\na,b,1\nb,a,3\n")
    with pytest.raises(GraphError, match="combine='sum'"):
        from_files(table, edges)
    assert from_files(table, edges, combine="sum").graph.weights.tolist() == [4]


def test_edges_are_parsed_once(write, path, monkeypatch):
    read = []
    whole = table_files.open_binary
    monkeypatch.setattr(table_files, "open_binary", lambda file: read.append(file.name) or whole(file))
    from_files(write("x.csv", "id,x\na,1\nb,2\nc,3\n"), path)
    assert sorted(read) == ["edges.csv", "x.csv"]


# ---------------------------------------------------------------------- decimal comma


def test_a_decimal_comma(write):
    edges = write("e.csv", "a;b\nb;c\n")
    table = "id;x;y\na;1,5;-0,25\nb;2;1e3\nc;0,5;7\n"
    assert dense(from_files(write("x.csv", table), edges)).tolist() == [[1.5, -0.25], [2, 1000], [0.5, 7]]
    quoted = write("y.csv", 'id,x\na,"1,5"\nb,"2"\nc,"0,5"\n')
    assert dense(from_files(quoted, edges, decimal=",")).tolist() == [[1.5], [2], [0.5]]
    with pytest.raises(DataError, match="column 'x': '1,5' is not a finite number"):
        from_files(quoted, edges)
    with pytest.raises(DataError, match="column 'x': '1,5' is not a finite number"):
        from_files(write("x.csv", table), edges, decimal=".")
    with pytest.raises(DataError, match=r"'1\.234,5' is not a finite number"):  # thousands: not guessed
        from_files(write("x.csv", "id;x\na;1.234,5\nb;2\nc;3\n"), edges)
    with pytest.raises(OptionError, match="decimal=';' is unknown"):
        from_files(write("x.csv", table), edges, decimal=";")


# ---------------------------------------------------------------------- names and classes


def test_names_to_show_and_classes(write, path):
    table = write("x.csv", "id,x,title,kind\na,1,Red pie,fish\nb,2,Red pie,bird\nc,3,Sky,\n")
    data = from_files(table, path, label_column="title", class_column="kind")
    assert data.feature_names.tolist() == ["x"]
    assert data.display_names.tolist() == ["Red pie", "Red pie", "Sky"]
    assert data.class_names.tolist() == ["bird", "fish"]
    assert data.labels.tolist() == [1, 0, -1]
    with pytest.raises(DataError, match="no column 'sort'; it has 'id', 'x', 'title', 'kind'"):
        from_files(table, path, class_column="sort")


# ---------------------------------------------------------------------- dense and sparse, one file


def test_dense_tables_stay_dense(write, path):
    full = from_files(write("x.csv", "id,x,y\na,1,2\nb,3,0\nc,5,6\n"), path)
    assert isinstance(full.features, np.ndarray)
    assert full.features.dtype == np.float32
    assert full.features.flags.c_contiguous
    zeros = "id," + ",".join("abcdefgh") + "\n" + "".join(f"{v},1{',0' * 7}\n" for v in "abc")
    thin = from_files(write("x.csv", zeros), path)
    assert sp.issparse(thin.features)
    assert thin.features.nnz == 3


def test_one_archive_for_both(tmp_path, write):
    np.savez(tmp_path / "acm.npz", edges=np.array([[0, 1]]), features=np.eye(2), labels=np.array([0, 1]))
    data = from_files(tmp_path / "acm.npz")
    assert data.name == "acm"
    assert data.labels.tolist() == [0, 1]
    with pytest.raises(OptionError, match=r"no edges beside 'x\.csv'\. One file for both is an \.npz"):
        from_files(write("x.csv", "id,x\na,1\n"))
