"""All pairs scored by a head, a block of rows at a time: the face that metrics take for a posterior."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from acvae._util.threads import one_blas_thread, over_ranges
from acvae.gaussian.checks import check_ids
from acvae.gaussian.nearest import select_nearest
from acvae.graph import Graph
from acvae.links.head import Head
from acvae.links.statistics.symmetry import symmetric

__all__ = ["LinkRanking", "PairStatistics", "evaluate"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

BLOCK = 64  # rows of statistics held at a time, at most
BLOCK_BYTES = 256 << 20  # of statistics held at a time; about twice as much is used while they are made
AT_A_TIME = 4096  # pairs that a head scores at a time, so that its layers stay in the cache


class PairStatistics(Protocol):
    """F numbers of every pair, the last two the log degrees of both ends."""

    directed: int  # how many pairs of the last numbers tell the ends apart
    signs: tuple[float, ...]  # (F,) which way each alone would rank; 0 cannot

    @property
    def names(self) -> tuple[str, ...]:
        """(F,) what each number is."""

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""

    def rows(self, at: IntArray) -> Array:
        """(b, n, F) of the vertices `at` with all."""

    def pairs(self, i: IntArray, j: IntArray) -> Array:
        """(k, F) of pairs."""


class LinkRanking:
    """Scores of links by two heads on the same statistics: one for the order, one for probabilities."""

    def __init__(self, statistics: PairStatistics, order: Head, probability: Head) -> None:
        self.statistics, self.order, self.probability = statistics, order, probability

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
        return self.statistics.n_vertices

    def score_blocks(self, rows: IntArray, block_rows: int | None = None) -> Iterator[tuple[IntArray, Array]]:
        """Yield `(rows, scores (b, n))`; a larger score is a likelier link."""
        for at in self._parts(rows, block_rows):
            yield at, evaluate(self.order, self.statistics.rows(at))

    def distance_blocks(
        self, rows: npt.ArrayLike | None = None, block_rows: int | None = None
    ) -> Iterator[tuple[IntArray, IntArray, Array]]:
        """Yield `(rows, columns, distances)`: minus the scores, with the columns in their order."""
        columns = np.arange(self.n_vertices)
        chosen = columns if rows is None else np.atleast_1d(check_ids(rows, self.n_vertices))
        for at, scores in self.score_blocks(chosen, block_rows):
            yield at, columns, -scores

    def part_of_rows(self, rows: npt.ArrayLike, part: int, parts: int) -> IntArray:
        """One of `parts` parts of some rows, for processes that share the work of `distance_blocks`.

        A part is made of whole blocks, so that each row's scores have the same bits as without parts.
        """
        ids = np.atleast_1d(check_ids(rows, self.n_vertices))
        return ids[np.arange(len(ids)) // self.block_rows % parts == part]

    @property
    def block_rows(self) -> int:
        """How many rows there are in a block, if nobody says: as many as there is room for."""
        return min(BLOCK, max(1, BLOCK_BYTES // (4 * len(self.statistics.names) * self.n_vertices)))

    def _parts(self, rows: IntArray, block_rows: int | None) -> Iterator[IntArray]:
        size = self.block_rows if block_rows is None else block_rows
        for first in range(0, len(rows), size):
            yield rows[first : first + size]

    def log_odds(self, i: IntArray, j: IntArray) -> Array:
        """(k,) log-odds of a missing link between vertices (`links.missing`); the same both ways."""
        return evaluate(self.probability, symmetric(self.statistics.pairs(i, j), self.statistics.directed))

    def log_odds_blocks(
        self, rows: IntArray, block_rows: int | None = None
    ) -> Iterator[tuple[IntArray, Array, Array]]:
        """Yield `(rows, scores, log-odds)`, both (b, n), from one pass over the statistics."""
        for at in self._parts(rows, block_rows):
            statistics = self.statistics.rows(at)
            both_ways = symmetric(statistics, self.statistics.directed)
            yield at, evaluate(self.order, statistics), evaluate(self.probability, both_ways)

    def best_blocks(
        self, rows: IntArray, k: int, known: Graph
    ) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Yield `(rows, ids (b, k), log-odds (b, k))` of the likeliest links that are not `known`."""
        n = self.n_vertices
        found = min(k, n)
        for at, _, log_odds in self.log_odds_blocks(rows):
            ids = np.full((len(at), k), -1, dtype=np.int64)
            odds = np.full((len(at), k), -np.inf)
            best, below = select_nearest(-log_odds, at, np.arange(n), *known.csr, found)
            ids[:, :found] = best
            odds[:, :found] = np.where(best >= 0, -below.astype(np.float64), -np.inf)
            yield at, ids, odds


def evaluate(head: Head, x: Array) -> Array:
    """A head's scores (...) of statistics (..., F), on several threads and some pairs at a time."""
    flat = x.reshape(-1, x.shape[-1])
    out = np.empty(len(flat), dtype=np.float32)

    def work(first: int, last: int) -> None:
        for begin in range(first, last, AT_A_TIME):
            end = min(begin + AT_A_TIME, last)
            out[begin:end] = head(flat[begin:end])

    with one_blas_thread():
        over_ranges(work, len(flat), at_least=4 * AT_A_TIME)
    return out.reshape(x.shape[:-1])
