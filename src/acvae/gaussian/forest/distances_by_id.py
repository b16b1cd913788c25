"""Distances from some vertices to all, with the columns in the order of ids: rows that someone asked for.

A block of the stream has its columns in the layout of the centroid decomposition; to put all of them in the
order of ids costs more than the product. So rows are products with tables in that order, each with the table
of its own centre (`centres`), which is wrong only inside the small piece that the centre does not separate;
this is overwritten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.threads import one_blas_thread, over_ranges
from acvae.gaussian.forest.centres import choose_centres
from acvae.gaussian.forest.distance_kernels import clamp_into, finish, scatter
from acvae.gaussian.forest.path_products import row_products

if TYPE_CHECKING:
    from acvae.gaussian.forest.distances import ForestDistances

__all__ = ["DistancesById"]

IntArray = npt.NDArray[np.int64]

MOST_CENTRES = 8
ROWS_PER_CENTRE = 32  # so many rows must be asked for to make another table worth while
TABLE_BYTES = 64 << 20  # of all tables together, but for the first
PANEL_NUMBERS = 1 << 17  # distances computed at a time: they are copied while they are in cache
SMALL_NUMBERS = 1 << 18  # pairs of rows and columns of a piece: below this, loops beat calls of products


class Plan(NamedTuple):
    """Which centre serves which position, by numbers of inner pieces."""

    centre: IntArray  # (n,) index of the table
    pendant: IntArray  # (n,) inner piece to overwrite, −1 for a smaller one
    limit: IntArray  # (centres,) inner piece that belongs to the centre, −1 for none
    level: IntArray  # (centres,) of that piece, −1 for none


class DistancesById:
    """Fills rows whose columns are ids; tables are made when they are first needed."""

    def __init__(self, of: ForestDistances) -> None:
        self._of = of
        self._unsigned = of.columns.astype(np.uint32)  # compiled code need not ask whether it is negative
        self._plans: dict[int, Plan] = {}
        self._tables: dict[int, npt.NDArray[Any]] = {}

    def fill(self, ids: IntArray, out: npt.NDArray[Any]) -> None:
        """Write the distances (len(ids), n) from some vertices to all."""
        plan = self._plan(len(ids))
        at = self._of.position[ids]
        order = np.lexsort((at, plan.centre[at]))
        at = at[order]
        present = np.unique(plan.centre[at])
        for centre in present.tolist():
            self._table(plan, centre)
        with one_blas_thread():
            over_ranges(lambda a, b: self._share(plan, at[a:b], order[a:b], out), len(ids), at_least=8)

    def _share(self, plan: Plan, at: IntArray, target: IntArray, out: npt.NDArray[Any]) -> None:
        """Rows in the order of their centres, by one thread."""
        bounds = np.searchsorted(plan.centre[at], np.arange(len(plan.limit) + 1))
        for centre, (low, high) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
            if low < high:
                self._product(plan, centre, at[low:high], target[low:high], out)
                self._overwrite(plan, centre, at[low:high], target[low:high], out)

    def _product(
        self, plan: Plan, centre: int, at: IntArray, target: IntArray, out: npt.NDArray[Any]
    ) -> None:
        left, right = self._of.left(int(plan.level[centre]), at), self._table(plan, centre)
        n = out.shape[1]
        width = min(max(PANEL_NUMBERS // len(at), 256), n)
        panel = np.empty((len(at), width), dtype=out.dtype)
        for a in range(0, n, width):
            b = min(a + width, n)
            own = panel[:, : b - a]
            np.matmul(left, right[:, a:b], out=own)
            clamp_into(own, target, a, out)

    def _overwrite(
        self, plan: Plan, centre: int, at: IntArray, target: IntArray, out: npt.NDArray[Any]
    ) -> None:
        """Distances within the pieces that the centre does not cut."""
        of = self._of
        rest = np.ones(len(at), dtype=np.bool_)
        numbers, first, count = np.unique(plan.pendant[at], return_index=True, return_counts=True)
        for number, low, rows in zip(numbers.tolist(), first.tolist(), count.tolist(), strict=True):
            if number < 0:
                continue
            piece = of.inner[number]
            size = piece.stop - piece.start
            if rows * size <= SMALL_NUMBERS:
                continue
            own, block = at[low : low + rows], np.empty((rows, size), dtype=out.dtype)
            of.fill_piece(piece, own, 0, rows, block, last_column=piece.stop, shift=piece.start)
            finish(own, *of.leaves, block, piece.start)
            scatter(block, self._unsigned[piece.start : piece.stop], target[low : low + rows], out)
            rest[low : low + rows] = False
        of.loop(at[rest], target[rest], int(plan.limit[centre]), of.columns, out, 0)

    def _plan(self, rows: int) -> Plan:
        d, n = self._of.mean.shape
        bytes_each = n * (2 * d + 2) * self._of.mean.itemsize
        most = min(MOST_CENTRES, max(1, rows // ROWS_PER_CENTRE), max(1, TABLE_BYTES // bytes_each))
        most = 1 << (most.bit_length() - 1)  # few plans serve all
        if most not in self._plans:
            self._plans[most] = self._make_plan(most)
        return self._plans[most]

    def _make_plan(self, most: int) -> Plan:
        pieces = self._of.pieces
        if pieces.is_leaf.all():
            none = np.array([-1])
            return Plan(
                np.zeros(len(pieces.vertex), dtype=np.int64), np.full(len(pieces.vertex), -1), none, none
            )
        number = np.full(len(pieces.start) + 1, -1)  # among inner pieces; the last stands for no piece
        number[:-1][~pieces.is_leaf] = np.arange(len(self._of.inner))
        found = choose_centres(pieces, self._of.edges, most)
        return Plan(found.own, number[found.pendant], number[found.piece], pieces.level[found.piece])

    def _table(self, plan: Plan, centre: int) -> npt.NDArray[Any]:
        """(2d + 2, n) by id: [μ, σρ, 1, a] with the centre's correlations, without σρ if there is none."""
        of, number = self._of, int(plan.limit[centre])
        if number not in self._tables:
            at = of.position
            norm = of.norm[None, at]
            scaled = []
            if number >= 0:
                vertex = int(of.columns[of.inner[number].start])
                scaled = [(of.std[at] * row_products(of.forest, of.correlation, vertex, norm.dtype)).T]
            self._tables[number] = np.concatenate([of.mean[:, at], *scaled, np.ones_like(norm), norm])
        return self._tables[number]
