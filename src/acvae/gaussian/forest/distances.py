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
SMALL_NUMBERS = 1 << 15  # pairs of rows and columns of a piece: below this, loops beat calls of products
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
        self._places = np.arange(len(mean))
        self._unsigned = pieces.vertex.astype(np.uint32)  # compiled code need not ask whether it is negative
        self._norm = norm.astype(dtype)
        self._scaled = centroid_products(pieces, edges, correlation, dtype)  # (levels, n, d)
        self._scaled *= scale
        self._roots, self._inner = _inner_pieces(pieces)
        self._leaf_start, self._leaf_stop, self._leaf_offset, self._leaf_table = _leaf_tables(
            pieces, forest, correlation, mean, std
        )
        self._whole: tuple[int, npt.NDArray[Any]] | None = None
        self._by_id: npt.NDArray[Any] | None = None

    def rows(self, ids: IntArray, out: npt.NDArray[Any]) -> None:
        """Write the distances (len(ids), n) from some vertices to all, both in the order of their ids.

        What the outermost centroid separates, which is most, is one product with a table in that order; only
        columns of the piece that a row is in have to be put in their places.
        """
        with one_blas_thread():
            over_ranges(lambda a, b: self._fill_by_id(ids[a:b], out[a:b]), len(ids), at_least=8)

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

    def _fill_by_id(self, ids: IntArray, out: npt.NDArray[Any]) -> None:
        n, whole = out.shape[1], self._outermost
        level = -1 if whole is None else 0
        if self._by_id is None:
            self._by_id = self._right(level, 0, n)[self.position]
        at = self.position[ids]
        self._product(self._left(level, at), self._by_id, out, 0, len(at), 0, 0, 0, n)
        order = np.argsort(at)
        at = at[order]
        rest = np.ones(len(at), dtype=np.bool_)
        for piece in self._roots if whole is None else [*whole.children, *self._roots[1:]]:
            size = piece.stop - piece.start
            if size * len(at) <= SMALL_NUMBERS:
                continue
            low, high = np.searchsorted(at, (piece.start, piece.stop))
            if (high - low) * size <= SMALL_NUMBERS:
                continue
            own, block = at[low:high], np.empty((high - low, size), dtype=out.dtype)
            self._fill_piece(piece, own, 0, len(own), block, last_column=piece.stop, shift=piece.start)
            _finish(own, *self._leaves, block, piece.start)
            _scatter(block, self._unsigned[piece.start : piece.stop], order[low:high], out)
            rest[low:high] = False
        limit = -1 if whole is None else whole.number
        self._loop(at[rest], order[rest], limit, self.columns, out, 0)

    @property
    def _outermost(self) -> "_InnerPiece | None":
        """The piece that is the whole of the largest tree, if that is large enough to have been cut."""
        return self._roots[0] if len(self._roots) and self._roots[0].level == 0 else None

    @property
    def _leaves(self) -> tuple[IntArray, IntArray, IntArray, npt.NDArray[Any]]:
        return self._leaf_start, self._leaf_stop, self._leaf_offset, self._leaf_table

    def _loop(
        self, at: IntArray, target: IntArray, limit: int, column: IntArray, out: npt.NDArray[Any], shift: int
    ) -> None:
        """Distances within the pieces around each position, from its leaf out to below the piece `limit`."""
        tables = self._mean, self._scaled, self._norm
        _small_pieces(at, target, limit, *self._inner, *self._leaves, *tables, column, out, shift)

    def _fill(self, at: IntArray, out: npt.NDArray[Any]) -> None:
        n = out.shape[1]
        top = self._roots
        if self._outermost is None:
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
        _finish(at, *self._leaves, out, 0)

    def _fill_piece(
        self,
        piece: "_InnerPiece",
        at: IntArray,
        low: int,
        high: int,
        out: npt.NDArray[Any],
        last_column: int,
        shift: int = 0,
    ) -> None:
        """Rows `low:high` of the block against the columns of one piece, its large children cut out.

        The block's first column is at position `shift`.
        """
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
                self._product(left, right, out, done, first, low, base, base, last_column, shift)
                self._product(left, right, out, first, last, low, base, base, child.start, shift)
                self._product(left, right, out, first, last, low, base, child.stop, last_column, shift)
                done = last
        self._product(left, right, out, done, high, low, base, base, last_column, shift)
        for child in piece.children:
            first, last = np.searchsorted(at[low:high], (child.start, child.stop)) + low
            if (last - first) * (child.stop - child.start) > SMALL_NUMBERS:
                self._fill_piece(child, at, first, last, out, last_column=child.stop, shift=shift)
            elif first < last:
                self._loop(at[first:last], np.arange(first, last), piece.number, self._places, out, shift)

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
        shift: int = 0,
    ) -> None:
        if first == last or start == stop:
            return
        rows = left[first - row_base : last - row_base]
        width = max(PANEL_NUMBERS // len(rows), 256)
        for a in range(start, stop, width):
            b = min(a + width, stop)
            columns = right[a - column_base : b - column_base]
            np.matmul(rows, columns.T, out=out[first:last, a - shift : b - shift])
            _clamp(out, first, last, a - shift, b - shift)

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

    __slots__ = ("children", "level", "number", "start", "stop")

    def __init__(self, number: int, start: int, stop: int, level: int) -> None:
        self.number, self.start, self.stop, self.level = number, start, stop, level
        self.children: list[_InnerPiece] = []


def _inner_pieces(
    pieces: CentroidDecomposition,
) -> tuple[list[_InnerPiece], tuple[IntArray, IntArray, IntArray, IntArray, IntArray]]:
    """The inner pieces as trees, by the outermost, all siblings in the order of positions; and as arrays.

    These are, for each position, the number of the smallest piece around it, and for each piece the one that
    it was cut from (−1 for none), its start, stop and level.
    """
    chosen = np.flatnonzero(~pieces.is_leaf)
    number = np.full(len(pieces.start) + 1, -1, dtype=np.int64)  # the last stands for no piece
    number[chosen] = np.arange(len(chosen))
    above, start, stop, level = (
        number[pieces.parent[chosen]],
        pieces.start[chosen],
        pieces.stop[chosen],
        pieces.level[chosen],
    )
    inner = [
        _InnerPiece(*numbers)
        for numbers in zip(range(len(chosen)), *map(np.ndarray.tolist, (start, stop, level)), strict=True)
    ]
    roots: list[_InnerPiece] = []
    for piece, parent in zip(inner, above.tolist(), strict=True):
        (inner[parent].children if parent >= 0 else roots).append(piece)
    for siblings in (roots, *(piece.children for piece in inner)):
        siblings.sort(key=lambda piece: piece.start)
    deepest = np.full(len(pieces.vertex), -1, dtype=np.int64)
    for c in np.argsort(level, kind="stable").tolist():
        deepest[start[c] : stop[c]] = c
    return roots, (deepest, above, start, stop, level)


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
def _finish(at: Any, start: Any, stop: Any, offset: Any, table: Any, out: Any, shift: int) -> None:
    """Pairs within a leaf from its table, and zeros on the diagonal; `out` begins at the position `shift`."""
    for r in range(len(at)):
        p, row = at[r], out[r]
        for c in range(stop[p] - start[p]):
            row[start[p] + c - shift] = table[offset[p] + c]
        row[p - shift] = 0


@numba.njit(cache=True, nogil=True)
def _scatter(block: Any, column: Any, target: Any, out: Any) -> None:
    """out[target[r], column[c]] = block[r, c]."""
    for r in range(len(block)):
        row, to = block[r], out[target[r]]
        for c in range(len(column)):
            to[column[c]] = row[c]


@numba.njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _small_pieces(
    at: Any,
    target: Any,
    limit: int,
    deepest: Any,
    above: Any,
    first: Any,
    last: Any,
    level: Any,
    leaf_start: Any,
    leaf_stop: Any,
    leaf_offset: Any,
    leaf_table: Any,
    mean: Any,
    scaled: Any,
    norm: Any,
    column: Any,
    out: Any,
    shift: int,
) -> None:
    """out[target[r], column[c] − shift] for all c in the pieces around at[r] that are below `limit`.

    From the inside out: of each piece only what is not in the one before, which its centroid separates.
    """
    d = mean.shape[1]
    zero = out.dtype.type(0)
    for r in range(len(at)):
        p, row = at[r], out[target[r]]
        low, high = leaf_start[p], leaf_stop[p]
        for c in range(high - low):
            row[column[low + c] - shift] = leaf_table[leaf_offset[p] + c]
        if low == high:
            low, high = p, p + 1
        row[column[p] - shift] = zero
        piece = deepest[p]
        while piece >= 0 and piece != limit:
            depth = level[piece]
            for side in range(2):
                start, stop = (first[piece], low) if side == 0 else (high, last[piece])
                for c in range(start, stop):
                    total = zero
                    for k in range(d):
                        total += mean[p, k] * mean[c, k] + scaled[depth, p, k] * scaled[depth, c, k]
                    total = norm[p] + norm[c] - 2 * total
                    row[column[c] - shift] = total if total > zero else zero
            low, high = first[piece], last[piece]
            piece = above[piece]


@numba.njit(cache=True, nogil=True)
def _clamp(out: Any, first: int, last: int, start: int, stop: int) -> None:
    """What rounding left below zero becomes zero, in one panel of the block."""
    zero = out.dtype.type(0)
    for r in range(first, last):
        row = out[r, start:stop]
        for c in range(len(row)):
            row[c] = row[c] if row[c] > zero else zero
