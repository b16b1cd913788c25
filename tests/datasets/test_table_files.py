"""Tables of text and Parquet as rows of cells, and cells as numbers."""

import numpy as np
import pytest

from acvae.datasets.table_files import RawTable, Table, is_number, kind_of, number, read_lines, read_rows
from acvae.exceptions import DataError


@pytest.mark.parametrize(
    ("name", "content", "comma"),
    [
        ("t.csv", "a,b\n1, 2 \n\n", False),
        ("t.csv", "a;b\n1;2\n", True),
        ("t.csv", "\ufeffa,b\r\n1,2\r\n", False),
        ("t.csv", '"a","b"\n"1",2', False),
        ("t.tsv", "# told\na\tb\n1\t2\n", True),
        ("t.txt", "% told\na   b\n1 2\n", True),
        ("t.txt", "a,b\n1,2\n", False),
    ],
)
def test_text_in_many_forms(name, content, comma, write):
    rows = read_rows(write(name, content))
    assert rows.cells == [["a", "b"], ["1", "2"]]
    assert rows.comma is comma
    assert rows.names is None


def test_a_comma_within_a_cell_and_a_decimal_comma_that_is_told(write):
    assert read_rows(write("t.csv", 'a\n"1,5"\n')).cells == [["a"], ["1,5"]]
    assert read_rows(write("t.csv", "a\n1\n"), decimal=",").comma
    assert not read_rows(write("t.tsv", "a\tb\n"), decimal=".").comma


@pytest.mark.parametrize(
    ("content", "match"), [("", "is empty"), ("\n \n", "is empty"), ('a,b\n"1,2\n', "not a regular table")]
)
def test_what_is_no_table(content, match, write):
    with pytest.raises(DataError, match=match):
        read_rows(write("t.csv", content))


def test_parquet(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [1.0, None], "yes": [True, False], "t": [" a ", None]}, index=["p", "q"])
    frame.index.name = "id"
    frame.to_parquet(tmp_path / "t.parquet")
    rows = read_rows(tmp_path / "t.parquet")
    assert rows.names == ["id", "n", "yes", "t"]  # the index is what rows are called by
    assert rows.cells == [["p", "1", "1", "a"], ["q", "", "0", ""]]


def test_damaged_parquet(write):
    with pytest.raises(DataError, match="damaged or not a Parquet file"):
        read_rows(write("t.parquet", b"PAR1 nothing PAR1"))


def test_a_table_with_and_without_header(write):
    rows = read_rows(write("t.csv", "a,b\n1,2\n3,4\n"))
    assert rows.table(True).columns == {"a": ["1", "3"], "b": ["2", "4"]}
    assert rows.table(False).columns == {"0": ["a", "1", "3"], "1": ["b", "2", "4"]}
    assert (rows.table(True).n_rows, rows.table(False).n_rows) == (2, 3)


def test_columns_of_one_name_and_rows_of_another_length(tmp_path):
    with pytest.raises(DataError, match=r"more than one column called 'a'\.$"):
        RawTable(tmp_path, [["a", "a"]]).table(True)
    with pytest.raises(DataError, match=r"called '1'\. If its first line is not a header"):
        RawTable(tmp_path, [["1", "1"]]).table(True)
    with pytest.raises(DataError, match="row 2: 1 cells where 2 are expected"):
        RawTable(tmp_path, [["a", "b"], ["1", "2"], ["3"]]).table(True)


def test_a_column_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"no column 'agge'; it has 'age'\. .*'age'"):
        Table(tmp_path, {"age": []}).column("agge")


def test_numbers_of_a_column(tmp_path):
    cells = ["1", "-2.5e1", "", "NA", "true", "False"]
    values, bad = Table(tmp_path, {"a": cells}).numbers("a")
    np.testing.assert_array_equal(values, [1, -25, np.nan, np.nan, 1, 0])
    assert bad.tolist() == []
    _, bad = Table(tmp_path, {"a": ["1", "x", "inf", "1,5"]}).numbers("a")
    assert bad.tolist() == [1, 2, 3]
    values, bad = Table(tmp_path, {"a": ["1,5", "1.5", "1,2,3"]}, comma=True).numbers("a")
    np.testing.assert_array_equal(values, [1.5, 1.5, np.nan])
    assert bad.tolist() == [2]


def test_cells():
    assert number("1,5", comma=True) == 1.5
    assert not is_number("1,5")
    assert not is_number("1,000.5", comma=True)
    assert is_number("-inf")


def test_kinds(write, tmp_path):
    assert kind_of(write("a.CSV.gz", ""), (".csv",)) == ".csv"
    with pytest.raises(DataError, match=r"files may end in \.csv\. Save the sheet as CSV"):
        kind_of(tmp_path / "a.xlsx", (".csv",))
    with pytest.raises(DataError, match=r"renamed to \.txt"):
        kind_of(tmp_path / "a.dat", (".csv",))
    with pytest.raises(DataError, match="does not exist"):
        kind_of(tmp_path / "a.csv", (".csv",))


def test_lines(write, tmp_path):
    assert read_lines(write("l.txt", "\ufeff a\r\n\n b \n")) == ["a", "b"]
    with pytest.raises(DataError, match="does not exist"):
        read_lines(tmp_path / "none.txt")
