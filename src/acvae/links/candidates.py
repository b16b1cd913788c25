"""Links ranked among candidates only: `LinkRanking` where a vertex cannot be scored with all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.graph import Graph
from acvae.links.ranking import LinkRanking, evaluate
from acvae.links.statistics.candidates import candidates
from acvae.links.statistics.symmetry import symmetric

__all__ = ["CandidateRanking"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

ROWS = 64  # whose candidates are held at a time
BLOCK_BYTES = 64 << 20  # of scores with all vertices


class CandidateRanking(LinkRanking):
    """Every vertex is ranked among its candidates (`statistics.candidates`); all others come last, equal."""

    statistics: Any

    @property
    def block_rows(self) -> int:
        """As many as a block of scores has room for."""
        return min(ROWS, max(1, BLOCK_BYTES // (4 * self.n_vertices)))

    def score_blocks(self, rows: IntArray, block_rows: int | None = None) -> Iterator[tuple[IntArray, Array]]:
        """Yield `(rows, scores (b, n))`, minus infinity for who is no candidate."""
        for at, scores, _ in self._blocks(rows, block_rows, odds=False):
            yield at, scores

    def log_odds_blocks(
        self, rows: IntArray, block_rows: int | None = None
    ) -> Iterator[tuple[IntArray, Array, Array]]:
        """Yield `(rows, scores, log-odds)`, both (b, n), minus infinity for who is no candidate."""
        yield from self._blocks(rows, block_rows, odds=True)

    def best_blocks(
        self, rows: IntArray, k: int, known: Graph
    ) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Yield `(rows, ids (b, k), log-odds (b, k))` of the likeliest candidates that are not `known`."""
        for at, found, log_odds in self._scored(rows, ROWS, self._odds):
            place = np.repeat(np.arange(len(at)), np.diff(found.start))
            pairs = np.stack([at[place], found.ids], axis=1)
            fresh = np.flatnonzero(~known.has_edges(np.sort(pairs, axis=1)))
            place, ids, odds = place[fresh], found.ids[fresh], log_odds[fresh].astype(np.float64)
            order = np.lexsort((ids, -odds, place))
            place = place[order]
            rank = np.arange(len(place)) - np.searchsorted(place, np.arange(len(at)))[place]
            kept = rank < k
            best = np.full((len(at), k), -1, dtype=np.int64)
            value = np.full((len(at), k), -np.inf)
            best[place[kept], rank[kept]] = ids[order][kept]
            value[place[kept], rank[kept]] = odds[order][kept]
            yield at, best, value

    def _odds(self, statistics: Array) -> Array:
        return evaluate(self.probability, symmetric(statistics, self.statistics.directed))

    def _scored(self, rows: IntArray, size: int | None, score: Any) -> Iterator[tuple[IntArray, Any, Any]]:
        """Yield `(rows, candidates, what score gives for their numbers)`."""
        for at in self._parts(rows, size):
            found = candidates(self.statistics, at)
            yield at, found, score(found.statistics)

    def _blocks(
        self, rows: IntArray, block_rows: int | None, *, odds: bool
    ) -> Iterator[tuple[IntArray, Array, Array]]:
        n = self.n_vertices

        def score(x: Array) -> tuple[Array, Array | None]:
            return evaluate(self.order, x), self._odds(x) if odds else None

        for at, found, (scores, log_odds) in self._scored(rows, block_rows, score):
            place = np.repeat(np.arange(len(at)), np.diff(found.start))
            table = np.full((2 if odds else 1, len(at), n), -np.inf, dtype=np.float32)
            table[0, place, found.ids] = scores
            if log_odds is not None:
                table[1, place, found.ids] = log_odds
            yield at, table[0], table[-1]
