"""Tables in parts, as CSV and Parquet; whole or not at all."""

import csv

import numpy as np
import pytest

from acvae._util.table_writer import check_ending, write_table
from acvae.exceptions import OptionError


def parts():
    yield {"name": np.array(["a", 'b "c", d']), "x": np.array([0.1, 2], dtype=np.float32)}
    yield {"name": np.array(["é"]), "x": np.array([-3], dtype=np.float32)}


def test_csv(tmp_path):
    assert write_table(tmp_path / "t.csv", parts()) == 3
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    # 0.1 in single precision is 0.10000000149 in double, but its own digits are 0.1.
    assert rows == [["name", "x"], ["a", "0.1"], ['b "c", d', "2.0"], ["é", "-3.0"]]


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert write_table(tmp_path / "t.PARQUET", parts()) == 3
    table = parquet.read_table(tmp_path / "t.PARQUET").to_pydict()
    assert table["name"] == ["a", 'b "c", d', "é"]
    np.testing.assert_array_equal(np.array(table["x"], dtype=np.float32), np.float32([0.1, 2, -3]))


def test_names_of_two_kinds_do_not_go_into_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    mixed = {"name": np.array(["a", 1], dtype=object)}
    with pytest.raises(OptionError, match="names of this kind"):
        write_table(tmp_path / "t.parquet", [mixed])
    assert list(tmp_path.iterdir()) == []
    assert write_table(tmp_path / "t.csv", [mixed]) == 2


def test_a_part_that_fails_leaves_nothing(tmp_path):
    def failing():
        yield from parts()
        raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        write_table(tmp_path / "t.csv", failing())
    assert list(tmp_path.iterdir()) == []


def test_no_rows(tmp_path):
    assert write_table(tmp_path / "t.csv", [{"a": np.array([]), "b": np.array([])}]) == 0
    assert (tmp_path / "t.csv").read_text() == "a,b\n"


def test_endings_and_folders(tmp_path):
    assert check_ending(tmp_path / "a.CSV") == ".csv"
    assert check_ending(tmp_path / "a.html", (".html", ".csv")) == ".html"
    with pytest.raises(OptionError, match=r"must end in \.csv or \.parquet"):
        check_ending(tmp_path / "a.txt")
    with pytest.raises(OptionError, match=r"no folder .*none' to write 'a\.csv' into"):
        check_ending(tmp_path / "none" / "a.csv")


def test_a_place_that_is_taken(tmp_path):
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(OptionError, match="cannot be written"):
        write_table(tmp_path / "t.csv", parts())
