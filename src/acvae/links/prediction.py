"""The best new links of vertices, with probabilities, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.gaussian.checks import check_memory
from acvae.graph import Graph
from acvae.links.ranking import BLOCK

__all__ = ["best_links", "link_blocks", "probability_of"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

COPIES = 5  # of a block of answers that are held at a time


def probability_of(log_odds: npt.NDArray[Any]) -> FloatArray:
    """1/(1 + e^−x), without overflow."""
    x = np.asarray(log_odds, dtype=np.float64)
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def link_blocks(
    ranking: Any, rows: IntArray, k: int, exclude: Graph | None
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """`(rows, ids (b, k), probabilities (b, k))` in turn, likeliest first; where fewer are left, −1 and 0."""
    n, held = ranking.n_vertices, min(BLOCK, len(rows))
    check_memory(f"{k:,} links of {held:,} vertices at a time", 8 * COPIES * k * held, "ask for fewer")
    known = exclude if exclude is not None else Graph(n, np.empty((0, 2), dtype=np.int64))
    return ((at, ids, probability_of(odds)) for at, ids, odds in ranking.best_blocks(rows, k, known))


def best_links(ranking: Any, rows: IntArray, k: int, exclude: Graph | None) -> tuple[IntArray, FloatArray]:
    """Ids and probabilities (r, k) of the best links of each row, best first."""
    check_memory(f"{k:,} links of {len(rows):,} vertices", 16 * k * max(1, len(rows)), "ask for fewer")
    ids = np.full((len(rows), k), -1, dtype=np.int64)
    probability = np.zeros((len(rows), k))
    first = 0
    for at, found, of_them in link_blocks(ranking, rows, k, exclude):
        part = slice(first, first + len(at))
        ids[part], probability[part] = found, of_them
        first += len(at)
    return ids, probability
