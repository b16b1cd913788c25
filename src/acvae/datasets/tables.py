"""A user's own data: features and edges from files, joined by id."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.checks import choice, whole_number
from acvae._util.edge_lists import BoolArray, IntArray
from acvae._util.text import counted
from acvae.datasets.dataset import Dataset
from acvae.datasets.mapped import open_features
from acvae.datasets.table_files import (
    MATRIX_KINDS,
    TABLE_KINDS,
    Table,
    kind_of,
    read_lines,
    read_matrix,
    read_table,
)
from acvae.exceptions import DataError, OptionError
from acvae.graph import Graph

__all__ = ["from_files"]

_INDEX = "__index_level_0__"
"""What pandas calls an unnamed index when it writes Parquet."""


def from_files(
    features: str | PathLike[str],
    edges: str | PathLike[str],
    *,
    id_column: str | None = None,
    columns: Sequence[str] | None = None,
    text_column: str | None = None,
    max_words: int = 1000,
    header: bool = True,
    row_ids: bool = False,
    ids: str | PathLike[str] | None = None,
    source_column: str | None = None,
    target_column: str | None = None,
    edges_header: bool | None = None,
    isolated: str = "keep",
    name: str | None = None,
) -> Dataset:
    """Join a file of features and a file of edges by the ids that both use.

    Ids are compared as text, blanks around them aside: the 7 of one file is the "7" of the other, but not
    its "007". What did not match is left out, counted in `details`, and told in `details["summary"]`.

    Parameters
    ----------
    features
        A matrix (`.npz` of SciPy or NumPy, `.npy`, `.mtx`, or a folder written by `save_features`, which is
        mapped and not read) or a table (`.csv`, `.tsv`, `.parquet`). The ids of a matrix's rows are 0, 1, …
        unless `ids` is given.
    edges
        A table with one edge a row.
    id_column
        Column of the features table with the ids; by default the one called "id", else the first.
    columns
        Numeric columns to take as features; by default all but the ids (none when there is a `text_column`).
    text_column
        Column whose text becomes TF-IDF features, with English stop words left out.
    max_words
        Number of words to keep of the text, the most frequent ones.
    header
        Whether the features table has a header line. Without one its columns are called "0", "1", …
    row_ids
        The features table has no ids: number its rows 0, 1, …
    ids
        Text file with the id of every row of a matrix, one a line.
    source_column, target_column
        Columns of the edges table; by default its first two.
    edges_header
        Whether the edges table has a header line; by default its first line is one unless it names a known
        id, or is made of whole numbers just as all known ids are.
    isolated
        `"keep"` or `"drop"` the rows of features that have no edge.
    name
        What to call the data set; by default the features file's name.
    """
    choice("isolated", isolated, ("keep", "drop"))
    whole_number("max_words", max_words, minimum=1)
    features_path, edges_path = Path(features).expanduser(), Path(edges).expanduser()
    mapped = features_path.is_dir()
    if mapped or kind_of(features_path, MATRIX_KINDS + TABLE_KINDS) in MATRIX_KINDS:
        _refuse_table_options(features_path, id_column=id_column, columns=columns, text_column=text_column)
        matrix = open_features(features_path) if mapped else read_matrix(features_path)
        feature_names = None
        row_names = [str(i) for i in range(matrix.shape[0])] if ids is None else _read_ids(Path(ids), matrix)
    else:
        if ids is not None:
            raise OptionError("ids= goes with a matrix of features; a table has its ids in id_column.")
        if row_ids and id_column is not None:
            raise OptionError(f"row_ids=True says there are no ids, but id_column={id_column!r} names some.")
        table = read_table(features_path, header=header)
        id_column = None if row_ids else _id_column(table, id_column)
        row_names = [str(i) for i in range(table.n_rows)] if id_column is None else table.column(id_column)
        matrix, feature_names = _table_features(table, id_column, columns, text_column, max_words)
    position = _positions(row_names, features_path)

    ends = _read_edges(edges_path, position, source_column, target_column, edges_header)
    joined, details = _join(ends, position, features_path, edges_path)
    graph = Graph(len(row_names), joined, np.array(row_names))
    alone = np.flatnonzero(graph.degrees == 0)
    if isolated == "drop":
        kept = np.flatnonzero(graph.degrees)
        matrix, graph = matrix[kept], _subgraph(graph, kept)
    details |= {
        "features_without_edge": len(alone),
        "isolated": "kept" if isolated == "keep" else "dropped",
        "self_loops": int((joined[:, 0] == joined[:, 1]).sum()),
        "edges": graph.n_edges,
    }
    details["summary"] = _summary(details)
    return Dataset(
        name=name or features_path.name.split(".")[0],
        features=sp.csr_array(matrix).astype(np.float32, copy=False),
        graph=graph,
        feature_names=feature_names,
        source=f"Features from {features_path.name}, edges from {edges_path.name}, joined by id.",
        details=details,
    )


# ---------------------------------------------------------------------- features


def _refuse_table_options(path: Path, **options: Any) -> None:
    given = [option for option, value in options.items() if value is not None]
    if given:
        raise OptionError(
            f"{', '.join(given)} cannot be used with the matrix {path.name!r}: it has no names."
        )


def _read_ids(path: Path, matrix: sp.csr_array) -> list[str]:
    names = read_lines(path)
    if len(names) != matrix.shape[0]:
        raise DataError(f"{str(path)!r} has {len(names):,} ids for a matrix of {matrix.shape[0]:,} rows.")
    return names


def _id_column(table: Table, given: str | None) -> str:
    if given is not None:
        table.column(given)
        return given
    usual = (name for name in table.columns if name.lower() == "id" or name == _INDEX)
    return next(usual, next(iter(table.columns)))


def _table_features(
    table: Table,
    id_column: str | None,
    columns: Sequence[str] | None,
    text_column: str | None,
    max_words: int,
) -> tuple[sp.csr_array, npt.NDArray[Any]]:
    """Numeric columns and words, side by side (n, D), with what each is called."""
    if isinstance(columns, str):
        raise OptionError(f"columns is a list of names, not the text {columns!r}.")
    if columns is None:
        columns = [] if text_column else [name for name in table.columns if name != id_column]
    blocks, names = [], list(columns)
    if columns:
        blocks.append(sp.csr_array(np.stack([table.numbers(name) for name in columns], axis=1)))
    if text_column is not None:
        from sklearn.feature_extraction.text import TfidfVectorizer  # slow to import, and seldom needed

        vectorizer = TfidfVectorizer(stop_words="english", max_features=max_words)
        try:
            blocks.append(sp.csr_array(vectorizer.fit_transform(table.column(text_column))))
        except ValueError:  # scikit-learn: "empty vocabulary"
            raise DataError(
                f"the column {text_column!r} of {str(table.path)!r} holds no words but stop words."
            ) from None
        names += vectorizer.get_feature_names_out().tolist()
    if not blocks:
        raise DataError(
            f"{str(table.path)!r} has no column of features besides the ids in {id_column!r}."
            " If it has no ids, pass row_ids=True."
        )
    return sp.csr_array(sp.hstack(blocks, format="csr")), np.array(names)


def _positions(names: list[str], path: Path) -> dict[str, int]:
    """Row of every id; empty and repeated ones are located."""
    position: dict[str, int] = {}
    for row, row_name in enumerate(names):
        if not row_name:
            raise DataError(f"{str(path)!r}, row {row + 1}: the id is empty.")
        first = position.setdefault(row_name, row)
        if first != row:
            raise DataError(
                f"{str(path)!r} has the id {row_name!r} twice, in rows {first + 1} and {row + 1}."
            )
    if not position:
        raise DataError(f"{str(path)!r} has no rows.")
    return position


# ---------------------------------------------------------------------- edges


def _read_edges(
    path: Path, known: dict[str, int], source: str | None, target: str | None, header: bool | None
) -> tuple[list[str], list[str]]:
    if kind_of(path, TABLE_KINDS) != ".parquet" and header is None:
        header = source is not None or target is not None or _has_header(path, known)
    table = read_table(path, header=header is not False)
    if len(table.columns) < 2:
        raise DataError(f"{str(path)!r} should have two columns, the two ends of an edge, but has one.")
    first, second = list(table.columns)[:2]
    ends = table.column(source or first), table.column(target or second)
    for column in ends:
        if "" in column:
            raise DataError(f"{str(path)!r}, row {column.index('') + 1}: one end of the edge is missing.")
    return ends


def _has_header(path: Path, known: dict[str, int]) -> bool:
    """Whether the first line names the columns rather than two vertices."""
    table = read_table(path, header=False)
    first = [column[0] for column in table.columns.values()][:2]
    if any(cell in known for cell in first):
        return False
    return not all(map(_is_whole, first)) or not all(map(_is_whole, known))


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdigit()


def _join(
    ends: tuple[list[str], list[str]], position: dict[str, int], features_path: Path, edges_path: Path
) -> tuple[IntArray, dict[str, Any]]:
    """Edges (m, 2) by row of the features, and the count of what did not match."""
    rows = np.array([[position.get(end, -1) for end in column] for column in ends], dtype=np.int64).T
    inside: BoolArray = np.all(rows >= 0, axis=1)
    named = dict.fromkeys([*ends[0], *ends[1]])
    unknown = [end for end in named if end not in position]
    if not inside.any():
        examples = [", ".join(map(repr, list(some)[:3])) or "none" for some in (position, named)]
        raise DataError(
            f"no edge of {str(edges_path)!r} joins two ids of {str(features_path)!r}: "
            f"ids there are {examples[0]}, in the edges {examples[1]}."
        )
    return rows[inside], {
        "feature_rows": len(position),
        "edge_rows": len(inside),
        "edge_rows_left_out": int((~inside).sum()),
        "ids_without_features": len(unknown),
        "ids_without_features_examples": unknown[:5],
    }


def _subgraph(graph: Graph, kept: IntArray) -> Graph:
    """The graph on the vertices `kept`, which hold all edges."""
    names = None if graph.names is None else graph.names[kept]
    return Graph(len(kept), np.searchsorted(kept, graph.edges), names)


def _summary(details: dict[str, Any]) -> str:
    """One line a person can read."""
    text = (
        f"{_rows(details['feature_rows'])} of features and {_rows(details['edge_rows'])} of edges give "
        f"{counted(details['edges'], 'distinct edge')}; "
    )
    if details["ids_without_features"]:
        shown = details["ids_without_features_examples"]
        examples = ", ".join(map(repr, shown)) + (
            ", …" if details["ids_without_features"] > len(shown) else ""
        )
        text += (
            f"{_rows(details['edge_rows_left_out'])} of edges left out, for there are no features of "
            f"{counted(details['ids_without_features'], 'id')} ({examples}); "
        )
    else:
        text += "every id of the edges has features; "
    alone = details["features_without_edge"]
    if not alone:
        return text + "every row of features has an edge."
    return text + f"{_rows(alone)} of features without an edge {details['isolated']}."


def _rows(number: int) -> str:
    return counted(number, "row")
