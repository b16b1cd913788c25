"""The best new links of a run's vertices, some vertices at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.graph import Graph
from acvae.links import prediction as links
from acvae.runs.folder import Run
from acvae.runs.rankings import ranker

__all__ = ["BestLinks", "best_links", "links_columns"]

IntArray = npt.NDArray[np.int64]

ROWS_AT_A_TIME = 1024


class BestLinks(NamedTuple):
    """What ranks first from each of some vertices."""

    rows: IntArray  # (r,)
    ids: IntArray  # (r, k); −1 where no vertex is left
    distances: npt.NDArray[Any] | None  # (r, k), or
    probabilities: npt.NDArray[Any] | None  # (r, k), where links were asked for

    @property
    def values(self) -> npt.NDArray[Any]:
        """(r, k) whichever there is."""
        values = self.distances if self.probabilities is None else self.probabilities
        assert values is not None
        return values

    @property
    def what(self) -> str:
        """Which it is."""
        return "distance" if self.probabilities is None else "probability"


def best_links(
    run: Run,
    rows: npt.ArrayLike,
    k: int,
    *,
    by: str,
    exclude: Graph | None,
    turns: Callable[[int, Callable[[int], BestLinks]], Iterable[BestLinks]] | None = None,
) -> Iterator[BestLinks]:
    """The k best of each row by one of the run's rankings, without the neighbours in `exclude`.

    `turns(count, work)` gives work(0), work(1), …; processes that share the work have one of their own.
    """
    asked = ranker(run, by)
    known = exclude if exclude is not None else run.graph.with_edges([])
    vertices = np.atleast_1d(np.asarray(rows, dtype=np.int64))

    def work(part: int) -> BestLinks:
        at = vertices[part * ROWS_AT_A_TIME : (part + 1) * ROWS_AT_A_TIME]
        if by == "link":
            ids, probabilities = links.best_links(asked, at, k, known)
            return BestLinks(at, ids, None, probabilities)
        ids, distances = asked.nearest(at, k, known)
        return BestLinks(at, ids, distances, None)

    count = -(-len(vertices) // ROWS_AT_A_TIME)
    yield from map(work, range(count)) if turns is None else turns(count, work)


def links_columns(run: Run, found: BestLinks) -> dict[str, npt.NDArray[Any]]:
    """As columns of a table: one row per link, the best of each vertex first."""
    row, column = np.nonzero(found.ids >= 0)
    source, target = found.rows[row], found.ids[row, column]
    names = np.arange(run.graph.n_vertices) if run.graph.names is None else run.graph.names
    columns: dict[str, npt.NDArray[Any]] = {"source": names[source], "target": names[target]}
    if run.stored_graph.display_names is not None:
        shown = np.array(run.stored_graph.display_names, dtype=object)
        columns |= {"source_label": shown[source], "target_label": shown[target]}
    for what, ends in (("source_class", source), ("target_class", target)):
        classes = run.class_names(ends)
        columns |= {} if classes is None else {what: classes}
    columns["rank"] = column + 1
    columns[found.what] = found.values[row, column]
    if run.test is not None:
        columns["test_link"] = run.test.has_edges(np.stack([source, target], axis=1))
    return columns
