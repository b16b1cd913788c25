"""Correlations of a joint Gaussian on a forest: products along paths (the paper's belief propagation)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae.forests.rooted import root_forest
from acvae.gaussian.checks import check_correlations, inside_unit_interval
from acvae.gaussian.forest.conditioning import condition
from acvae.gaussian.forest.density import log_density, sample_from_noise
from acvae.gaussian.forest.distances import ForestDistances
from acvae.gaussian.forest.divergence import kl_divergence, log_one_minus_square
from acvae.gaussian.forest.left_out import products_without
from acvae.gaussian.forest.path_products import pair_products, row_products
from acvae.gaussian.forest.walks import ForestWalks
from acvae.gaussian.left_out import PairsLeftOut
from acvae.gaussian.stored import Stored

if TYPE_CHECKING:
    from acvae.gaussian.forest.torch_distribution import ForestNormal

__all__ = ["ForestJoint"]


class ForestJoint:
    """One joint: vertices are joined along `edges` (m, 2) with correlations `correlation` (m, d).

    Vertices in different trees are independent. Without edges this is a plain VAE's posterior.
    """

    kind = "forest"
    few = 64  # rows up to which walks over the forest take less time than the tables of all pairs

    def __init__(self, n_vertices: int, edges: npt.NDArray[np.int64], correlation: npt.NDArray[Any]) -> None:
        self.edges = edges
        self.correlation = correlation
        self.rooted = root_forest(n_vertices, edges)

    @property
    def shape(self) -> tuple[int, int]:
        """How many vertices it is for, and dimensions."""
        return len(self.rooted.parent), self.correlation.shape[1]

    def describe(self) -> str:
        """What it is made of."""
        return f"{len(self.edges):,} forest edges"

    def pack(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays it is made of."""
        return {"edges": self.edges, "correlation": self.correlation}

    @classmethod
    def unpack(cls, arrays: Mapping[str, npt.NDArray[Any]], n: int, d: int) -> ForestJoint:
        """Of arrays that may be anything: a forest on n vertices, with correlations in d dimensions."""
        stored = Stored(arrays)
        edges = stored.ids("edges", (None, 2), n)
        correlation = stored.numbers("correlation", (len(edges), d))
        check_correlations(correlation, len(edges), d)
        return cls(n, edges, correlation)  # which finds cycles

    def pairs(self, i: npt.NDArray[np.int64], j: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """(k, d) product of the correlations on the path from i to j."""
        return pair_products(self.rooted, self.correlation, i, j)

    def row(self, vertex: int) -> npt.NDArray[np.float64]:
        """(n, d) correlation of one vertex with every vertex."""
        return row_products(self.rooted, self.correlation, vertex)

    def left_out(
        self,
        ends: npt.NDArray[np.int64],
        candidates: npt.NDArray[np.int64],
        mean: npt.NDArray[Any],
        std: npt.NDArray[Any],
    ) -> PairsLeftOut:
        """Vertices and their candidates, as if the edge of each query were not in the forest."""
        rho = products_without(self.rooted, self.correlation, ends, candidates)
        return PairsLeftOut.of_correlations(ends, candidates, mean, std, rho)

    def distance_blocks(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> ForestDistances:
        """Blocks of matrix products along a centroid decomposition of the forest."""
        return ForestDistances(self.rooted, self.edges, self.correlation, mean, std)

    def few_rows(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> ForestWalks:
        """Rows by walks over the forest, for a few of them."""
        return ForestWalks(self.rooted, self.correlation, mean, std)

    def to_torch(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> ForestNormal:
        """The joint with these means and standard deviations as a PyTorch distribution."""
        from acvae.gaussian.forest.torch_distribution import ForestNormal

        return ForestNormal(mean, std, self.edges, self.correlation.copy())

    def correlate(self, noise: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Turn standard normals (size, n, d) into standardised draws from the joint, in place."""
        return sample_from_noise(self.rooted, self.correlation, noise)

    def log_density(self, standard: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """(size,) log density of standardised points (size, n, d)."""
        return log_density(self.rooted, self.correlation, standard)

    @property
    def links(self) -> npt.NDArray[np.int64]:
        """(m, 2) the edges."""
        return self.edges

    def along_links(self) -> npt.NDArray[Any]:
        """(m, d) correlations along them."""
        return self.correlation

    def log_determinant(self) -> float:
        """Log determinant of the matrix of correlations, summed over dimensions: Σ log(1 − ρ²)."""
        return float(log_one_minus_square(self.correlation).sum())

    def divergence(
        self,
        gap: npt.NDArray[np.float64],
        scale: npt.NDArray[np.float64],
        along: npt.NDArray[Any],
        log_determinant: float,
    ) -> float:
        """KL(q ‖ this) for a q of means `gap` and standard deviations `scale` (n, d).

        `along` (m, d) are q's correlations along the edges, `log_determinant` is of all its correlations.
        """
        return kl_divergence(gap, scale, log_determinant, self.rooted, self.correlation, along)

    def condition(
        self, observed: npt.NDArray[np.bool_], standard: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], ForestJoint]:
        """Mean and std of the rest, and its forest, given the rows of `standard` where `observed` is true."""
        left = condition(self.rooted, self.correlation, observed, standard)
        kept = np.flatnonzero(~observed)
        new_id = np.cumsum(~observed) - 1
        edge = ~observed[self.edges].any(axis=1)
        correlation = inside_unit_interval(left.correlation[edge], self.correlation.dtype)
        return (
            left.mean[kept],
            left.std[kept],
            ForestJoint(len(kept), new_id[self.edges[edge]], correlation),
        )
