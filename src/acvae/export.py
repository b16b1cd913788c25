"""Posteriors for other tools: pandas, NetworkX, PyTorch Geometric and Parquet files.

A table is a dict of columns first; pandas, Parquet and the rest are faces of it. Names of the vertices come
from a `Graph`, or as one name per vertex; without them the ids stand in their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import choice, optional_import, whole_number
from acvae._util.files import replacing
from acvae.exceptions import OptionError, PosteriorError
from acvae.gaussian.joint import Joint
from acvae.graph import Graph

if TYPE_CHECKING:
    import networkx
    import pandas
    import torch_geometric.data

    from acvae.gaussian.posterior import Posterior

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
Columns = dict[str, npt.NDArray[Any]]
Names = Graph | Iterable[Any] | None

TABLES = ("embeddings", "forest", "links")


def embeddings_table(posterior: Posterior, names: Names = None) -> pandas.DataFrame:
    """One row per vertex: `vertex`, `mean_0` … `mean_{d-1}`, `std_0` … `std_{d-1}`."""
    return _frame(_embeddings(posterior, _labels(posterior, names), slice(None)))


def forest_table(posterior: Posterior, names: Names = None) -> pandas.DataFrame:
    """One row per forest edge: `source`, `target`, `distance` and `correlation_0` … `correlation_{d-1}`."""
    return _frame(_forest(posterior, _labels(posterior, names), slice(None)))


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
    sources = np.arange(posterior.n_vertices) if rows is None else np.atleast_1d(np.asarray(rows))
    return _frame(_links(posterior, _labels(posterior, names), sources, k, exclude))


def to_pandas(posterior: Posterior, names: Names = None, table: str = "embeddings") -> pandas.DataFrame:
    """The table of that name: "embeddings" or "forest"."""
    make = {"embeddings": embeddings_table, "forest": forest_table}
    return make[choice("table", table, tuple(make))](posterior, names)


def to_networkx(posterior: Posterior, names: Names = None) -> networkx.Graph:
    """The forest: nodes with `mean` and `std` (d,), edges with `correlation` (d,) and expected `distance`."""
    networkx = optional_import("networkx", needed_for="Posterior.to_networkx", install="networkx")
    labels = _labels(posterior, names).tolist()
    graph = networkx.Graph()
    graph.add_nodes_from(
        (label, {"mean": mean, "std": std})
        for label, mean, std in zip(labels, posterior.mean.copy(), posterior.std.copy(), strict=True)
    )
    edges, along = _edges(posterior)
    distance = posterior.pair_distance(*edges.T)
    graph.add_edges_from(
        (labels[u], labels[v], {"correlation": rho, "distance": float(gap)})
        for (u, v), rho, gap in zip(edges, along.copy(), distance, strict=True)
    )
    return graph


def to_pyg(posterior: Posterior) -> torch_geometric.data.Data:
    """`x` and `std` (n, d), both directions of the forest as `edge_index`, correlations as `edge_attr`."""
    pyg = optional_import("torch_geometric.data", needed_for="Posterior.to_pyg", install="'acvae[baselines]'")
    import torch

    edges, along = _edges(posterior)
    both = np.concatenate([edges, edges[:, ::-1]])
    return pyg.Data(
        x=torch.from_numpy(posterior.mean.copy()),
        std=torch.from_numpy(posterior.std.copy()),
        edge_index=torch.from_numpy(np.ascontiguousarray(both.T)),
        edge_attr=torch.from_numpy(np.concatenate([along] * 2)),
    )


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
    arrow = optional_import("pyarrow", needed_for="write_parquet", install="'acvae[tables]'")
    parquet = optional_import("pyarrow.parquet", needed_for="write_parquet", install="'acvae[tables]'")
    labels = _labels(posterior, names)
    count = 0
    with replacing(path) as partial, ExitStack() as opened:
        writer = None
        for columns in _groups(posterior, table, labels, rows_per_group, k, exclude):  # a first one always
            group = _arrow_table(arrow, columns)
            if writer is None:
                writer = opened.enter_context(parquet.ParquetWriter(partial, group.schema))
            writer.write_table(group, row_group_size=max(len(group), 1))
            count += len(group)
    return count


# ---------------------------------------------------------------------- columns


def _labels(posterior: Posterior, names: Names) -> npt.NDArray[Any]:
    """(n,) a name for each vertex, by default its id."""
    if names is None:
        return np.arange(posterior.n_vertices)
    graph = names if isinstance(names, Graph) else Graph(posterior.n_vertices, [], names)
    if graph.n_vertices != posterior.n_vertices:
        raise PosteriorError(
            f"the graph that names the vertices has {graph.n_vertices}, the posterior {posterior.n_vertices}."
        )
    return np.arange(graph.n_vertices) if graph.names is None else graph.names


def _edges(posterior: Posterior) -> tuple[IntArray, npt.NDArray[Any]]:
    """(m, 2) and (m, d): what the joint is made of, a forest or a whole graph, and correlations along it."""
    joint = posterior.correlations
    if isinstance(joint, Joint):
        return joint.links, joint.along_links().astype(posterior.mean.dtype, copy=False)
    return posterior.forest, posterior.correlation


def _numbered(name: str, table: npt.NDArray[Any]) -> Columns:
    return {f"{name}_{column}": table[:, column] for column in range(table.shape[1])}


def _embeddings(posterior: Posterior, labels: npt.NDArray[Any], part: slice) -> Columns:
    means, stds = _numbered("mean", posterior.mean[part]), _numbered("std", posterior.std[part])
    return {"vertex": labels[part], **means, **stds}


def _forest(posterior: Posterior, labels: npt.NDArray[Any], part: slice) -> Columns:
    edges, along = _edges(posterior)
    source, target = edges[part].T
    return {
        "source": labels[source],
        "target": labels[target],
        "distance": posterior.pair_distance(source, target),
        **_numbered("correlation", along[part]),
    }


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
        (_embeddings, posterior.n_vertices) if table == "embeddings" else (_forest, len(_edges(posterior)[0]))
    )
    for start in range(0, max(total, 1), size):
        yield make(posterior, labels, slice(start, start + size))


def _frame(columns: Columns) -> pandas.DataFrame:
    pandas = optional_import("pandas", needed_for="a table of a posterior", install="'acvae[tables]'")
    return pandas.DataFrame(columns)


def _arrow_table(arrow: Any, columns: Columns) -> Any:
    try:
        return arrow.table(
            {name: arrow.array(c.tolist() if c.dtype.kind in "OU" else c) for name, c in columns.items()}
        )
    except arrow.ArrowException as error:
        raise OptionError(f"names of this kind cannot be written to Parquet: {error}") from None
