"""A user's table of edges: read once, its header found out, its ends matched with known ids."""

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.edge_lists import BoolArray, FloatArray, IntArray
from acvae._util.options import setting
from acvae._util.text import shown
from acvae.datasets.headers import edges_alone_have_header, edges_have_header, named_ends
from acvae.datasets.ids import common_spelling, why_none_match
from acvae.datasets.table_files import RawTable, Table
from acvae.exceptions import DataError, HeaderWarning

__all__ = ["EdgeTable", "JoinedEdges", "edge_table", "join_edges"]


class EdgeTable(NamedTuple):
    """Ends of edges as text, and their weights where the table has them."""

    path: Path
    ends: tuple[list[str], list[str]]
    weights: FloatArray | None


class JoinedEdges(NamedTuple):
    """Edges (m, 2) by row of the features, weights (m,), and what was counted."""

    edges: IntArray
    weights: FloatArray | None
    details: dict[str, Any]


def edge_table(
    rows: RawTable,
    known: set[str] | None,
    *,
    source: str | None,
    target: str | None,
    weight: str | None,
    header: bool | None,
) -> EdgeTable:
    """The ends and weights. Without `header` the first line is one unless it names known ids, if there are.

    Ends are the first two columns, or those named; the weights are in the column `weight`, by default the one
    that is called so.
    """
    named = source is not None or target is not None or weight is not None
    unclear = False
    if header is None:
        guess = edges_alone_have_header(rows) if known is None else edges_have_header(rows, known)
        unclear = guess is None and not named
        header = named or bool(guess)
    table = rows.table(header)
    if len(table.columns) < 2:
        raise DataError(f"{str(rows.path)!r} should have two columns, the two ends of an edge, but has one.")
    if unclear:
        warnings.warn(_header_or_edge(rows), HeaderWarning, stacklevel=3)
    if not named:
        _refuse_adjacency(table)
    chosen = _end_columns(table, source, target)
    first, second = (table.column(name) for name in chosen)
    for column in (first, second):
        if "" in column:
            others = f" ({column.count(''):,} rows are like that)" if column.count("") > 1 else ""
            raise DataError(
                f"{str(rows.path)!r}, row {column.index('') + 1}: one end of the edge is missing{others}. "
                "Fill it in, or take the row out."
            )
    if weight is None:
        weight = next((n for n in table.columns if n.lower() == "weight" and n not in chosen), None)
    return EdgeTable(rows.path, (first, second), None if weight is None else _weights(table, weight))


def _header_or_edge(rows: RawTable) -> str:
    """That nothing tells whether the first line is an edge, and how to say it."""
    first, second = map(shown, rows.cells[0][:2])
    return (
        f"the first line of {str(rows.path)!r} is taken for an edge, between {first} and {second}. It may be "
        f"a header, as neither is an end of another edge: {setting('edges_header', True)} says that it is "
        f"one, {setting('edges_header', False)} that it is not."
    )


def _refuse_adjacency(table: Table) -> None:
    """A square table with a row and a column for each vertex is no list of edges."""
    names = list(table.columns)
    own = names[1:] == table.columns[names[0]]
    bare = len(names) == table.n_rows > 3 and all(
        set(cells) <= {"0", "1"} for cells in table.columns.values()
    )
    if len(names) > 3 and (own or bare):
        raise DataError(
            f"{str(table.path)!r} looks like an adjacency matrix of {table.n_rows:,} vertices. Edges are a "
            "table with an edge a row, its two ends in two columns; in Python `fit` takes a SciPy matrix as "
            "it is."
        )


def _end_columns(table: Table, source: str | None, target: str | None) -> tuple[str, str]:
    """Those named, else those called as ends often are, else the first two."""
    first, second = list(table.columns)[:2]
    called = named_ends(table.columns)
    if source is None and target is None and called is not None:
        return called
    return source or first, target or second


def _weights(table: Table, name: str) -> FloatArray:
    values, bad = table.numbers(name)
    wrong = np.union1d(bad, np.flatnonzero(~(values > 0)))
    if len(wrong):
        others = f" ({len(wrong):,} cells are like that)" if len(wrong) > 1 else ""
        cell = table.column(name)[wrong[0]]
        raise DataError(
            f"{str(table.path)!r}, row {wrong[0] + 1}, column {name!r}: a weight is a positive number, not "
            f"{cell!r}{others}."
        )
    return values


def join_edges(table: EdgeTable, names: list[str], features_path: Path) -> JoinedEdges:
    """Match the ends with the ids; what does not match is left out and counted."""
    position = {name: row for row, name in enumerate(names)}
    named = list(dict.fromkeys([*table.ends[0], *table.ends[1]]))
    spelling = common_spelling(names, named) or {}
    position |= {end: position[name] for end, name in spelling.items()}
    rows: IntArray = np.array([[position.get(end, -1) for end in column] for column in table.ends]).T
    inside: BoolArray = np.all(rows >= 0, axis=1)
    unknown = [end for end in named if end not in position]
    if not inside.any():
        shown = [", ".join(map(repr, some[:3])) or "none" for some in (names, named)]
        raise DataError(
            f"no edge of {str(table.path)!r} joins two ids of {str(features_path)!r}: "
            f"ids there are {shown[0]}, in the edges {shown[1]}.{why_none_match(names, named)}"
        )
    weights: npt.NDArray[np.float64] | None = None if table.weights is None else table.weights[inside]
    return JoinedEdges(
        rows[inside].astype(np.int64),
        weights,
        {
            "feature_rows": len(names),
            "edge_rows": len(inside),
            "edge_rows_left_out": int((~inside).sum()),
            "ids_without_features": len(unknown),
            "ids_without_features_examples": unknown[:5],
            "ids_written_otherwise": [list(pair) for pair in list(spelling.items())[:5]],
        },
    )
