"""The best new links of a run's vertices, some vertices at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.gaussian.nearest import select_nearest
from acvae.graph import Graph
from acvae.runs.folder import Run
from acvae.runs.rankings import ranker

__all__ = ["BestLinks", "best_links", "links_columns"]

IntArray = npt.NDArray[np.int64]

ROWS_AT_A_TIME = 1024


class BestLinks(NamedTuple):
    """What ranks first from each of some vertices."""

    rows: IntArray  # (r,)
    ids: IntArray  # (r, k); −1 where no vertex is left
    distances: npt.NDArray[Any]  # (r, k), by the ranking
    probabilities: npt.NDArray[Any] | None  # (r, k), where the run knows them


def best_links(
    run: Run, rows: npt.ArrayLike, k: int, *, by: str, exclude: Graph | None
) -> Iterator[BestLinks]:
    """The k best of each row by one of the run's rankings, without the neighbours in `exclude`."""
    asked = ranker(run, by)
    known = exclude if exclude is not None else run.graph.with_edges([])
    vertices = np.atleast_1d(np.asarray(rows, dtype=np.int64))
    for start in range(0, len(vertices), ROWS_AT_A_TIME):
        at = vertices[start : start + ROWS_AT_A_TIME]
        ids, distances = _nearest(asked, at, k, known)
        yield BestLinks(at, ids, distances, _probabilities(asked, at, ids))


def links_columns(run: Run, found: BestLinks) -> dict[str, npt.NDArray[Any]]:
    """As columns of a table: one row per link, the best of each vertex first."""
    row, column = np.nonzero(found.ids >= 0)
    source, target = found.rows[row], found.ids[row, column]
    names = np.arange(run.graph.n_vertices) if run.graph.names is None else run.graph.names
    columns: dict[str, npt.NDArray[Any]] = {"source": names[source], "target": names[target]}
    if run.stored_graph.display_names is not None:
        shown = np.array(run.stored_graph.display_names, dtype=object)
        columns |= {"source_label": shown[source], "target_label": shown[target]}
    columns["rank"] = column + 1
    if found.probabilities is not None:
        columns["probability"] = found.probabilities[row, column]
    else:
        columns["distance"] = found.distances[row, column]
    if run.test is not None:
        columns["test_link"] = run.test.has_edges(np.stack([source, target], axis=1))
    return columns


def _nearest(asked: Any, rows: IntArray, k: int, known: Graph) -> tuple[IntArray, npt.NDArray[Any]]:
    if hasattr(asked, "nearest"):
        found: tuple[IntArray, npt.NDArray[Any]] = asked.nearest(rows, k, known)
        return found
    ids = np.full((len(rows), k), -1, dtype=np.int64)
    distances = np.full((len(rows), k), np.inf)
    order = np.argsort(rows)
    most = min(k, asked.n_vertices)
    for at, columns, block in asked.distance_blocks(rows):
        best, value = select_nearest(block, at, columns, *known.csr, most)
        slot = order[np.searchsorted(rows[order], at)]
        ids[slot, :most], distances[slot, :most] = best, value
    return ids, distances


def _probabilities(asked: Any, rows: IntArray, ids: IntArray) -> npt.NDArray[Any] | None:
    """Of the pairs found, where what ranks them knows log-odds too."""
    if not hasattr(asked, "log_odds"):
        return None
    there = ids >= 0
    source = np.broadcast_to(rows[:, None], ids.shape)
    out = np.zeros(ids.shape)
    out[there] = 1 / (1 + np.exp(-np.asarray(asked.log_odds(source[there], ids[there]), dtype=np.float64)))
    return out
