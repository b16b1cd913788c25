"""Where a posterior's pairwise correlations come from: one strategy per file, all with the same face.

A strategy has to answer for pairs and for rows of distances (`Correlations`); one that is a joint
distribution answers for more (`Joint`). What else a strategy may have, and a posterior then makes use of:

- `kind`, `pack() -> arrays` and the class method `unpack(arrays, n, d)`: with these, and `register`, it can
  be saved. `unpack` must believe nothing of what it is given.
- `shape`: n and d, which a posterior compares with its own.
- `describe() -> str`: what it is made of, in a few words.
- `few` and `few_rows(mean, std)`: up to how many rows another way to distances takes less time, and that way.
- `can_draw`: whether `correlate` answers; a joint that does not say so can draw.
- `left_out(ends, candidates, mean, std)`: what it would say of pairs without an edge that it holds.
- `edges` (m, 2) and `correlation` (m, d): the forest that it is on.
- `to_torch(mean, std)`: the joint as a `torch.distributions.Distribution`.
"""

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

__all__ = ["Correlations", "DistanceBlocks", "Joint"]

FloatArray = npt.NDArray[np.float64]


class DistanceBlocks(Protocol):
    """Rows of the matrix of expected squared distances, a block at a time."""

    @property
    def columns(self) -> npt.NDArray[np.int64]:
        """(n,) vertex id of each column of a block."""

    def blocks(
        self, rows: npt.NDArray[np.int64], block_rows: int
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[Any]]]:
        """Yield `(rows, distances)`, in any order of rows, in a buffer that the next block overwrites."""


class Correlations(Protocol):
    """Correlations of all pairs among n vertices, per latent dimension."""

    def pairs(self, i: npt.NDArray[np.int64], j: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """(k, d) correlation of z_i and z_j."""

    def distance_blocks(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> DistanceBlocks:
        """Expected squared distances for the given means and standard deviations (n, d)."""


@runtime_checkable
class Joint(Correlations, Protocol):
    """Correlations of one joint Gaussian, in coordinates in which every vertex is standard normal."""

    @property
    def links(self) -> npt.NDArray[np.int64]:
        """(m, 2) pairs at which the precision has entries."""

    def along_links(self) -> npt.NDArray[Any]:
        """(m, d) correlation of the two ends of each link."""

    def log_determinant(self) -> float:
        """Log determinant of the matrix of correlations, summed over dimensions."""

    def correlate(self, noise: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Turn independent standard normals (size, n, d) into draws, in place."""

    def log_density(self, standard: FloatArray) -> FloatArray:
        """(size,) log density of points (size, n, d)."""

    def divergence(
        self, gap: FloatArray, scale: FloatArray, along: npt.NDArray[Any], log_determinant: float
    ) -> float:
        """KL(q ‖ this) for a q of means `gap` and standard deviations `scale` (n, d).

        `along` (m, d) are q's correlations at the links, `log_determinant` is of all its correlations.
        """

    def condition(
        self, observed: npt.NDArray[np.bool_], standard: FloatArray
    ) -> "tuple[FloatArray, FloatArray, Joint]":
        """Mean and std of the rest, and its joint, given the rows of `standard` where `observed` is true."""
