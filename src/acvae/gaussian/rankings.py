"""Anything that ranks all vertices from each: what metrics take, a posterior first of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from acvae.exceptions import PosteriorError

__all__ = ["Ranking", "need_posterior", "need_ranking"]

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


def need_posterior(what: str, given: T) -> T:
    """What was given, if it is a posterior, or answers as one."""
    return _need(what, given, ("n_vertices", "distance_blocks", "mean"), "a Posterior")


def _need(what: str, given: T, names: tuple[str, ...], wanted: str) -> T:
    if not isinstance(given, type) and all(hasattr(given, name) for name in names):
        return given
    name = f"the class {given.__name__}" if isinstance(given, type) else f"a {type(given).__name__}"
    if not hasattr(given, "fit"):
        raise PosteriorError(f"{what} needs {wanted}, not {name}.")
    raise PosteriorError(
        f"{what} needs {wanted}, not {name}: give it what the model has learnt, which after fit is "
        f"model.posterior_{' or model.links_' if 'ranking' in wanted else ''}."
    )
