"""Exact expected distances between all pairs of a Gaussian forest, in blocks of matrix products.

For i and j separated by the centroid c, the path product is ρ_ij = ρ_ic·ρ_cj, so that

    dis_ij = a_i + a_j − 2·⟨μ_i, μ_j⟩ − 2·⟨σ_i∘ρ_ic, σ_j∘ρ_cj⟩,    a = Σ_k μ² + σ²,

is one inner product of length 2d + 2 for all pairs that c separates: a block of a matrix product in the
layout of the centroid decomposition. Pairs inside a leaf come from a small table of their own.
"""

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import one_blas_thread, over_ranges
from acvae.forests.centroid import CentroidDecomposition, centroid_decomposition, centroid_products
from acvae.forests.rooted import RootedForest
from acvae.gaussian.forest.path_products import pair_products

__all__ = ["ForestDistances"]

IntArray = npt.NDArray[np.int64]

LEAF_SIZE = 48  # below this a table of the leaf's pairs beats another matrix product
PANEL_NUMBERS = 1 << 20  # distances computed at a time, and clamped while they are in cache
CHUNK_NUMBERS = 1 << 17  # correlations held at a time while the leaves' tables are filled
CUT_OUT_SHARE = 8  # a child of at least 1/8 of its piece is left out of the piece's product, not overwritten


