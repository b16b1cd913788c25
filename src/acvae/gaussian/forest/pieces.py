"""The pieces of a forest that have a centroid, as trees of objects and as arrays for compiled loops."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.forests.centroid import CentroidDecomposition

__all__ = ["InnerPiece", "PieceArrays", "inner_pieces"]

IntArray = npt.NDArray[np.int64]


class PieceArrays(NamedTuple):
    """For each position the number of the smallest piece around it, −1 for none; and about each piece."""

    deepest: IntArray  # (n,)
    above: IntArray  # (pieces,) the one that it was cut from, −1 for none
    start: IntArray  # (pieces,)
    stop: IntArray  # (pieces,)
    level: IntArray  # (pieces,)


class InnerPiece:
    """A piece with a centroid, and those of its children that have one."""

    __slots__ = ("children", "level", "number", "start", "stop")

    def __init__(self, number: int, start: int, stop: int, level: int) -> None:
        self.number, self.start, self.stop, self.level = number, start, stop, level
        self.children: list[InnerPiece] = []


def inner_pieces(pieces: CentroidDecomposition) -> tuple[list[InnerPiece], PieceArrays]:
    """All inner pieces by their numbers, siblings in the order of positions; and as arrays."""
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
        InnerPiece(*numbers)
        for numbers in zip(range(len(chosen)), *map(np.ndarray.tolist, (start, stop, level)), strict=True)
    ]
    for piece, parent in sorted(zip(inner, above.tolist(), strict=True), key=lambda pair: pair[0].start):
        if parent >= 0:
            inner[parent].children.append(piece)
    deepest = np.full(len(pieces.vertex), -1, dtype=np.int64)
    for c in np.argsort(level, kind="stable").tolist():
        deepest[start[c] : stop[c]] = c
    return inner, PieceArrays(deepest, above, start, stop, level)
