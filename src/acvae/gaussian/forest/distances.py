"""Exact expected distances between all pairs of a Gaussian forest, in blocks of matrix products.

For i and j separated by the centroid c, the path product is ρ_ij = ρ_ic·ρ_cj, so that

    dis_ij = a_i + a_j − 2·⟨μ_i, μ_j⟩ − 2·⟨σ_i∘ρ_ic, σ_j∘ρ_cj⟩,    a = Σ_k μ² + σ²,

is one inner product of length 2d + 2 for all pairs that c separates: a block of a matrix product in the
layout of the centroid decomposition. Pairs inside a leaf come from a small table of their own.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.threads import one_blas_thread, over_ranges
from acvae.forests.centroid import centroid_decomposition, centroid_products
from acvae.forests.rooted import RootedForest
from acvae.gaussian.forest.distance_kernels import clamp, finish, small_pieces
from acvae.gaussian.forest.distances_by_id import DistancesById
from acvae.gaussian.forest.leaf_tables import leaf_tables
from acvae.gaussian.forest.pieces import InnerPiece, inner_pieces

__all__ = ["ForestDistances"]

IntArray = npt.NDArray[np.int64]

LEAF_SIZE = 48  # below this a table of the leaf's pairs beats another matrix product
PANEL_NUMBERS = 1 << 20  # distances computed at a time, and clamped while they are in cache
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
        self.pieces, self.columns, self.position = pieces, pieces.vertex, pieces.position
        self.forest, self.edges, self.correlation = forest, edges, correlation
        dtype = mean.dtype
        # Distances do not change when all means move together; centred, less is lost to cancellation.
        centred = (mean - mean.mean(axis=0, dtype=np.float64)).astype(dtype)[pieces.vertex]
        self.mean = np.ascontiguousarray(centred.T)  # (d, n), as all tables: loops go along the vertices
        self.std = std[pieces.vertex]
        norm = np.einsum("nd,nd->n", centred, centred, dtype=np.float64)
        norm += np.einsum("nd,nd->n", self.std, self.std, dtype=np.float64)
        self.norm = norm.astype(dtype)
        scaled = centroid_products(pieces, edges, correlation, dtype)
        scaled *= self.std
        self.scaled = np.ascontiguousarray(scaled.transpose(0, 2, 1))  # (levels, d, n)
        self.factors = self.mean, self.scaled, self.norm
        self._places = np.arange(len(mean))
        self.inner, self.arrays = inner_pieces(pieces)
        roots = (piece for piece, above in zip(self.inner, self.arrays.above, strict=True) if above < 0)
        self._roots = sorted(roots, key=lambda piece: piece.start)
        self.leaves = leaf_tables(pieces, forest, correlation, mean, std)
        self._whole: tuple[int, npt.NDArray[Any]] | None = None

    def rows(self, ids: IntArray, out: npt.NDArray[Any]) -> None:
        """Write the distances (len(ids), n) from some vertices to all, both in the order of their ids."""
        self._by_id.fill(ids, out)

    @cached_property
    def _by_id(self) -> DistancesById:
        return DistancesById(self)

    def blocks(self, rows: IntArray, block_rows: int) -> Iterator[tuple[IntArray, npt.NDArray[Any]]]:
        """Yield `(rows, distances)` for the given vertex ids, in an order of its own choosing.

        `distances` (len(rows), n) is a buffer that the next block overwrites; column c is the vertex
        `columns[c]`.
        """
        n = len(self.columns)
        positions = np.sort(self.position[rows])
        buffer = np.empty((min(block_rows, len(rows)), n), dtype=self.mean.dtype)
        for first in range(0, len(rows), block_rows):
            at = positions[first : first + block_rows]
            out = buffer[: len(at)]
            with one_blas_thread():
                over_ranges(lambda a, b, at=at, out=out: self._fill(at[a:b], out[a:b]), len(at), at_least=8)  # type: ignore[misc]
            yield self.columns[at], out

    @property
    def _outermost(self) -> InnerPiece | None:
        """The piece that is the whole of the largest tree, if that is large enough to have been cut."""
        return self._roots[0] if len(self._roots) and self._roots[0].level == 0 else None

    def loop(
        self,
        at: IntArray,
        target: IntArray,
        limit: int,
        column: npt.NDArray[np.integer[Any]],
        out: npt.NDArray[Any],
        shift: int,
    ) -> None:
        """Distances within the pieces around each position, from its leaf out to below the piece `limit`."""
        small_pieces(at, target, limit, self.arrays, self.leaves, self.factors, column, out, shift)

    def _fill(self, at: IntArray, out: npt.NDArray[Any]) -> None:
        n = out.shape[1]
        top = self._roots
        if self._outermost is None:
            self._product(self.left(-1, at), self._right(-1, 0, n), out, 0, len(at), 0, 0, 0, n)
            roots = top
        else:
            whole = top[0]
            # Columns of other trees share the product: their level-0 entries are zero.
            self.fill_piece(whole, at, 0, len(at), out, last_column=n)
            roots = top[1:]
        for piece in roots:
            low, high = np.searchsorted(at, (piece.start, piece.stop))
            if low < high:
                self.fill_piece(piece, at, low, high, out, last_column=piece.stop)
        finish(at, *self.leaves, out, 0)

    def fill_piece(
        self,
        piece: InnerPiece,
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
        left = self.left(piece.level, at[low:high])
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
                self.fill_piece(child, at, first, last, out, last_column=child.stop, shift=shift)
            elif first < last:
                self.loop(at[first:last], np.arange(first, last), piece.number, self._places, out, shift)

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
            columns = right[:, a - column_base : b - column_base]
            np.matmul(rows, columns, out=out[first:last, a - shift : b - shift])
            clamp(out, first, last, a - shift, b - shift)

    def left(self, level: int, at: IntArray) -> npt.NDArray[Any]:
        """(rows, 2d + 2): [−2μ, −2σρ, a, 1]."""
        norm = self.norm[None, at]
        scaled = [] if level < 0 else [-2 * self.scaled[level][:, at]]
        return np.concatenate([-2 * self.mean[:, at], *scaled, norm, np.ones_like(norm)]).T.copy()

    def _right(self, level: int, start: int, stop: int) -> npt.NDArray[Any]:
        """(2d + 2, columns): [μ, σρ, 1, a]; the full-width one is kept for the next block."""
        full = start == 0 and stop == len(self.columns)
        if full and self._whole is not None and self._whole[0] == level:
            return self._whole[1]
        norm = self.norm[None, start:stop]
        scaled = [] if level < 0 else [self.scaled[level, :, start:stop]]
        right = np.concatenate([self.mean[:, start:stop], *scaled, np.ones_like(norm), norm])
        if full:
            self._whole = (level, right)
        return right
