"""Distances within the leaves of a centroid decomposition, where a small table beats a matrix product."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.forests.centroid import CentroidDecomposition
from acvae.forests.rooted import RootedForest
from acvae.gaussian.forest.path_products import pair_products

__all__ = ["LeafTables", "leaf_tables"]

IntArray = npt.NDArray[np.int64]

CHUNK_NUMBERS = 1 << 17  # correlations held at a time while the tables are filled


class LeafTables(NamedTuple):
    """For each position its leaf's start and stop and where its row begins in the table of all leaves."""

    start: IntArray  # (n,)
    stop: IntArray  # (n,)
    offset: IntArray  # (n,)
    table: npt.NDArray[Any]


def leaf_tables(
    pieces: CentroidDecomposition,
    forest: RootedForest,
    correlation: npt.NDArray[Any],
    mean: npt.NDArray[Any],
    std: npt.NDArray[Any],
) -> LeafTables:
    """Distances within every leaf, leaf after leaf.

    A position that is a centroid is in no leaf: its start equals its stop.
    """
    n = len(pieces.vertex)
    start, stop = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    offset = np.zeros(n, dtype=np.int64)
    leaves = np.flatnonzero(pieces.is_leaf)
    sizes = pieces.stop[leaves] - pieces.start[leaves]
    inside = np.repeat(pieces.start[leaves], sizes)
    rank = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    at = inside + rank  # every position that lies in a leaf
    start[at], stop[at] = inside, np.repeat(pieces.stop[leaves], sizes)
    table_start = np.repeat(np.cumsum(sizes**2) - sizes**2, sizes)
    offset[at] = table_start + rank * np.repeat(sizes, sizes)
    width = stop[at] - start[at]
    table = np.empty(int(width.sum()), dtype=mean.dtype)
    chunk = max(1, CHUNK_NUMBERS // mean.shape[1])  # pairs at a time
    bounds = np.concatenate([[0], np.cumsum(width)])
    first = 0
    while first < len(at):
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + chunk, side="right")) - 1)
        rows = np.repeat(at[first:last], width[first:last])
        columns = np.arange(bounds[last] - bounds[first]) - np.repeat(
            bounds[first:last] - bounds[first] - start[at[first:last]], width[first:last]
        )
        i, j = pieces.vertex[rows], pieces.vertex[columns]
        rho = pair_products(forest, correlation, i, j)
        gap = mean[i].astype(np.float64) - mean[j]
        si, sj = std[i].astype(np.float64), std[j].astype(np.float64)
        distance = (gap**2 + (si - sj) ** 2 + 2 * si * sj * (1 - rho)).sum(axis=1)
        target = np.repeat(offset[at[first:last]] - start[at[first:last]], width[first:last]) + columns
        table[target] = distance
        first = last
    return LeafTables(start, stop, offset, table)