class ForestDistances:
    """Row blocks of the matrix of distances, its columns in the order of `columns`.

    Memory: levels·n·d numbers for the tables, block·n for a block, and never n².
    """

    def __init__(
        self,
        forest: RootedForest,
        edges: IntArray,
        correlation: npt.NDArray[Any],
        mean: npt.NDArray[Any],
        std: npt.NDArray[Any],
    ) -> None:
        pieces = centroid_decomposition(forest, edges, leaf_size=LEAF_SIZE)
        self.columns = pieces.vertex
        self.position = pieces.position
        dtype = mean.dtype
        # Distances do not change when all means move together; centred, less is lost to cancellation.
        centred = (mean - mean.mean(axis=0, dtype=np.float64)).astype(dtype)[pieces.vertex]
        scale = std[pieces.vertex]
        norm = np.einsum("nd,nd->n", centred, centred, dtype=np.float64)
        norm += np.einsum("nd,nd->n", scale, scale, dtype=np.float64)
        self._mean = centred
        self._norm = norm.astype(dtype)
        self._scaled = centroid_products(pieces, edges, correlation, dtype)  # (levels, n, d)
        self._scaled *= scale
        self._roots = _inner_pieces(pieces)
        self._leaf_start, self._leaf_stop, self._leaf_offset, self._leaf_table = _leaf_tables(
            pieces, forest, correlation, mean, std
        )
        self._whole: tuple[int, npt.NDArray[Any]] | None = None

    def blocks(self, rows: IntArray, block_rows: int) -> Iterator[tuple[IntArray, npt.NDArray[Any]]]:
        """Yield `(rows, distances)` for the given vertex ids, in an order of its own choosing.

        `distances` (len(rows), n) is a buffer that the next block overwrites; column c is the vertex
        `columns[c]`.
        """
        n = len(self.columns)
        positions = np.sort(self.position[rows])
        buffer = np.empty((min(block_rows, len(rows)), n), dtype=self._mean.dtype)
        for first in range(0, len(rows), block_rows):
            at = positions[first : first + block_rows]
            out = buffer[: len(at)]
            with one_blas_thread():
                over_ranges(lambda a, b, at=at, out=out: self._fill(at[a:b], out[a:b]), len(at), at_least=8)  # type: ignore[misc]
            yield self.columns[at], out

    def _fill(self, at: IntArray, out: npt.NDArray[Any]) -> None:
        n = out.shape[1]
        top = self._roots
        if not (len(top) and top[0].level == 0):  # no tree is large enough to have been cut
            self._product(self._left(-1, at), self._right(-1, 0, n), out, 0, len(at), 0, 0, 0, n)
            roots = top
        else:
            whole = top[0]
            # Columns of other trees share the product: their level-0 entries are zero.
            self._fill_piece(whole, at, 0, len(at), out, last_column=n)
            roots = top[1:]
        for piece in roots:
            low, high = np.searchsorted(at, (piece.start, piece.stop))
            if low < high:
                self._fill_piece(piece, at, low, high, out, last_column=piece.stop)
        _finish(at, self._leaf_start, self._leaf_stop, self._leaf_offset, self._leaf_table, out)

    def _fill_piece(
        self, piece: "_InnerPiece", at: IntArray, low: int, high: int, out: npt.NDArray[Any], last_column: int
    ) -> None:
        """Rows `low:high` of the block against the columns of one piece, its large children cut out."""
        left = self._left(piece.level, at[low:high])
        right = self._right(piece.level, piece.start, last_column)
        base = piece.start
        done = low
        for child in piece.children:
            first, last = np.searchsorted(at[low:high], (child.start, child.stop)) + low
            if first == last:
                continue
            if (child.stop - child.start) * CUT_OUT_SHARE >= piece.stop - piece.start:
                # Rows before the child see all columns; the child's own rows see all but its columns.
                self._product(left, right, out, done, first, low, base, base, last_column)
                self._product(left, right, out, first, last, low, base, base, child.start)
                self._product(left, right, out, first, last, low, base, child.stop, last_column)
                done = last
        self._product(left, right, out, done, high, low, base, base, last_column)
        for child in piece.children:
            first, last = np.searchsorted(at[low:high], (child.start, child.stop)) + low
            if first < last:
                self._fill_piece(child, at, first, last, out, last_column=child.stop)

    @staticmethod
    def _product(
        left: npt.NDArray[Any],
        right: npt.NDArray[Any],
        out: npt.NDArray[Any],
        first: int,
        last: int,
        row_base: int,
        column_base: int,
        start: int,
        stop: int,
    ) -> None:
        if first == last or start == stop:
            return
        rows = left[first - row_base : last - row_base]
        width = max(PANEL_NUMBERS // len(rows), 256)
        for a in range(start, stop, width):
            b = min(a + width, stop)
            np.matmul(rows, right[a - column_base : b - column_base].T, out=out[first:last, a:b])
            _clamp(out, first, last, a, b)

    def _left(self, level: int, at: IntArray) -> npt.NDArray[Any]:
        """(rows, 2d + 2): [−2μ, −2σρ, a, 1]."""
        norm = self._norm[at, None]
        scaled = [] if level < 0 else [-2 * self._scaled[level, at]]
        return np.concatenate([-2 * self._mean[at], *scaled, norm, np.ones_like(norm)], axis=1)

    def _right(self, level: int, start: int, stop: int) -> npt.NDArray[Any]:
        """(columns, 2d + 2): [μ, σρ, 1, a]; the full-width one is kept for the next block."""
        full = start == 0 and stop == len(self.columns)
        if full and self._whole is not None and self._whole[0] == level:
            return self._whole[1]
        norm = self._norm[start:stop, None]
        scaled = [] if level < 0 else [self._scaled[level, start:stop]]
        right = np.concatenate([self._mean[start:stop], *scaled, np.ones_like(norm), norm], axis=1)
        if full:
            self._whole = (level, right)
        return right


class _InnerPiece:
    """A piece with a centroid, and those of its children that have one."""

    __slots__ = ("children", "level", "start", "stop")

    def __init__(self, start: int, stop: int, level: int) -> None:
        self.start, self.stop, self.level = start, stop, level
        self.children: list[_InnerPiece] = []


def _inner_pieces(pieces: CentroidDecomposition) -> list[_InnerPiece]:
    """The inner pieces as trees; returns the outermost, and all siblings are in the order of positions."""
    inner = {
        int(c): _InnerPiece(int(pieces.start[c]), int(pieces.stop[c]), int(pieces.level[c]))
        for c in np.flatnonzero(~pieces.is_leaf)
    }
    roots: list[_InnerPiece] = []
    for number, piece in inner.items():
        above = int(pieces.parent[number])
        (roots if above < 0 else inner[above].children).append(piece)
    for siblings in (roots, *(piece.children for piece in inner.values())):
        siblings.sort(key=lambda piece: piece.start)
    return roots


def _leaf_tables(
    pieces: CentroidDecomposition,
    forest: RootedForest,
    correlation: npt.NDArray[Any],
    mean: npt.NDArray[Any],
    std: npt.NDArray[Any],
) -> tuple[IntArray, IntArray, IntArray, npt.NDArray[Any]]:
    """Distances within every leaf, leaf after leaf; for each position its leaf's start, stop and offset.

    A position that is a centroid is in no leaf: its start equals its stop.
    """
    n = len(pieces.vertex)
    start, stop = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    offset = np.zeros(n, dtype=np.int64)
    leaves = np.flatnonzero(pieces.is_leaf)
    sizes = pieces.stop[leaves] - pieces.start[leaves]
    inside = np.repeat(pieces.start[leaves], sizes)
    rank = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    at = inside + rank  # every position that lies in a leaf
    start[at], stop[at] = inside, np.repeat(pieces.stop[leaves], sizes)
    table_start = np.repeat(np.cumsum(sizes**2) - sizes**2, sizes)
    offset[at] = table_start + rank * np.repeat(sizes, sizes)
    width = stop[at] - start[at]
    table = np.empty(int(width.sum()), dtype=mean.dtype)
    chunk = max(1, CHUNK_NUMBERS // mean.shape[1])  # pairs at a time
    bounds = np.concatenate([[0], np.cumsum(width)])
    first = 0
    while first < len(at):
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + chunk, side="right")) - 1)
        rows = np.repeat(at[first:last], width[first:last])
        columns = np.arange(bounds[last] - bounds[first]) - np.repeat(
            bounds[first:last] - bounds[first] - start[at[first:last]], width[first:last]
        )
        i, j = pieces.vertex[rows], pieces.vertex[columns]
        rho = pair_products(forest, correlation, i, j)
        gap = mean[i].astype(np.float64) - mean[j]
        si, sj = std[i].astype(np.float64), std[j].astype(np.float64)
        distance = (gap**2 + (si - sj) ** 2 + 2 * si * sj * (1 - rho)).sum(axis=1)
        target = np.repeat(offset[at[first:last]] - start[at[first:last]], width[first:last]) + columns
        table[target] = distance
        first = last
    return start, stop, offset, table


@numba.njit(cache=True, nogil=True)
def _finish(at: Any, start: Any, stop: Any, offset: Any, table: Any, out: Any) -> None:
    """Pairs within a leaf from its table, and zeros on the diagonal."""
    for r in range(len(at)):
        p, row = at[r], out[r]
        for c in range(stop[p] - start[p]):
            row[start[p] + c] = table[offset[p] + c]
        row[p] = 0


@numba.njit(cache=True, nogil=True)
def _clamp(out: Any, first: int, last: int, start: int, stop: int) -> None:
    """What rounding left below zero becomes zero, in one panel of the block."""
    zero = out.dtype.type(0)
    for r in range(first, last):
        row = out[r, start:stop]
        for c in range(len(row)):
            row[c] = row[c] if row[c] > zero else zero
