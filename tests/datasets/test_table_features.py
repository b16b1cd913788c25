"""Columns as features: numbers, categories and words, and what is refused of them."""

from pathlib import Path

import pytest
import scipy.sparse as sp

from acvae.datasets.table_features import MOST_CATEGORIES, ColumnChoice, table_features
from acvae.datasets.table_files import Table
from acvae.exceptions import DataError, OptionError


def table(**columns):
    return Table(Path("x.csv"), {name: list(cells) for name, cells in columns.items()})


SMALL = table(id="ab", age=["3", "4"], kind=["x", "y"], size=["1.5", "2"])
IDS = frozenset({"id"})


def dense(features):
    return features.matrix.toarray() if sp.issparse(features.matrix) else features.matrix


def test_numbers_then_categories():
    found = table_features(SMALL, ColumnChoice(categorical=["kind"], apart=IDS))
    assert found.names.tolist() == ["age", "size", "kind=x", "kind=y"]
    assert dense(found).tolist() == [[3, 1.5, 1, 0], [4, 2, 0, 1]]
    assert found.taken == {"numeric": ["age", "size"], "categorical": ["kind"]}
    assert found.observed is None


def test_columns_that_are_chosen():
    found = table_features(SMALL, ColumnChoice(columns=["size"], apart=IDS))
    assert found.names.tolist() == ["size"]
    with pytest.raises(DataError, match="no column 'sise'"):
        table_features(SMALL, ColumnChoice(columns=["sise"]))
    with pytest.raises(OptionError, match="columns is a list of names, not the text 'size'"):
        table_features(SMALL, ColumnChoice(columns="size"))


def test_auto_takes_columns_of_few_values_as_categorical():
    n = MOST_CATEGORIES + 1
    few, many = [f"k{k % MOST_CATEGORIES}" for k in range(n)], [f"k{k}" for k in range(n)]
    found = table_features(table(kind=few), ColumnChoice(categorical="auto"))
    assert len(found.names) == MOST_CATEGORIES
    with pytest.raises(DataError, match="To take each value of 'kind' as a category"):
        table_features(table(kind=many), ColumnChoice(categorical="auto"))


def test_words_come_last():
    found = table_features(table(age="12", about=["red green", "the green"]), ColumnChoice(text=["about"]))
    assert found.names.tolist() == ["age", "green", "red"]  # "the" is a stop word
    assert (dense(found)[:, 1:] > 0).tolist() == [[True, True], [True, False]]
    with pytest.raises(DataError, match=r"'about' of 'x\.csv' holds no words but stop words"):
        table_features(table(about=["the", "a"]), ColumnChoice(text=["about"]))


GAPS = table(age=["1", "", "3"], kind=["x", "", ""])


def test_gaps_are_located():
    with pytest.raises(DataError, match=r"row 2, column 'age': the cell is empty .* 'evidence'"):
        table_features(GAPS, ColumnChoice(columns=["age"]))


@pytest.mark.parametrize(
    ("missing", "expected", "observed"),
    [
        ("mean", [[1, 1], [2, 0], [3, 0]], None),
        ("zero", [[1, 1], [0, 0], [3, 0]], None),
        ("evidence", [[1, 1], [0, 0], [3, 0]], [True, False, True]),  # of the second nothing is known
    ],
)
def test_what_a_gap_means(missing, expected, observed):
    found = table_features(GAPS, ColumnChoice(categorical=["kind"], missing=missing))
    assert dense(found).tolist() == expected
    assert (found.observed is None) if observed is None else (found.observed.tolist() == observed)


def test_all_bad_columns_are_in_one_message():
    bad = table(name=["Ada L", "Bo M"], price=["1,000$", "2"], age=["3", "x"])
    with pytest.raises(DataError) as caught:
        table_features(bad, ColumnChoice())
    told = str(caught.value)
    assert "row 1, column 'name': 'Ada L' is not a finite number (2 cells of this column" in told
    assert "row 1, column 'price': '1,000$'" in told
    assert "row 2, column 'age': 'x'" in told
    assert "words of 'name'" in told
    assert "Write the numbers of 'price' plainly" in told
    assert "each value of 'age' as a category" in told


def test_an_index_of_pandas_is_no_id():
    with pytest.raises(DataError, match=r"If 'name' holds the ids, name it in"):
        table_features(table(i=["0", "1"], name=["ada", "bo"]), ColumnChoice(apart=frozenset({"i"})))


def test_no_features_at_all():
    with pytest.raises(DataError, match="no column of features besides 'id'"):
        table_features(table(id="ab"), ColumnChoice(apart=IDS))


def test_long_cells_are_cut():
    with pytest.raises(DataError, match=f"'{'x' * 60}…' is"):
        table_features(table(a=["x" * 200, "1"]), ColumnChoice())
