"""A posterior as pandas, NetworkX and PyTorch Geometric have it.

A table is a dict of columns first; a data frame is a face of it. Names of the vertices come from a `Graph`,
or as one name per vertex; without them the ids stand in their place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from acvae._util.checks import choice, optional_import
from acvae.exceptions import PosteriorError
from acvae.gaussian.rankings import need_posterior
from acvae.graph import Graph

if TYPE_CHECKING:
    import networkx
    import pandas
    import torch_geometric.data

__all__ = [
    "Columns",
    "Names",
    "Queried",
    "edges_along",
    "embedding_columns",
    "forest_columns",
    "frame",
    "labels_of",
    "to_networkx",
    "to_pandas",
    "to_pyg",
]

IntArray = npt.NDArray[np.int64]
Columns = dict[str, npt.NDArray[Any]]
Names = Graph | Iterable[Any] | None


class Queried(Protocol):
    """What is asked of a posterior here."""

    mean: npt.NDArray[Any]
    std: npt.NDArray[Any]

    @property
    def n_vertices(self) -> int: ...

    @property
    def has_joint(self) -> bool: ...

    @property
    def joint(self) -> Any: ...

    def pair_distance(self, i: npt.ArrayLike, j: npt.ArrayLike) -> npt.NDArray[np.float64]: ...


def to_pandas(posterior: Queried, names: Names = None, table: str = "embeddings") -> pandas.DataFrame:
    """The table of that name: "embeddings" or "forest"."""
    make = {"embeddings": embedding_columns, "forest": forest_columns}
    return frame(
        make[choice("table", table, tuple(make))](posterior, labels_of(posterior, names), slice(None))
    )


def to_networkx(posterior: Queried, names: Names = None) -> networkx.Graph:
    """The forest: nodes with `mean` and `std` (d,), edges with `correlation` (d,) and expected `distance`."""
    networkx = optional_import("networkx", needed_for="Posterior.to_networkx", install="networkx")
    labels = labels_of(posterior, names).tolist()
    graph = networkx.Graph()
    graph.add_nodes_from(
        (label, {"mean": mean, "std": std})
        for label, mean, std in zip(labels, posterior.mean.copy(), posterior.std.copy(), strict=True)
    )
    edges, along = edges_along(posterior)
    distance = posterior.pair_distance(*edges.T)
    graph.add_edges_from(
        (labels[u], labels[v], {"correlation": rho, "distance": float(gap)})
        for (u, v), rho, gap in zip(edges, along.copy(), distance, strict=True)
    )
    return graph


def to_pyg(posterior: Queried) -> torch_geometric.data.Data:
    """`x` and `std` (n, d), both directions of the forest as `edge_index`, correlations as `edge_attr`."""
    pyg = optional_import("torch_geometric.data", needed_for="Posterior.to_pyg", install="'acvae[baselines]'")
    import torch

    edges, along = edges_along(posterior)
    both = np.concatenate([edges, edges[:, ::-1]])
    return pyg.Data(
        x=torch.from_numpy(posterior.mean.copy()),
        std=torch.from_numpy(posterior.std.copy()),
        edge_index=torch.from_numpy(np.ascontiguousarray(both.T)),
        edge_attr=torch.from_numpy(np.concatenate([along] * 2)),
    )


# ---------------------------------------------------------------------- columns


def labels_of(posterior: Queried, names: Names) -> npt.NDArray[Any]:
    """(n,) a name for each vertex, by default its id."""
    need_posterior("a table", posterior, "std", "has_joint")
    if names is None:
        return np.arange(posterior.n_vertices)
    graph = names if isinstance(names, Graph) else Graph(posterior.n_vertices, [], names)
    if graph.n_vertices != posterior.n_vertices:
        raise PosteriorError(
            f"the graph that names the vertices has {graph.n_vertices}, the posterior {posterior.n_vertices}."
        )
    return np.arange(graph.n_vertices) if graph.names is None else graph.names


def edges_along(posterior: Queried) -> tuple[IntArray, npt.NDArray[Any]]:
    """(m, 2) and (m, d): what the joint is made of, a forest or a whole graph, and correlations along it."""
    if not need_posterior("a table of a forest", posterior, "has_joint").has_joint:
        return np.empty((0, 2), dtype=np.int64), np.empty((0, posterior.mean.shape[1]), posterior.mean.dtype)
    return posterior.joint.links, posterior.joint.along_links().astype(posterior.mean.dtype, copy=False)


def _numbered(name: str, table: npt.NDArray[Any]) -> Columns:
    return {f"{name}_{column}": table[:, column] for column in range(table.shape[1])}


def embedding_columns(posterior: Queried, labels: npt.NDArray[Any], part: slice) -> Columns:
    means, stds = _numbered("mean", posterior.mean[part]), _numbered("std", posterior.std[part])
    return {"vertex": labels[part], **means, **stds}


def forest_columns(posterior: Queried, labels: npt.NDArray[Any], part: slice) -> Columns:
    edges, along = edges_along(posterior)
    source, target = edges[part].T
    return {
        "source": labels[source],
        "target": labels[target],
        "distance": posterior.pair_distance(source, target),
        **_numbered("correlation", along[part]),
    }


def frame(columns: Columns) -> pandas.DataFrame:
    pandas = optional_import("pandas", needed_for="a table of a posterior", install="'acvae[tables]'")
    return pandas.DataFrame(columns)
