"""Anything that ranks all vertices from each: what metrics take, a posterior first of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from acvae._util.checks import called
from acvae.exceptions import PosteriorError

__all__ = ["Ranking", "checked_blocks", "need_posterior", "need_ranking"]

IntArray = npt.NDArray[np.int64]


class Ranking(Protocol):
    """Distances from each vertex to all, or other numbers of which the smallest come first."""

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""

    def distance_blocks(
        self, rows: npt.ArrayLike | None = None, block_rows: int | None = None
    ) -> Iterator[tuple[IntArray, IntArray, npt.NDArray[Any]]]:
        """Stream `(rows, columns, distances)`; entry [r, c] is between `rows[r]` and `columns[c]`."""


T = TypeVar("T")


def need_ranking(what: str, given: T) -> T:
    """What was given, if it ranks."""
    return _need(what, given, ("n_vertices", "distance_blocks"), "a Posterior or a ranking of links")


def need_posterior(what: str, given: T, *also: str) -> T:
    """What was given, if it is a posterior, or answers as one, with such attributes too."""
    return _need(what, given, ("n_vertices", "distance_blocks", "mean", *also), "a Posterior")


def checked_blocks(
    ranking: Ranking, rows: IntArray | None = None
) -> Iterator[tuple[IntArray, IntArray, npt.NDArray[Any]]]:
    """Its blocks, each held to what a block is before compiled code goes through it.

    A ranking may be an object of a user's own.
    """
    n = ranking.n_vertices
    for at, columns, block in ranking.distance_blocks(rows):
        fitting = (
            all(isinstance(part, np.ndarray) for part in (at, columns, block))
            and at.ndim == 1
            and block.shape == (len(at), n)
            and columns.shape == (n,)
            and at.dtype.kind == columns.dtype.kind == "i"
            and _within(at, n)
            and _within(columns, n)
            and (np.bincount(columns, minlength=n) == 1).all()
        )
        if not fitting:
            raise PosteriorError(
                f"distance_blocks of {called(ranking)} gave no block of rows (r,), columns ({n},), each "
                f"vertex once, and distances (r, {n})."
            )
        yield at, columns, block


def _within(ids: IntArray, n: int) -> bool:
    return len(ids) == 0 or bool(0 <= ids.min() <= ids.max() < n)


def _need(what: str, given: T, names: tuple[str, ...], wanted: str) -> T:
    n = getattr(given, "n_vertices", None)
    answers = isinstance(n, (int, np.integer)) and callable(getattr(given, "distance_blocks", None))
    if "mean" in names:
        mean = getattr(given, "mean", None)
        answers = answers and isinstance(mean, np.ndarray) and mean.ndim == 2 and len(mean) == n
    if answers and not isinstance(given, type) and all(hasattr(given, name) for name in names):
        return given
    name = called(given)
    if not hasattr(given, "fit"):
        raise PosteriorError(f"{what} needs {wanted}, not {name}.")
    raise PosteriorError(
        f"{what} needs {wanted}, not {name}: give it what the model has learnt, which after fit is "
        f"model.posterior_{' or model.links_' if 'ranking' in wanted else ''}."
    )
