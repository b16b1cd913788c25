"""Rows of the matrix of distances: by which way they come, and how many in a block."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.gaussian.forest.joint import ForestJoint
from acvae.gaussian.joint import Correlations, DistanceBlocks

__all__ = ["DistanceRows"]

IntArray = npt.NDArray[np.int64]

BLOCK_BYTES = 64 << 20  # size of a block of distances while streaming
FEW_ROWS = 64  # up to so many, walks over the forest take less time than the tables of all pairs


class DistanceRows:
    """The rows under given means, standard deviations (n, d) and correlations.

    Tables that serve all rows are made when they are first worth it, and then stay.
    """

    def __init__(self, mean: npt.NDArray[Any], std: npt.NDArray[Any], correlations: Correlations) -> None:
        self._mean, self._std, self._correlations = mean, std, correlations
        self._walks: DistanceBlocks | None = None

    def blocks(
        self, ids: IntArray, block_rows: int | None
    ) -> Iterator[tuple[IntArray, IntArray, npt.NDArray[Any]]]:
        """Yield `(rows, columns, distances)`, the last overwritten by the next."""
        source = self._few(ids) or self._tables
        for at, block in source.blocks(ids, block_rows or self._usual_rows):
            yield at, source.columns, block

    def part(self, ids: IntArray, part: int, parts: int) -> IntArray:
        """One of `parts` parts of the rows, of whole blocks."""
        if self._few(ids) is not None:
            return ids[part::parts]
        place = np.argsort(self._tables.columns)[ids]
        block = np.arange(len(ids)) // self._usual_rows
        return ids[np.argsort(place, kind="stable")][block % parts == part]

    @cached_property
    def _tables(self) -> DistanceBlocks:
        self._walks = None  # from now on the tables answer
        return self._correlations.distance_blocks(self._mean, self._std)

    def _few(self, ids: IntArray) -> DistanceBlocks | None:
        """Walks over the forest, where there is one, few rows are asked for, and no tables are there yet."""
        forest = self._correlations
        if not isinstance(forest, ForestJoint) or len(ids) > FEW_ROWS or "_tables" in self.__dict__:
            return None
        if self._walks is None:
            self._walks = forest.distance_walks(self._mean, self._std)
        return self._walks

    @property
    def _usual_rows(self) -> int:
        return int(np.clip(BLOCK_BYTES // (self._mean.dtype.itemsize * len(self._mean)), 16, 512))
