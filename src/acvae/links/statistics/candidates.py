"""Whom a vertex may be linked with where not all can be scored: those for whom any number is strong.

Of each vertex, the strongest by correlation at every scale, by the walk, by shared neighbours, by company
both ways and by the evidence, so many of each. A pair that is strong in none of these is no candidate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.lookup import strongest
from acvae.links.statistics.graph import GraphStatistics

__all__ = ["EACH", "Candidates", "candidates"]

IntArray = npt.NDArray[np.int64]
Array = npt.NDArray[np.float32]

EACH = 300  # candidates by each number


class Candidates(NamedTuple):
    """Of b vertices, one after the other."""

    start: IntArray  # (b + 1,)
    ids: IntArray  # (k,) in growing order for each vertex
    statistics: Array  # (k, F)


def candidates(statistics: GraphStatistics, at: IntArray, each: int = EACH) -> Candidates:
    """Those of the vertices `at` (b,), with their numbers; the vertices themselves are not among them."""
    n = statistics.n_vertices
    gaussians = [scale.gaussian for scale in statistics.scales]
    rows = [gaussian.some_rows(at) for gaussian in (*gaussians, statistics.walk.gaussian)]
    lists = []
    for gaussian, own in zip(gaussians, rows, strict=False):
        start, ids, values = own.lists()
        lists.append((start, ids, values / np.sqrt(gaussian.variance[ids])))
    lists.append(rows[-1].lists())
    tables = [statistics.shared.sums(at)]
    if statistics.company is not None:
        tables += [*statistics.company.sums(at), statistics.company.alike[at]]
    lists += [(table.indptr, table.indices, table.data) for table in tables]
    keys = []
    for start, ids, values in lists:
        place, column = strongest(start, ids, values, each)
        keys.append(place * n + column)
    key = np.unique(np.concatenate(keys))
    place, column = np.divmod(key, n)
    other = column != at[place]
    place, column = place[other], column[other]
    return Candidates(
        np.searchsorted(place, np.arange(len(at) + 1)),
        column,
        statistics.of(at, rows, place, column),
    )
