"""Distances from some vertices to all, with the columns in the order of ids: rows that someone asked for.

A block of the stream has its columns in the layout of the centroid decomposition; to put all of them in the
order of ids costs more than the product. So rows are products with tables in that order, each with the table
of its own centre (`centres`), which is wrong only inside the small piece that the centre does not separate;
this is overwritten.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.threads import n_threads, one_blas_thread, run_tasks
from acvae.gaussian.forest.centres import choose_centres
from acvae.gaussian.forest.distance_kernels import finish, left_factors, place, scatter
from acvae.gaussian.forest.path_products import row_products
from acvae.gaussian.forest.pieces import InnerPiece
from acvae.gaussian.forest.short_products import MOST_FACTORS, aligned_table, short_products

if TYPE_CHECKING:
    from acvae.gaussian.forest.distances import ForestDistances

__all__ = ["DistancesById"]

IntArray = npt.NDArray[np.int64]

MOST_CENTRES = 8
ROWS_PER_CENTRE = 32  # so many rows must be asked for to make another table worth while
TABLE_BYTES = 64 << 20  # of all tables together, but for the first
PANEL_NUMBERS = 1 << 22  # distances computed at a time: they are copied while they are in cache
SHORT_NUMBERS = 1 << 21  # the same where short products write them to their place
LEAST_ROWS = 16  # of a product, however long they are
ROWS_PER_THREAD = 8  # at least
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
        self._norm = of.norm[of.position]  # (n,) by id
        self._plans: dict[int, Plan] = {}
        self._tables: dict[int, npt.NDArray[Any]] = {}

    def fill(self, ids: IntArray, out: npt.NDArray[Any]) -> None:
        """Write the distances (len(ids), n) from some vertices to all."""
        plan = self._plan(len(ids))
        at = self._of.position[ids]
        order = np.lexsort((at, plan.centre[at]))
        at = at[order]
        threads = min(n_threads(), max(1, len(ids) // ROWS_PER_THREAD))
        shares = []
        for centre, low, high in _runs(plan.centre[at]):
            self._table(plan, centre)
            parts = math.ceil((high - low) * threads / len(ids))  # none of them more than a thread's part
            edges = pairwise(low + (high - low) * part // parts for part in range(parts + 1))
            shares += [(centre, a, b) for a, b in edges]
        shares.sort(key=lambda share: share[1] - share[2])  # the largest first, so that threads end together

        def task(share: tuple[int, int, int]) -> Callable[[int], None]:
            centre, a, b = share
            return lambda slot: self._share(plan, centre, at[a:b], order[a:b], out)

        tasks = [task(share) for share in shares]
        with one_blas_thread():
            run_tasks(tasks, threads)

    def _share(self, plan: Plan, centre: int, at: IntArray, target: IntArray, out: npt.NDArray[Any]) -> None:
        """Rows of one centre, by one thread."""
        of, table, limit = self._of, self._table(plan, centre), int(plan.limit[centre])
        left = np.zeros((len(at), len(table)), dtype=out.dtype)
        left_factors(at, int(plan.level[centre]), of.mean, of.scaled, left)
        large, looped = self._large_pieces(plan.pendant[at])
        short = len(table) <= MOST_FACTORS
        numbers = SHORT_NUMBERS if short else PANEL_NUMBERS
        most = min(max(LEAST_ROWS, numbers // out.shape[1]), len(at))
        panel = None if short else np.empty((most, out.shape[1]), dtype=out.dtype)
        own = of.norm[at]
        for a in range(0, len(at), most):
            b = min(a + most, len(at))
            self._products(left[a:b], table, own[a:b], target[a:b], out, panel)
            here = a + np.flatnonzero(looped[a:b])
            of.loop(at[here], target[here], limit, self._unsigned, out, 0)
        for number, low, high in large:
            self._overwrite(of.inner[number], at[low:high], target[low:high], out)

    def _products(
        self,
        left: npt.NDArray[Any],
        table: npt.NDArray[Any],
        own: npt.NDArray[Any],
        target: IntArray,
        out: npt.NDArray[Any],
        panel: npt.NDArray[Any] | None,
    ) -> None:
        """Rows `target` of `out` with the table of one centre; long ones by way of a panel."""
        if panel is None:
            short_products(left, table, own, self._norm, target, out)
            return
        product = panel[: len(left)]
        np.matmul(left, table[:, : out.shape[1]], out=product)
        place(product, own, self._norm, target, out)

    def _large_pieces(self, pendant: IntArray) -> tuple[list[tuple[int, int, int]], npt.NDArray[np.bool_]]:
        """Pieces to overwrite by products, with the range of their rows; and which rows are left to loops."""
        looped = np.ones(len(pendant), dtype=np.bool_)
        large = []
        for number, low, high in _runs(pendant):
            if number < 0:
                continue
            piece = self._of.inner[number]
            if (high - low) * (piece.stop - piece.start) > SMALL_NUMBERS:
                large.append((number, low, high))
                looped[low:high] = False
        return large, looped

    def _overwrite(self, piece: InnerPiece, at: IntArray, target: IntArray, out: npt.NDArray[Any]) -> None:
        """Distances of some positions of a piece to all of it."""
        of, block = self._of, np.empty((len(at), piece.stop - piece.start), dtype=out.dtype)
        of.fill_piece(piece, at, 0, len(at), block, last_column=piece.stop, shift=piece.start)
        finish(at, *of.leaves, block, piece.start)
        scatter(block, self._unsigned[piece.start : piece.stop], target, out)

    def _plan(self, rows: int) -> Plan:
        d, n = self._of.mean.shape
        bytes_each = n * 2 * d * self._of.mean.itemsize
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
        """[μ, σρ] by id with the centre's correlations, without σρ if there is none; zeros around it."""
        of, number = self._of, int(plan.limit[centre])
        if number not in self._tables:
            at = of.position
            parts = [of.mean[:, at]]
            if number >= 0:
                vertex = int(of.columns[of.inner[number].start])
                rho = row_products(of.forest, of.correlation, vertex, of.mean.dtype)
                parts.append((of.std[at] * rho).T)
            self._tables[number] = aligned_table(parts)
        return self._tables[number]


def _runs(values: IntArray) -> Iterator[tuple[int, int, int]]:
    """Every run of equal values: the value, where it begins and where it ends."""
    changes = np.flatnonzero(np.diff(values)) + 1
    for low, high in pairwise([0, *changes.tolist(), len(values)]):
        yield int(values[low]), low, high
