"""Merges by whole rows of distances, each asked for when a chain of nearest neighbours comes to it.

For posteriors in which a few clusters are nearest to almost all others, such as vertices of small variance:
lists of nearest clusters then name the same few, and are used up after as many merges as they are long. A row
costs as many streamed rows as its cluster has vertices, but the row of a merged cluster is the larger of two
that are known.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.progress import Progress
from acvae.clustering.cluster_distances import ClusterDistances
from acvae.clustering.merges import Merges

__all__ = ["merge_on_demand"]

MOST_ROWS = 1024  # held at a time: each merge touches two columns of them
VERTICES_AT_ONCE = 64  # asked for together: hardly more work than one


def merge_on_demand(
    merges: Merges,
    clusters: ClusterDistances,
    target: int,
    budget: int,
    memory: int,
    *,
    progress: bool = False,
) -> None:
    """Merge until `target` clusters are left, or `budget` rows have been streamed.

    `clusters` are the roots of `merges`. Four rows are held, however small `memory` is.
    """
    roots = merges.roots
    m = len(roots)
    node = roots.copy()  # of each number; a merged cluster goes by the smaller of two
    rows = _Rows(clusters, min(MOST_ROWS, m, max(4, memory // (m * clusters.dtype.itemsize))))
    chain: list[int] = []
    left = m
    with Progress(m - target, "merges", show=progress) as shown:
        while left > target and rows.streamed < budget:
            if not chain:
                chain.append(rows.latest())
            x = chain[-1]
            before = chain[-2] if len(chain) > 1 else -1
            row = rows.get(x, before)
            y = int(np.argmin(row))
            if before < 0 or (y != before and y not in chain and row[y] < row[before]):
                chain.append(y)
                continue
            # The one before is nearest too; or an earlier one is, and both are equally far up to rounding.
            theirs = rows.get(before, -1)
            height = float(row[before] if x < before else theirs[x])
            kept, gone = min(x, before), max(x, before)
            node[kept] = merges.join(int(node[x]), int(node[before]), height)
            rows.join(kept, gone)
            del chain[-2:]
            left -= 1
            shown.advance()


class _Rows:
    """Rows of distances between the clusters of now, the last that were used."""

    def __init__(self, clusters: ClusterDistances, capacity: int) -> None:
        self._clusters = clusters
        self._into = np.arange(clusters.m)
        self._size = clusters.sizes
        self._held = np.zeros((capacity, clusters.m), dtype=clusters.dtype)
        self._place: dict[int, int] = {}  # of the rows that are held, the last used at the end
        self._free = list(range(capacity))
        self.streamed = 0

    def latest(self) -> int:
        """The cluster whose row was used last, or else the first."""
        return next(reversed(self._place), 0)

    def get(self, number: int, beside: int) -> npt.NDArray[Any]:
        """The row of a cluster, infinite where there is no other; valid until three more have been asked for.

        If it is not here, rows of others that are near the cluster `beside` come with it.
        """
        if number not in self._place:
            likely = self._likely_next(beside, int(self._size[number]))
            self._fetch([*(other for other in likely if other != number), number])
        place = self._place[number] = self._place.pop(number)
        return self._held[place]

    def join(self, kept: int, gone: int) -> None:
        """Two clusters whose rows are here are one from now on, and go by the number of the first."""
        held = self._held
        row = held[self._place[kept]]
        place = self._place.pop(gone)
        np.maximum(row, held[place], out=row)
        self._free.append(place)
        held[:, kept] = np.maximum(held[:, kept], held[:, gone])
        held[:, gone] = np.inf
        row[kept] = np.inf
        self._into[self._into == gone] = kept
        self._size[kept] += self._size[gone]

    def _likely_next(self, beside: int, more: int) -> list[int]:
        """Some of the nearest of a cluster, as many as are asked for at little cost together with `more`."""
        if beside not in self._place:
            return []
        place = self._place[beside] = self._place.pop(beside)  # not to be given up for the new ones
        row = self._held[place]
        count = min(VERTICES_AT_ONCE, len(self._held) // 2 - 1, len(row) - 1)
        near = np.argpartition(row, count)[:count]
        near = near[np.argsort(row[near], kind="stable")]
        near = near[np.isfinite(row[near])]
        near = near[more + np.cumsum(self._size[near]) <= VERTICES_AT_ONCE]
        return [number for number in near.tolist() if number not in self._place]

    def _fetch(self, numbers: list[int]) -> None:
        found = self._clusters.rows_of(self._into, np.array(numbers))
        self.streamed += int(self._size[numbers].sum())
        for number, row in zip(numbers, found, strict=True):
            place = self._free.pop() if self._free else self._place.pop(next(iter(self._place)))
            self._held[place] = row
            self._held[place, number] = np.inf
            self._place[number] = place
