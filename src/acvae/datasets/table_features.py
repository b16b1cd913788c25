"""Columns of a table as features: numbers, words and categories side by side."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.options import the_option
from acvae.datasets.matrix_files import as_dense_or_sparse
from acvae.datasets.missing import fill_missing
from acvae.datasets.table_files import MISSING_TEXTS, Table
from acvae.exceptions import DataError, OptionError

__all__ = ["ColumnChoice", "TableFeatures", "table_features"]

LONGEST_SHOWN = 60  # letters of a cell in a message
NUMBER_WITH_SIGNS = re.compile(r"[$€£]? ?[+-]?\d[\d.,' ]*[%$€£]?")
MOST_CATEGORIES = 50  # of a column that "auto" takes as categorical


@dataclass(frozen=True)
class ColumnChoice:
    """Which columns become features, and how."""

    columns: Sequence[str] | None = None
    text: Sequence[str] = ()
    categorical: Sequence[str] | str = ()
    max_words: int = 1000
    missing: str = "error"
    apart: frozenset[str | None] = field(default_factory=frozenset)  # ids, labels, classes


@dataclass(frozen=True)
class TableFeatures:
    """Features (n, D), what their columns are called, which rows have any, and what was taken as what."""

    matrix: Any
    names: npt.NDArray[Any]
    observed: npt.NDArray[np.bool_] | None
    taken: dict[str, list[str]]


def table_features(table: Table, choice: ColumnChoice) -> TableFeatures:
    """Numeric columns, one-hot categories and TF-IDF of words, in this order."""
    numeric, categorical = _kinds(table, choice)  # a dictionary of numbers, a list of names
    blocks: list[Any] = []
    names = list(numeric)
    known = np.zeros(table.n_rows, dtype=bool)  # rows about which anything is known
    if numeric:
        numbers = np.stack(list(numeric.values()), axis=1)
        if choice.missing == "error":
            _refuse_gaps(table, names, np.isnan(numbers))
        known |= ~np.isnan(numbers).all(axis=1)
        blocks.append(fill_missing(numbers, "mean" if choice.missing == "evidence" else choice.missing)[0])
    for column in categorical:
        block, values = _one_hot(table.column(column))
        known |= np.asarray(block.sum(axis=1)).ravel() > 0
        blocks.append(block)
        names += [f"{column}={value}" for value in values]
    if choice.text:
        block, words = _words(table, choice)
        known |= np.asarray(block.sum(axis=1)).ravel() > 0
        blocks.append(block)
        names += words
    if not blocks or not names:
        raise DataError(
            f"{str(table.path)!r} has no column of features besides "
            f"{', '.join(repr(name) for name in sorted(filter(None, choice.apart))) or 'none'}."
            f" A column of kinds becomes features by {the_option('categorical')}; if there are no ids, set "
            f"{the_option('row_ids')}."
        )
    matrix = blocks[0] if len(blocks) == 1 else sp.hstack([sp.csr_array(b) for b in blocks], format="csr")
    if choice.missing == "evidence" and not known.all():
        matrix = sp.diags_array(known.astype(np.float64)) @ sp.csr_array(matrix)
    taken = {"numeric": list(numeric), "categorical": list(categorical), "text": list(choice.text)}
    return TableFeatures(
        as_dense_or_sparse(matrix),
        np.array(names),
        known if choice.missing == "evidence" else None,
        {kind: columns for kind, columns in taken.items() if columns},
    )


def _kinds(table: Table, choice: ColumnChoice) -> tuple[dict[str, npt.NDArray[np.float64]], list[str]]:
    """The numeric columns and the names of the categorical; every column that is neither is told of."""
    if isinstance(choice.columns, str):
        raise OptionError(f"columns is a list of names, not the text {choice.columns!r}.")
    for name in (*(choice.columns or ()), *choice.text):
        table.column(name)
    auto = choice.categorical == "auto"
    categorical = [] if auto else list(choice.categorical)
    for name in categorical:
        table.column(name)
    rest = [
        name
        for name in (table.columns if choice.columns is None else choice.columns)
        if name not in choice.apart and name not in choice.text and name not in categorical
    ]
    parsed = {name: table.numbers(name) for name in rest}
    bad = {name: rows for name, (_, rows) in parsed.items() if len(rows)}
    if auto:
        few = [name for name in bad if len(set(table.column(name))) <= MOST_CATEGORIES]
        categorical, bad = few, {name: rows for name, rows in bad.items() if name not in few}
    if bad:
        raise DataError(_refusal(table, bad, choice.apart))
    return {name: numbers for name, (numbers, _) in parsed.items() if name not in categorical}, categorical


def _refusal(table: Table, bad: dict[str, Any], apart: frozenset[str | None]) -> str:
    """All bad columns in one message, each with its first bad cell."""
    whole = [name for name, rows in bad.items() if len(rows) == table.n_rows]
    signs = [name for name, rows in bad.items() if NUMBER_WITH_SIGNS.fullmatch(table.column(name)[rows[0]])]
    ids = [name for name in whole if name not in signs and _may_be_ids(table, name, apart)][:1]
    words = [name for name in whole if name not in ids and " " in table.column(name)[0]]
    values = [name for name in bad if name not in (*words, *signs, *ids)]
    hints = []
    if ids:
        hints.append(f"if {ids[0]!r} holds the ids, name it in {the_option('id_column')}")
    if signs:
        hints.append(f"write the numbers of {signs[0]!r} plainly, as 1000 and 0.05 for 1,000 and 5%")
    if words:
        hints.append(f"to take the words of {words[0]!r} as features, name it in {the_option('text_column')}")
    if values:
        hints.append(
            f"to take each value of {values[0]!r} as a category, name it in {the_option('categorical')}"
        )
    hints.append(f"to leave a column out, name the others in {the_option('columns')}")
    told = "; ".join(_located(table, name, rows) for name, rows in bad.items())
    advice = "; ".join(hints)
    return f"{str(table.path)!r}, {told}. {advice[0].upper()}{advice[1:]}."


def _may_be_ids(table: Table, name: str, apart: frozenset[str | None]) -> bool:
    """Whether all its cells differ, and what was taken for ids are numbers of rows, as an index of pandas."""
    numbered = [str(i) for i in range(table.n_rows)]
    return len(set(table.column(name))) == table.n_rows > 1 and any(
        column in table.columns and table.column(column) == numbered for column in apart if column is not None
    )


def _refuse_gaps(table: Table, names: list[str], gaps: npt.NDArray[np.bool_]) -> None:
    """Every column with a gap in one message, each with its first."""
    told = [_located(table, names[j], np.flatnonzero(gaps[:, j])) for j in np.flatnonzero(gaps.any(axis=0))]
    if told:
        raise DataError(
            f"{str(table.path)!r}, {'; '.join(told)}. Fill them in; or say by {the_option('missing')} what "
            "a gap means ('mean', 'zero' or 'evidence'); or leave columns out by naming the others in "
            f"{the_option('columns')}."
        )


def _located(table: Table, name: str, rows: npt.NDArray[np.int64]) -> str:
    """Where the first of the bad cells of a column is, what it holds, and how many there are."""
    cell = table.column(name)[rows[0]]
    shown = cell if len(cell) <= LONGEST_SHOWN else f"{cell[:LONGEST_SHOWN]}…"
    what = f"{shown!r} is not a finite number" if cell else "the cell is empty where a number is needed"
    others = f" ({len(rows):,} cells of this column are like that)" if len(rows) > 1 else ""
    return f"row {rows[0] + 1}, column {name!r}: {what}{others}"


def _one_hot(cells: list[str]) -> tuple[sp.csr_array, list[str]]:
    """(n, values) with a one where a row has the value; an empty cell has none."""
    values = sorted({cell for cell in cells if cell.lower() not in MISSING_TEXTS})
    place = {value: j for j, value in enumerate(values)}
    at = [(i, place[cell]) for i, cell in enumerate(cells) if cell in place]
    rows, columns = np.array(at, dtype=np.int64).reshape(-1, 2).T
    return sp.csr_array((np.ones(len(at)), (rows, columns)), shape=(len(cells), len(values))), values


def _words(table: Table, choice: ColumnChoice) -> tuple[sp.csr_array, list[str]]:
    from sklearn.feature_extraction.text import TfidfVectorizer  # slow to import, and seldom needed

    vectorizer = TfidfVectorizer(stop_words="english", max_features=choice.max_words)
    texts = [" ".join(cells) for cells in zip(*map(table.column, choice.text), strict=True)]
    try:
        block = sp.csr_array(vectorizer.fit_transform(texts))
    except ValueError:  # scikit-learn: "empty vocabulary"
        raise DataError(
            f"the column {', '.join(map(repr, choice.text))} of {str(table.path)!r} holds no words but stop "
            "words."
        ) from None
    return block, vectorizer.get_feature_names_out().tolist()
