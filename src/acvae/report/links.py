"""What the search shows of a vertex: its predicted links, its known neighbours, its held-out ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.progress import Progress
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.report.packing import floats, ids

__all__ = ["held_out", "known_neighbors", "predicted_links"]

IntArray = npt.NDArray[np.int64]

LINKS = 10
ROWS_AT_A_TIME = 1024


def predicted_links(
    posterior: Posterior, known: Graph, k: int = LINKS, *, label: str = "", progress: bool = False
) -> dict[str, Any]:
    """The k nearest vertices of every vertex that are not its known neighbours, with their distances."""
    n = posterior.n_vertices
    nearest, distance = np.empty((n, k), np.int64), np.empty((n, k), np.float32)
    with Progress(n, f"{label}: predicted links", show=progress) as shown:
        for start in range(0, n, ROWS_AT_A_TIME):
            rows = np.arange(start, min(start + ROWS_AT_A_TIME, n))
            nearest[rows], distance[rows] = posterior.nearest(rows, k, exclude=known)
            shown.advance(len(rows))
    distance[nearest < 0] = 0  # no such link; JSON and the script know no infinity
    return {"k": k, "ids": ids(nearest, n), "distance": floats(distance)}


def known_neighbors(posterior: Posterior, known: Graph) -> dict[str, Any]:
    """The neighbours of every vertex, nearest first, with their distances."""
    indptr, neighbor = known.csr
    vertex = np.repeat(np.arange(known.n_vertices), known.degrees)
    distance = posterior.pair_distance(vertex, neighbor)
    order = np.lexsort((neighbor, distance, vertex))
    n = known.n_vertices
    return {"start": _starts(indptr), "ids": ids(neighbor[order], n), "distance": floats(distance[order])}


def held_out(test: Graph) -> dict[str, Any]:
    """The held-out neighbours of every vertex."""
    indptr, neighbor = test.csr
    return {"start": _starts(indptr), "ids": ids(neighbor, test.n_vertices)}


def _starts(indptr: IntArray) -> dict[str, str]:
    return ids(indptr, int(indptr[-1]) + 1)
