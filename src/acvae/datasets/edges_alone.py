"""A user's table of edges without features: the vertices are the ends of the edges."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from acvae._util.options import the_option
from acvae._util.text import counted
from acvae.datasets.dataset import Dataset
from acvae.datasets.edge_files import EdgeTable
from acvae.exceptions import DataError, OptionError
from acvae.graph import Graph

__all__ = ["edges_alone", "refuse_options_of_features"]


def refuse_options_of_features(**options: Any) -> None:
    """An error where one of them was given."""
    for name, value in options.items():
        if value is not None:
            raise OptionError(f"{the_option(name)} is for a file of features, and there is none.")


def edges_alone(table: EdgeTable, combine: str, name: str | None) -> Dataset:
    """The graph, its vertices in the order in which the rows name them, and no columns of features."""
    names = list(dict.fromkeys(end for pair in zip(*table.ends, strict=True) for end in pair))
    if not names:
        raise DataError(f"{str(table.path)!r} has no edges.")
    position = {end: row for row, end in enumerate(names)}
    rows = np.array([[position[end] for end in column] for column in table.ends]).T
    graph = Graph(len(names), rows, np.array(names), table.weights, combine=combine)
    loops = int((rows[:, 0] == rows[:, 1]).sum())
    return Dataset(
        name=name or table.path.name.split(".")[0],
        features=sp.csr_array((len(names), 0), dtype=np.float32),
        graph=graph,
        source=f"Edges from {table.path.name}, without features.",
        details={
            "edge_rows": len(rows),
            "edges": graph.n_edges,
            "self_loops": loops,
            # The first edge tells whether a header was taken for one.
            "summary": f"{counted(len(rows), 'row')} of edges, the first between {names[0]!r} and "
            f"{table.ends[1][0]!r}, give {counted(graph.n_edges, 'distinct edge')} of "
            f"{counted(len(names), 'vertex', 'vertices')}; "
            + (f"{counted(loops, 'self-loop')} left out; " if loops else "")
            + "there are no features.",
        },
    )
