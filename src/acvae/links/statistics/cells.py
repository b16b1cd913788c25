"""The likest of many unit vectors, each among those of its own cells, where all with all is too much.

Some √n of the vectors, drawn at random, are centres. A vector lies in the cells of the nearest of them, and
is compared with all that share one. What it finds are real cosines; a few of the largest may lie elsewhere.
Where few vectors differ, most lie in one cell: of so many, each is compared with some drawn at random.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["likest_in_cells"]

IntArray = npt.NDArray[np.int64]
Array = npt.NDArray[np.float32]

CELLS = 2  # that a vector lies in
BLOCK = 4096  # vectors compared with the centres at a time
MOST = 16_384  # of a cell that are compared with each other
SLICE = 1024  # of a large cell, compared with all of it at a time


def likest_in_cells(unit: Array, count: int, seed: int = 0) -> tuple[IntArray, Array]:
    """Ids (n, count) and cosines (n, count) of the likest others of each row of unit vectors (n, d).

    Where fewer were met, a cosine is −2.
    """
    n = len(unit)
    centres = unit[np.sort(np.random.default_rng(seed).choice(n, int(np.sqrt(n)) + 1, replace=False))]
    some = np.flatnonzero((unit != 0).any(axis=1))
    cells = np.empty((len(some), CELLS), dtype=np.int64)
    for first in range(0, len(some), BLOCK):
        cosine = unit[some[first : first + BLOCK]] @ centres.T
        cells[first : first + BLOCK] = _largest(cosine, CELLS)
    ids = np.repeat(np.arange(n)[:, None], count, axis=1)
    cosines = np.full((n, count), -2, dtype=np.float32)
    order = np.argsort(cells.ravel(), kind="stable")
    members = np.repeat(some, CELLS)[order]
    starts = np.searchsorted(cells.ravel()[order], np.arange(len(centres) + 1))
    rng = np.random.default_rng([seed, 1])
    for c in range(len(centres)):
        for own in _parts(members[starts[c] : starts[c + 1]], rng):
            table = unit[own]
            for first in range(0, len(own), SLICE):
                _merge(own[first : first + SLICE], own, table[first : first + SLICE] @ table.T, ids, cosines)
    return ids, cosines


def _parts(cell: IntArray, rng: np.random.Generator) -> list[IntArray]:
    """The members of a cell in growing order, at random in parts where there are more than MOST."""
    if len(cell) <= MOST:
        return [np.sort(cell)]
    return [np.sort(part) for part in np.array_split(rng.permutation(cell), -(-len(cell) // MOST))]


def _merge(at: IntArray, others: IntArray, found: Array, ids: IntArray, cosines: Array) -> None:
    """Keep the largest of the cosines (a, b) of `at` with `others` and of those known; each other once."""
    found[np.arange(len(at)), np.searchsorted(others, at)] = -2
    kept = _largest(found, ids.shape[1])
    who = np.concatenate([ids[at], others[kept]], axis=1)
    value = np.concatenate([cosines[at], np.take_along_axis(found, kept, axis=1)], axis=1)
    by_id = np.argsort(who, axis=1, kind="stable")
    who, value = np.take_along_axis(who, by_id, axis=1), np.take_along_axis(value, by_id, axis=1)
    value[:, :-1][who[:, 1:] == who[:, :-1]] = -2  # met in both cells
    best = _largest(value, ids.shape[1])
    ids[at], cosines[at] = np.take_along_axis(who, best, axis=1), np.take_along_axis(value, best, axis=1)


def _largest(x: Array, count: int) -> IntArray:
    """Columns (a, at most count) of the largest of each row."""
    return np.argpartition(x, max(0, x.shape[1] - count), axis=1)[:, -count:]
