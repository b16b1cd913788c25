"""Posteriors for other tools: pandas, NetworkX, PyTorch Geometric and Parquet files.

Names of the vertices come from a `Graph`, or as one name per vertex; without them the ids stand in their
place.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import called, choice, whole_number
from acvae._util.files import replacing
from acvae._util.table_writer import write_row_groups
from acvae._util.targets import as_target
from acvae.exceptions import InputError
from acvae.gaussian.checks import check_rows
from acvae.gaussian.conversion import (
    Columns,
    Names,
    edges_along,
    embedding_columns,
    forest_columns,
    frame,
    labels_of,
    to_networkx,
    to_pandas,
    to_pyg,
)
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph

if TYPE_CHECKING:
    import pandas

__all__ = [
    "embeddings_table",
    "forest_table",
    "links_table",
    "to_networkx",
    "to_pandas",
    "to_pyg",
    "write_parquet",
]

IntArray = npt.NDArray[np.int64]

TABLES = ("embeddings", "forest", "links")


def embeddings_table(posterior: Posterior, names: Names = None) -> pandas.DataFrame:
    """One row per vertex: `vertex`, `mean_0` … `mean_{d-1}`, `std_0` … `std_{d-1}`."""
    return frame(embedding_columns(posterior, _labels(posterior, names), slice(None)))


def forest_table(posterior: Posterior, names: Names = None) -> pandas.DataFrame:
    """One row per forest edge: `source`, `target`, `distance` and `correlation_0` … `correlation_{d-1}`."""
    return frame(forest_columns(posterior, _labels(posterior, names), slice(None)))


def links_table(
    posterior: Posterior,
    k: int = 10,
    exclude: Graph | None = None,
    names: Names = None,
    rows: npt.ArrayLike | None = None,
) -> pandas.DataFrame:
    """The k nearest vertices of each, as `source`, `target`, `rank` (from 1) and `distance`.

    Neighbours in `exclude` are left out, so that what remains are predicted links; `rows` limits the sources
    to some vertex ids. Where fewer than k vertices are left, there are fewer rows.
    """
    labels = _labels(posterior, names)
    sources = np.arange(posterior.n_vertices) if rows is None else check_rows(rows, posterior.n_vertices)
    return frame(_links(posterior, labels, sources, k, exclude))


def write_parquet(
    posterior: Posterior,
    path: str | PathLike[str],
    table: str = "embeddings",
    *,
    k: int = 10,
    exclude: Graph | None = None,
    names: Names = None,
    rows_per_group: int = 65_536,
) -> int:
    """Write "embeddings", "forest" or "links" (the k nearest of every vertex) to a Parquet file.

    Rows are computed and written a group at a time, so that memory does not grow with the number of links.
    The file appears whole or not at all. Returns the number of rows. Needs pyarrow:
    pip install 'acvae[tables]'.
    """
    choice("table", table, TABLES)
    rows_per_group = whole_number("rows_per_group", rows_per_group, minimum=1)
    labels = _labels(posterior, names)
    with replacing(as_target("path", path, "embeddings.parquet")) as partial:
        return write_row_groups(partial, _groups(posterior, table, labels, rows_per_group, k, exclude))


# ---------------------------------------------------------------------- columns


def _labels(posterior: Posterior, names: Names) -> npt.NDArray[Any]:
    if not isinstance(posterior, Posterior):
        raise InputError(f"export takes a Posterior, such as model.posterior_, not {called(posterior)}.")
    return labels_of(posterior, names)


def _links(
    posterior: Posterior, labels: npt.NDArray[Any], sources: IntArray, k: int, exclude: Graph | None
) -> Columns:
    ids, distances = posterior.nearest(sources, k, exclude)
    row, column = np.nonzero(ids >= 0)
    return {
        "source": labels[sources[row]],
        "target": labels[ids[row, column]],
        "rank": column + 1,
        "distance": distances[row, column],
    }


def _groups(
    posterior: Posterior,
    table: str,
    labels: npt.NDArray[Any],
    size: int,
    k: int,
    exclude: Graph | None,
) -> Iterator[Columns]:
    """The table's columns for so many rows at a time; at least one group, so that there is a schema."""
    if table == "links":
        k = whole_number("k", k, minimum=1)
        step = max(1, size // k)
        for start in range(0, max(posterior.n_vertices, 1), step):
            sources = np.arange(start, min(start + step, posterior.n_vertices))
            yield _links(posterior, labels, sources, k, exclude)
        return
    make, total = (
        (embedding_columns, posterior.n_vertices)
        if table == "embeddings"
        else (forest_columns, len(edges_along(posterior)[0]))
    )
    for start in range(0, max(total, 1), size):
        yield make(posterior, labels, slice(start, start + size))
