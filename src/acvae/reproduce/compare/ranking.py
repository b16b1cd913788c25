"""Scores: a ranking of pairs, made a block of rows at a time, with the face that `acvae.metrics` asks for."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import whole_number
from acvae.exceptions import InputError

__all__ = ["Scores", "block_size"]

IntArray = npt.NDArray[np.int64]
Array = npt.NDArray[np.floating[Any]]
Block = tuple[IntArray, IntArray, npt.NDArray[Any]]

BLOCK_ENTRIES = 2_000_000  # of a block of rows: 16 MB in double precision
TIE = 1e-12  # of the row's largest score; far below any difference of two scores that matters


class Scores:
    """Ranks by −score, where `score(rows)` gives (r, n) numbers, larger for likelier links.

    Many rules give small whole numbers, so most candidates are tied, and the metrics count ties against a
    method. Equal scores are therefore put in a random order, drawn anew for each row from `seed`; it depends
    on neither the blocks nor the order of the rows.
    """

    def __init__(
        self, n_vertices: int, score: Callable[[IntArray], Array], *, random_ties: bool = True, seed: int = 0
    ) -> None:
        self.n_vertices = n_vertices
        self._score, self._random_ties, self._seed = score, random_ties, seed

    def rows(self, rows: npt.ArrayLike) -> Array:
        """Scores (r, n) as the rule gives them, ties and all."""
        return self._score(self._check(rows))

    def distance_blocks(
        self, rows: npt.ArrayLike | None = None, block_rows: int | None = None
    ) -> Iterator[Block]:
        """Stream `(rows, columns, −score)`; never more than a block of rows is in memory."""
        ids = np.arange(self.n_vertices) if rows is None else self._check(rows)
        size = block_size(self.n_vertices) if block_rows is None else block_rows
        size = whole_number("block_rows", size, minimum=1)
        columns = np.arange(self.n_vertices)
        for start in range(0, len(ids), size):
            part = ids[start : start + size]
            distance = -np.asarray(self._score(part))
            if self._random_ties:
                distance = distance.astype(np.float64, copy=False)
                for row, values in zip(part, distance, strict=True):
                    noise = np.random.default_rng((self._seed, int(row))).random(self.n_vertices)
                    values += noise * (TIE * (np.abs(values).max(initial=0) or 1.0))
            yield part, columns, distance

    def _check(self, rows: npt.ArrayLike) -> IntArray:
        ids = np.atleast_1d(np.asarray(rows))
        if ids.ndim != 1 or (ids.size and not np.issubdtype(ids.dtype, np.integer)):
            raise InputError(f"rows must be a list of vertex ids, got shape {ids.shape} of {ids.dtype}.")
        if ids.size and (ids.min() < 0 or ids.max() >= self.n_vertices):
            raise InputError(
                f"rows must lie in 0…{self.n_vertices - 1}, got ids from {ids.min()} to {ids.max()}."
            )
        return ids.astype(np.int64)


def block_size(n_vertices: int) -> int:
    """Rows of a block that holds a bounded number of entries."""
    return max(1, BLOCK_ENTRIES // max(n_vertices, 1))
