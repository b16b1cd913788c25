"""From which vertex of a tree the distances of a row are best computed.

For any vertex c of the tree, ρ_ij = ρ_ic·ρ_cj holds for all j but those that c does not separate from i. If
i is in a piece that hangs on the centroid c by one edge alone, these are the piece and no more. So of the
centroids around i the best is the innermost on which such a *pendant* piece around i hangs.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.forests.centroid import CentroidDecomposition

__all__ = ["Centres", "choose_centres"]

IntArray = npt.NDArray[np.int64]


class Centres(NamedTuple):
    """Pieces whose centroids serve as centres, and for each position which of them is its own."""

    piece: IntArray  # (centres,) numbers of pieces, the largest first
    own: IntArray  # (n,) index into `piece`
    pendant: (
        IntArray  # (n,) the piece around the position that its centre separates from all else; −1: itself
    )


def choose_centres(pieces: CentroidDecomposition, edges: IntArray, most: int) -> Centres:
    """The centroids of the `most` largest pieces of the first tree, which has to have one.

    A position of another tree has the first centre, whose correlation with it is zero, and its tree as its
    pendant.
    """
    n = len(pieces.vertex)
    size = pieces.stop - pieces.start
    inside = ~pieces.is_leaf & (pieces.start < pieces.stop[0])
    by_size = np.argsort(
        np.where(inside, -size, 1), kind="stable"
    )  # a piece comes after the one it is cut from
    chosen = by_size[: min(most, int(inside.sum()))]
    own, pendant = np.zeros(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    for tree in np.flatnonzero(pieces.parent < 0)[1:]:
        pendant[pieces.start[tree] : pieces.stop[tree]] = tree
    hanging = _edges_out(pieces, edges) == 1
    children = np.argsort(pieces.parent, kind="stable")
    first = np.searchsorted(pieces.parent[children], np.arange(len(size) + 1))
    for index, piece in enumerate(chosen.tolist()):
        centroid = pieces.start[piece]
        own[centroid], pendant[centroid] = index, -1
        for child in children[first[piece] : first[piece + 1]]:
            if hanging[child]:
                own[pieces.start[child] : pieces.stop[child]] = index
                pendant[pieces.start[child] : pieces.stop[child]] = child
    return Centres(chosen, own, pendant)


def _edges_out(pieces: CentroidDecomposition, edges: IntArray) -> IntArray:
    """(pieces,) how many edges have one end inside."""
    count = np.zeros(len(pieces.start) + 1, dtype=np.int64)  # the last is for positions without a piece
    ends = pieces.position[edges]
    for level in range(int(pieces.level.max()) + 1):
        at = np.full(len(pieces.vertex), len(pieces.start), dtype=np.int64)
        here = np.flatnonzero(pieces.level == level)
        sizes = pieces.stop[here] - pieces.start[here]
        rank = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        at[np.repeat(pieces.start[here], sizes) + rank] = np.repeat(here, sizes)
        u, v = at[ends].T
        crossing = u != v
        count += np.bincount(u[crossing], minlength=len(count)) + np.bincount(
            v[crossing], minlength=len(count)
        )
    return count[:-1]
