"""The matrix of all distances, which is never held: its rows in blocks or as they are asked for."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.reused_memory import ReusedMemory
from acvae._util.threads import over_ranges
from acvae.gaussian.joint import DistanceBlocks

__all__ = ["DistanceMatrix"]

IntArray = npt.NDArray[np.int64]

BLOCK_BYTES = 64 << 20  # size of a block of distances while streaming


class DistanceMatrix:
    """Distances under given means, standard deviations (n, d) and correlations.

    Tables that serve all rows are made when they are first worth it, and then stay.
    """

    def __init__(self, mean: npt.NDArray[Any], std: npt.NDArray[Any], joint: Any) -> None:
        self._mean, self._std, self._joint = mean, std, joint
        self._walks: DistanceBlocks | None = None
        self._memory = ReusedMemory(BLOCK_BYTES)

    def blocks(
        self, ids: IntArray, block_rows: int | None
    ) -> Iterator[tuple[IntArray, IntArray, npt.NDArray[Any]]]:
        """Yield `(rows, columns, distances)`, the last overwritten by the next."""
        source = self._few(ids) or self._tables
        for at, block in source.blocks(ids, block_rows or self._usual_rows):
            yield at, source.columns, block

    def all_columns(self, ids: IntArray) -> npt.NDArray[Any]:
        """Distances (len(ids), n) from some vertices to all, in the order asked for and of ids."""
        if len(ids) == 0:
            return np.empty((0, len(self._mean)), dtype=self._mean.dtype)
        unique, where = np.unique(ids, return_inverse=True)
        if len(unique) < len(ids):
            return self.all_columns(unique)[where]
        out = self._memory.empty((len(ids), len(self._mean)), self._mean.dtype)
        source = self._few(ids) or self._tables
        straight = getattr(source, "rows", None)
        if straight is not None:
            straight(ids, out)
            return out
        place, slot = np.argsort(source.columns), np.argsort(ids)
        for at, block in source.blocks(ids, self._usual_rows):
            given = block, place, slot[np.searchsorted(unique, at)]
            over_ranges(lambda a, b, given=given: _gather(*given, out, a, b), len(at), at_least=4)  # type: ignore[misc]
        return out

    def share(self, ids: IntArray, part: int, parts: int) -> IntArray:
        """The rows of one of several processes that share the work, in whole blocks."""
        if self._few(ids) is not None:
            return ids[part::parts]
        place = np.argsort(self._tables.columns)[ids]
        block = np.arange(len(ids)) // self._usual_rows
        return ids[np.argsort(place, kind="stable")][block % parts == part]

    @cached_property
    def _tables(self) -> DistanceBlocks:
        self._walks = None  # from now on the tables answer
        tables: DistanceBlocks = self._joint.distance_blocks(self._mean, self._std)
        return tables

    def _few(self, ids: IntArray) -> DistanceBlocks | None:
        """The joint's way to a few rows, if it has one, few are asked for, and no tables are there yet."""
        few = getattr(self._joint, "few", 0)
        if not few or len(ids) > few or "_tables" in self.__dict__:
            return None
        if self._walks is None:
            self._walks = self._joint.few_rows(self._mean, self._std)
        return self._walks

    @property
    def _usual_rows(self) -> int:
        return int(np.clip(BLOCK_BYTES // (self._mean.dtype.itemsize * len(self._mean)), 16, 512))


@numba.njit(cache=True, nogil=True)
def _gather(block: Any, place: Any, slot: Any, out: Any, first: int, last: int) -> None:
    """out[slot[r], v] = block[r, place[v]] for r from first to last."""
    for r in range(first, last):
        row, target = block[r], out[slot[r]]
        for v in range(len(place)):
            target[v] = row[place[v]]
