"""Distances between clusters, streamed: each is the largest between a vertex of one and one of the other."""

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.progress import Progress
from acvae._util.threads import over_ranges
from acvae.exceptions import PosteriorError
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.rankings import checked_blocks

__all__ = ["ClusterDistances"]

IntArray = npt.NDArray[np.int64]

GROUP_BYTES = 64 << 20  # size of the rows of clusters that are gathered at a time
GROUP_VERTICES = 1 << 14  # vertices whose rows are asked for at a time, unless one cluster has more


class ClusterDistances:
    """Distances between m clusters, of which `label` (n,) tells the vertices."""

    def __init__(self, posterior: Posterior, label: IntArray, m: int) -> None:
        self.m = m
        self._posterior, self._label = posterior, label
        self.dtype = posterior.mean.dtype
        self._columns = self._order = self._start = np.empty(0, dtype=np.int64)  # see _blocks

    @property
    def sizes(self) -> IntArray:
        """(m,) vertices of each cluster."""
        return np.bincount(self._label, minlength=self.m)

    def condensed(self, *, progress: bool = False) -> npt.NDArray[Any]:
        """The upper triangle, row after row, all in memory.

        Where the two roundings of a distance differ, the row of the smaller number counts.
        """
        out = np.zeros(self.m * (self.m - 1) // 2, dtype=self.dtype)
        number = np.arange(self.m)
        row_start = number * self.m - number * (number + 1) // 2 - number - 1
        with self._steps(progress) as shown:
            for at, block in self._blocks():
                self._fold(block, self._label[at], row_start, number + 1, out)
                shown.advance(len(at))
        return out

    def rows(self, *, progress: bool = False) -> Iterator[tuple[IntArray, npt.NDArray[Any]]]:
        """Yield numbers of clusters and their distances (len(numbers), m) to all, until all had a turn.

        They come in an order that suits the posterior, in a buffer that the next ones overwrite. What stands
        for a cluster's distance to itself is its diameter.
        """
        next(self._blocks())  # to know the posterior's own order
        members = self._columns[self._order]
        by_place = np.argsort(self._order[self._start[:-1]])
        before = np.concatenate([[0], np.cumsum(np.diff(self._start)[by_place])])
        most = min(self.m, max(1, GROUP_BYTES // (self.dtype.itemsize * self.m)))
        buffer = np.empty((most, self.m), dtype=self.dtype)
        row_start, from_all = np.zeros(self.m, dtype=np.int64), np.zeros(self.m, dtype=np.int64)
        first = 0
        with self._steps(progress) as shown:
            while first < self.m:
                fitting = int(np.searchsorted(before, before[first] + GROUP_VERTICES, side="right")) - 1
                group = by_place[first : min(max(fitting, first + 1), first + most)]
                row_start[group] = self.m * np.arange(len(group))
                out = buffer[: len(group)]
                out[:] = 0
                vertices = [members[self._start[c] : self._start[c + 1]] for c in group.tolist()]
                for at, block in self._blocks(np.concatenate(vertices)):
                    self._fold(block, self._label[at], row_start, from_all, out.reshape(-1))
                    shown.advance(len(at))
                yield group, out
                first += len(group)

    def rows_of(self, into: IntArray, chosen: IntArray) -> npt.NDArray[Any]:
        """Distances (len(chosen), m) from some clusters to all, after more merges.

        `into` (m,) is the number that each of the m clusters goes by now. Where that is another's, its own
        column is infinite.
        """
        now = into[self._label]
        row_start = np.full(self.m, -1, dtype=np.int64)
        row_start[chosen] = self.m * np.arange(len(chosen))
        out = np.zeros((len(chosen), self.m), dtype=self.dtype)
        from_all = np.zeros(self.m, dtype=np.int64)
        for at, block in self._blocks(np.flatnonzero(row_start[now] >= 0)):
            self._fold(block, now[at], row_start, from_all, out.reshape(-1))
        over_ranges(lambda a, b: _join_columns(out[a:b], into), len(out))
        return out

    def _steps(self, show: bool) -> Progress:
        n = len(self._label)
        label = "distances" if self.m == n else f"distances of {self.m:,} clusters"
        return Progress(n, label, show=show)

    def _blocks(self, rows: IntArray | None = None) -> Iterator[tuple[IntArray, npt.NDArray[Any]]]:
        """Blocks of distances from some vertices; notes in which order their columns go by cluster."""
        for at, columns, block in checked_blocks(self._posterior, rows):
            if not np.isfinite(block.max()):
                raise PosteriorError("some expected distances are not finite, so there are no clusters.")
            if columns is not self._columns:
                of_column = self._label[columns]
                self._columns = columns
                self._order = np.argsort(of_column, kind="stable")
                self._start = np.searchsorted(of_column[self._order], np.arange(self.m + 1))
            yield at, block

    def _fold(
        self,
        block: npt.NDArray[Any],
        rows: IntArray,
        row_start: IntArray,
        first_column: IntArray,
        out: npt.NDArray[Any],
    ) -> None:
        """Raise the distances of clusters to what a block has; row r of it is of the cluster `rows[r]`.

        The distance between a and c stands at `out[row_start[a] + c]`, from c = `first_column[a]` on.
        """
        by_cluster = np.argsort(rows, kind="stable")
        present, begin = np.unique(rows[by_cluster], return_index=True)
        begin = np.append(begin, len(rows))
        over_ranges(
            lambda a, b: _fold(
                block,
                by_cluster,
                begin[a : b + 1],
                row_start[present[a:b]],
                first_column[present[a:b]],
                self._order,
                self._start,
                out,
            ),
            len(present),
            uneven=True,
        )


@numba.njit(cache=True, nogil=True)
def _fold(
    block: Any,
    by_cluster: Any,
    begin: Any,
    row_start: Any,
    first_column: Any,
    order: Any,
    start: Any,
    out: Any,
) -> None:
    """For each cluster of rows the largest of them, and of that the largest for each cluster of columns."""
    largest = np.empty(block.shape[1], dtype=block.dtype)
    for g in range(len(row_start)):
        row = block[by_cluster[begin[g]]]
        if begin[g + 1] - begin[g] > 1:
            largest[:] = row
            for r in range(begin[g] + 1, begin[g + 1]):
                other = block[by_cluster[r]]
                for c in range(len(largest)):
                    largest[c] = other[c] if other[c] > largest[c] else largest[c]
            row = largest
        at = row_start[g]
        for c in range(first_column[g], len(start) - 1):
            high = row[order[start[c]]]
            if start[c + 1] - start[c] > 1:
                for p in range(start[c] + 1, start[c + 1]):
                    if row[order[p]] > high:
                        high = row[order[p]]
            if high > out[at + c]:
                out[at + c] = high


@numba.njit(cache=True, nogil=True)
def _join_columns(rows: Any, into: Any) -> None:
    """Raise the column that another goes by to what that one has, which becomes infinite."""
    for r in range(len(rows)):
        row = rows[r]
        for c in range(len(row)):
            to = into[c]
            if to != c:
                if row[c] > row[to]:
                    row[to] = row[c]
                row[c] = np.inf
