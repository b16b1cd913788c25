"""A user's own data: features and edges from files, joined by id."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.checks import as_path, choice, flag, optional_text, texts, whole_number
from acvae._util.edge_lists import COMBINE, IntArray
from acvae._util.options import setting, the_option
from acvae._util.text import counted
from acvae.datasets.archives import from_archive
from acvae.datasets.dataset import Dataset
from acvae.datasets.edge_files import edge_table, join_edges
from acvae.datasets.edges_alone import edges_alone, refuse_options_of_features
from acvae.datasets.headers import features_have_header
from acvae.datasets.ids import DUPLICATES, Distinct, distinct, merge_rows
from acvae.datasets.mapped import open_features
from acvae.datasets.matrix_files import as_dense_or_sparse, read_matrix
from acvae.datasets.missing import MISSING, fill_missing
from acvae.datasets.table_features import ColumnChoice, table_features
from acvae.datasets.table_files import (
    MATRIX_KINDS,
    MISSING_TEXTS,
    TABLE_KINDS,
    Table,
    kind_of,
    read_lines,
    read_rows,
)
from acvae.exceptions import DataError, FeatureError, OptionError
from acvae.graph import Graph

__all__ = ["from_files"]

SWAPPED = " It looks like a table of edges; were features and edges swapped?"
_INDEX = "__index_level_0__"
"""What pandas calls an unnamed index when it writes Parquet."""


def from_files(
    features: str | PathLike[str] | None,
    edges: str | PathLike[str] | None = None,
    *,
    id_column: str | None = None,
    columns: Sequence[str] | None = None,
    text_column: str | Sequence[str] | None = None,
    categorical: str | Sequence[str] | None = None,
    label_column: str | None = None,
    class_column: str | None = None,
    max_words: int = 1000,
    missing: str = "error",
    duplicates: str = "error",
    decimal: str | None = None,
    header: bool | None = None,
    row_ids: bool = False,
    ids: str | PathLike[str] | None = None,
    source_column: str | None = None,
    target_column: str | None = None,
    weight_column: str | None = None,
    combine: str = "equal",
    edges_header: bool | None = None,
    isolated: str = "keep",
    name: str | None = None,
) -> Dataset:
    """Join a file of features and a file of edges by the ids that both use.

    Ids are compared as text, blanks around them aside: the 7 of one file is the "7" of the other, but not its
    "007". A whole number written as 7.0 is the 7 of the other file, unless there is a "7.0" as well. What did
    not match is left out, counted in `details`, and told in `details["summary"]`.

    Parameters
    ----------
    features
        A matrix (`.npz` of SciPy or NumPy, `.npy`, `.mtx`, or a folder written by `save_features`, which is
        mapped and not read) or a table (`.csv`, `.tsv`, `.txt`, `.parquet`). The ids of a matrix's rows are
        0, 1, … unless `ids` is given. Without `edges` an `.npz` that holds both, as `from_archive` reads.
        None for a graph without features: its vertices are the ends of the edges, in the order of the rows.
    edges
        A table with one edge a row; `.txt` may be parted by blanks and have comments, as those of SNAP.
    id_column
        Column of the features table with the ids; by default the one called "id", else the first.
    columns
        Numeric columns to take as features; by default all that are not named otherwise.
    text_column
        Column or columns whose text becomes TF-IDF features, with English stop words left out.
    categorical
        Columns of which each value becomes a feature of zeros and ones; "auto" takes all that are not numbers
        and have at most 50 values.
    label_column
        Column with names to show (`Dataset.display_names`); they need not be distinct.
    class_column
        Column with the class of each vertex (`Dataset.labels`, `class_names`), empty where not known.
    max_words
        Number of words to keep of the text, the most frequent ones.
    missing
        Empty cells among the numbers: `"error"`, filled with the column's `"mean"` or with `"zero"`, or
        `"evidence"`: rows that say nothing at all are vertices without features (`Dataset.observed`), other
        gaps are filled with the mean.
    duplicates
        An id in more than one row: `"error"`, or its `"first"` row, or the `"mean"` of its rows.
    decimal
        "." or ","; by default 1,5 is a number where the file is not parted by commas.
    header
        Whether the features table has a header line; by default this is found out. Without one its columns
        are called "0", "1", …
    row_ids
        The features table has no ids: number its rows 0, 1, …
    ids
        Text file with the id of every row of a matrix, one a line.
    source_column, target_column
        Columns of the edges table; by default those called source and target, else the first two.
    weight_column
        Column of the edges table with positive weights; by default the one called "weight", if there is one.
    combine
        Weights of an edge that stands in more than one row, in either direction: they have to be `"equal"`,
        or their `"sum"`, `"mean"` or `"max"` is taken.
    edges_header
        Whether the edges table has a header line; by default its first line is one unless it names a known
        id, or is made of whole numbers just as all known ids are. Where no ids are known and nothing tells,
        it is an edge, with a `HeaderWarning`.
    isolated
        `"keep"` or `"drop"` the rows of features that have no edge.
    name
        What to call the data set; by default the name of the file of features, or of edges without any.
    """
    choice("isolated", isolated, ("keep", "drop"))
    choice("missing", missing, MISSING)
    choice("duplicates", duplicates, DUPLICATES)
    choice("combine", combine, COMBINE)
    if decimal is not None:
        choice("decimal", decimal, (".", ","))
    whole_number("max_words", max_words, minimum=1)
    for option, text in (
        *(("id_column", id_column), ("label_column", label_column), ("class_column", class_column)),
        *(("source_column", source_column), ("target_column", target_column)),
        *(("weight_column", weight_column), ("name", name)),
    ):
        optional_text(option, text)
    for option, yes in (("header", header), ("edges_header", edges_header), ("row_ids", row_ids)):
        if yes is not None:
            flag(option, yes)
    if not isinstance(columns, str):  # which has an answer of its own
        columns = None if columns is None else texts("columns", columns)
    text_columns, categories = texts("text_column", text_column), texts("categorical", categorical)
    for_tables = {
        "id_column": id_column,
        "columns": columns,
        "text_column": text_columns or None,
        "categorical": "auto" if categories == ["auto"] else categories or None,
        "label_column": label_column,
        "class_column": class_column,
    }
    of_edges: dict[str, Any] = {
        "source": source_column,
        "target": target_column,
        "weight": weight_column,
        "header": edges_header,
    }
    if features is None:
        refuse_options_of_features(**for_tables, header=header, ids=ids, row_ids=row_ids or None)
        edges_path = as_path("edges", edges, home=True)
        kind_of(edges_path, TABLE_KINDS)
        return edges_alone(
            edge_table(read_rows(edges_path, decimal=decimal), None, **of_edges), combine, name
        )
    features_path = as_path("features", features, home=True)
    if edges is None:
        return _one_file(features_path, missing, name)
    edges_path = as_path("edges", edges, home=True)
    is_matrix = features_path.is_dir() or kind_of(features_path, MATRIX_KINDS + TABLE_KINDS) in MATRIX_KINDS
    if is_matrix:
        _refuse_table_options(features_path, **for_tables)
    kind_of(edges_path, TABLE_KINDS)
    edge_rows = read_rows(edges_path, decimal=decimal)
    if is_matrix:
        vertices = _matrix_vertices(features_path, ids, missing)
    else:
        if ids is not None:
            raise OptionError(
                f"{the_option('ids')} goes with a matrix of features; a table has its ids in "
                f"{the_option('id_column')}."
            )
        if row_ids and id_column is not None:
            raise OptionError(
                f"{setting('row_ids', True)} says there are no ids, but {setting('id_column', id_column)} "
                "names some."
            )
        rows = read_rows(features_path, decimal=decimal)
        if header is None:
            named = [n for given in for_tables.values() for n in texts("columns", given) if given != "auto"]
            header = features_have_header(rows, named, {cell for row in edge_rows.cells for cell in row[:2]})
        table = rows.table(header)
        id_column = None if row_ids else _id_column(table, id_column)
        wanted = ColumnChoice(
            columns=columns,
            text=text_columns,
            categorical="auto" if categories == ["auto"] else categories,
            max_words=max_words,
            missing=missing,
            apart=frozenset((id_column, label_column, class_column)),
        )
        vertices = _table_vertices(table, id_column, label_column, class_column, wanted, duplicates)
        vertices.details["features_header"] = header

    ends = edge_table(edge_rows, set(vertices.names), **of_edges)
    joined = join_edges(ends, vertices.names, features_path)
    graph = Graph(
        len(vertices.names), joined.edges, np.array(vertices.names), joined.weights, combine=combine
    )
    alone = int((graph.degrees == 0).sum())
    if isolated == "drop":
        kept = np.flatnonzero(graph.degrees)
        vertices, graph = vertices.part(kept), _subgraph(graph, kept)
    details = vertices.details | joined.details
    details |= {
        "features_without_edge": alone,
        "isolated": "kept" if isolated == "keep" else "dropped",
        "self_loops": int((joined.edges[:, 0] == joined.edges[:, 1]).sum()),
        "edges": graph.n_edges,
    }
    details["summary"] = _summary(details)
    return Dataset(
        name=name or features_path.name.split(".")[0],
        features=vertices.matrix,
        graph=graph,
        feature_names=vertices.feature_names,
        labels=vertices.labels,
        source=f"Features from {features_path.name}, edges from {edges_path.name}, joined by id.",
        details=details,
        class_names=vertices.class_names,
        display_names=vertices.display_names,
        observed=vertices.observed,
    )


# ---------------------------------------------------------------------- features


class _Vertices(NamedTuple):
    """What is known of each vertex: row i of all arrays is that of `names[i]`."""

    names: list[str]
    matrix: Any
    details: dict[str, Any]
    feature_names: npt.NDArray[Any] | None = None
    observed: npt.NDArray[np.bool_] | None = None
    display_names: npt.NDArray[Any] | None = None
    labels: npt.NDArray[np.int64] | None = None
    class_names: npt.NDArray[Any] | None = None

    def part(self, kept: IntArray) -> "_Vertices":
        rows = {key: getattr(self, key) for key in ("matrix", "observed", "display_names", "labels")}
        chosen: dict[str, Any] = {key: None if array is None else array[kept] for key, array in rows.items()}
        return self._replace(names=[self.names[i] for i in kept], **chosen)


def _one_file(path: Path, missing: str, name: str | None) -> Dataset:
    if not path.name.lower().endswith(".npz"):
        raise OptionError(
            f"features and edges belong together, and there are no edges beside {path.name!r}. One file for "
            "both is an .npz with named arrays."
        )
    return from_archive(path, missing=missing, name=name)


def _matrix_vertices(path: Path, ids: str | PathLike[str] | None, missing: str) -> _Vertices:
    if path.is_dir():
        matrix: Any = open_features(path)  # mapped: as it is
        observed = None
    else:
        try:
            matrix, observed = fill_missing(read_matrix(path, allow_nan=missing != "error"), missing)
        except FeatureError as error:
            raise DataError(f"{str(path)!r}: {error}") from None
        stored = sp.issparse(matrix)  # stays so
        matrix = matrix.astype(np.float32, copy=False) if stored else as_dense_or_sparse(matrix)
    names = [str(i) for i in range(matrix.shape[0])] if ids is None else _read_ids(ids, matrix)
    distinct(names, "error", path)
    return _Vertices(names, matrix, {}, observed=observed)


def _table_vertices(
    table: Table,
    id_column: str | None,
    label_column: str | None,
    class_column: str | None,
    wanted: ColumnChoice,
    duplicates: str,
) -> _Vertices:
    given = [str(i) for i in range(table.n_rows)] if id_column is None else table.column(id_column)
    labels = None if label_column is None else np.array(table.column(label_column))
    classes = None if class_column is None else table.column(class_column)
    rows = distinct(given, duplicates, table.path, SWAPPED if _like_edges(table, given) else "")
    found = table_features(table, wanted)
    first = rows.first
    numbers, class_names = _classes(classes)
    return _Vertices(
        rows.names,
        merge_rows(found.matrix, rows, duplicates),
        {"columns": found.taken, "repeated_rows": table.n_rows - len(rows.names)},
        feature_names=found.names,
        observed=None if found.observed is None else _any_row(found.observed, rows, duplicates),
        display_names=None if labels is None else labels[first],
        labels=None if numbers is None else numbers[first],
        class_names=class_names,
    )


def _like_edges(table: Table, ids: list[str]) -> bool:
    """Whether the second column holds the same kind of text as the ids: a table of edges, by mistake."""
    others = [cells for cells in table.columns.values() if cells is not ids][:1]
    return len(table.columns) in (2, 3) and bool(others) and bool(set(others[0]) & set(ids))


def _any_row(observed: npt.NDArray[np.bool_], rows: Distinct, duplicates: str) -> npt.NDArray[np.bool_]:
    if duplicates == "first":
        return observed[rows.first]
    return np.bincount(rows.group, weights=observed, minlength=len(rows.names)) > 0


def _classes(cells: list[str] | None) -> tuple[npt.NDArray[np.int64] | None, npt.NDArray[Any] | None]:
    """Classes 0, 1, … in sorted order of their names, -1 where a cell is empty, and the names."""
    if cells is None:
        return None, None
    names = sorted({cell for cell in cells if cell.lower() not in MISSING_TEXTS})
    number = {name: i for i, name in enumerate(names)}
    return np.array([number.get(cell, -1) for cell in cells], dtype=np.int64), np.array(names)


def _refuse_table_options(path: Path, **options: Any) -> None:
    given = [option for option, value in options.items() if value is not None]
    if given:
        raise OptionError(
            f"{', '.join(given)} cannot be used with the matrix {path.name!r}: it has no names."
        )


def _read_ids(file: str | PathLike[str], matrix: sp.csr_array) -> list[str]:
    path = as_path("ids", file, home=True)
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


# ---------------------------------------------------------------------- what came of it


def _subgraph(graph: Graph, kept: IntArray) -> Graph:
    """The graph on the vertices `kept`, which hold all edges."""
    names = None if graph.names is None else graph.names[kept]
    return Graph(len(kept), np.searchsorted(kept, graph.edges), names, graph.weights)


def _summary(details: dict[str, Any]) -> str:
    """One line a person can read."""
    text = (
        f"{_rows(details['feature_rows'])} of features and {_rows(details['edge_rows'])} of edges give "
        f"{counted(details['edges'], 'distinct edge')}; "
    )
    if details.get("features_header") is False:
        text += "the features have no header line; "
    if details.get("repeated_rows"):
        text += f"{_rows(details['repeated_rows'])} with an id seen before merged; "
    if details.get("self_loops"):
        text += f"{counted(details['self_loops'], 'self-loop')} left out; "
    if details["ids_written_otherwise"]:
        written, meant = details["ids_written_otherwise"][0]
        text += f"ids that are written otherwise in the edges were matched ({written!r} is {meant!r}); "
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
