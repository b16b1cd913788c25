"""Correlations of a joint Gaussian on a forest: products along paths (the paper's belief propagation)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.forests.rooted import root_forest
from acvae.gaussian.checks import inside_unit_interval
from acvae.gaussian.forest.conditioning import condition
from acvae.gaussian.forest.density import log_density, sample_from_noise
from acvae.gaussian.forest.distances import ForestDistances
from acvae.gaussian.forest.divergence import kl_divergence, log_one_minus_square
from acvae.gaussian.forest.path_products import pair_products, row_products
from acvae.gaussian.forest.walks import ForestWalks

__all__ = ["ForestJoint"]


class ForestJoint:
    """One joint: vertices are joined along `edges` (m, 2) with correlations `values` (m, d).

    Vertices in different trees are independent. Without edges this is a plain VAE's posterior.
    """

    def __init__(self, n_vertices: int, edges: npt.NDArray[np.int64], values: npt.NDArray[Any]) -> None:
        self.edges = edges
        self.values = values
        self.rooted = root_forest(n_vertices, edges)

    def pairs(self, i: npt.NDArray[np.int64], j: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """(k, d) product of the correlations on the path from i to j."""
        return pair_products(self.rooted, self.values, i, j)

    def row(self, vertex: int) -> npt.NDArray[np.float64]:
        """(n, d) correlation of one vertex with every vertex."""
        return row_products(self.rooted, self.values, vertex)

    def distance_blocks(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> ForestDistances:
        """Blocks of matrix products along a centroid decomposition of the forest."""
        return ForestDistances(self.rooted, self.edges, self.values, mean, std)

    def distance_walks(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> ForestWalks:
        """Rows by walks over the forest, for a few of them."""
        return ForestWalks(self.rooted, self.values, mean, std)

    def correlate(self, noise: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Turn standard normals (size, n, d) into standardised draws from the joint, in place."""
        return sample_from_noise(self.rooted, self.values, noise)

    def log_density(self, standard: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """(size,) log density of standardised points (size, n, d)."""
        return log_density(self.rooted, self.values, standard)

    @property
    def links(self) -> npt.NDArray[np.int64]:
        """(m, 2) the edges."""
        return self.edges

    def along_links(self) -> npt.NDArray[Any]:
        """(m, d) correlations along them."""
        return self.values

    def log_determinant(self) -> float:
        """Log determinant of the matrix of correlations, summed over dimensions: Σ log(1 − ρ²)."""
        return float(log_one_minus_square(self.values).sum())

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
        return kl_divergence(gap, scale, log_determinant, self.rooted, self.values, along)

    def condition(
        self, observed: npt.NDArray[np.bool_], standard: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], ForestJoint]:
        """Mean and std of the rest, and its forest, given the rows of `standard` where `observed` is true."""
        left = condition(self.rooted, self.values, observed, standard)
        kept = np.flatnonzero(~observed)
        new_id = np.cumsum(~observed) - 1
        edge = ~observed[self.edges].any(axis=1)
        values = inside_unit_interval(left.correlation[edge], self.values.dtype)
        return (
            left.mean[kept],
            left.std[kept],
            ForestJoint(len(kept), new_id[self.edges[edge]], values),
        )
