"""Correlations of a joint Gaussian on the whole graph: the mean of the precisions of its spanning forests.

A forest with correlations ρ along its edges has in each dimension the precision I + Σ_e K_e, with

    K_e = 1/(1 − ρ_e²)·[[ρ_e², −ρ_e], [−ρ_e, ρ_e²]]   on the two ends of the edge e.

If an edge is in a random spanning forest with probability w_e, the expected precision is J = I + Σ_e w_e·K_e:
every edge counts, and J is positive definite as each forest's is. With w of only zeros and ones it is the
forest's own. What is read from J is the correlation of every pair, J⁻¹ with its diagonal scaled to one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.progress import expect
from acvae.exceptions import PosteriorError
from acvae.forests import spanning_tree_probabilities
from acvae.forests.elimination import (
    Elimination,
    Factor,
    NotPositiveError,
    TooLargeError,
    eliminate,
    factorise,
    seconds_for,
)
from acvae.gaussian.graph.distances import PrecisionDistances
from acvae.gaussian.graph.leave_one_out import CandidatesLeftOut, edge_energy
from acvae.gaussian.left_out import PairsLeftOut, find_links
from acvae.gaussian.stored import Stored
from acvae.graph import Graph

__all__ = ["GraphJoint", "elimination_order"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

ROWS_AT_A_TIME = 256
CLEARANCE = 1e-9


class GraphJoint:
    """One joint by its precision: `off_diagonal` (m, d) at the pairs `links` (m, 2), and `diagonal` (n, d).

    It is factorised when first asked, in d·k² numbers of memory, k the size of the graph's dense core.
    `order` is the links' `elimination_order`, if it is known. `weights` (m,) are the probabilities of the
    links in a random forest, which tell what of the diagonal is whose; by default those of `links` alone.
    """

    kind = "graph"
    weights: FloatArray | None = None

    def __init__(
        self,
        links: IntArray,
        off_diagonal: FloatArray,
        diagonal: FloatArray,
        order: Elimination | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        self.links, self.off_diagonal, self.diagonal = links, off_diagonal, diagonal
        self.weights = weights
        for array in (off_diagonal, diagonal):
            array.flags.writeable = False  # factors would not follow
        if order is not None:
            self._order = order

    @classmethod
    def of_forests(
        cls,
        n_vertices: int,
        edges: IntArray,
        correlation: npt.NDArray[Any],
        weights: FloatArray,
        order: Elimination | None = None,
    ) -> GraphJoint:
        """The expected precision of forests that hold each edge with probability `weights` (m,).

        Correlations are kept `CLEARANCE` away from ±1, where energies would be differences of huge numbers.
        """
        rho = np.clip(correlation.astype(np.float64), CLEARANCE - 1, 1 - CLEARANCE)
        off_diagonal = weights[:, None] * rho / ((rho - 1) * (1 + rho))
        diagonal = np.ones((n_vertices, rho.shape[1]))
        for end in edges.T:
            np.add.at(diagonal, end, -rho * off_diagonal)
        return cls(edges, off_diagonal, diagonal, order, weights)

    @cached_property
    def _shares(self) -> FloatArray:
        """(m,) probability of each link in a random spanning forest."""
        if self.weights is not None:
            return self.weights
        return spanning_tree_probabilities(Graph(len(self.diagonal), self.links))

    def __getstate__(self) -> dict[str, Any]:
        """What it is made of, without what was computed of it."""
        return self.pack()

    # ------------------------------------------------------------------ stored

    @property
    def shape(self) -> tuple[int, int]:
        """How many vertices it is for, and dimensions."""
        n, d = self.diagonal.shape
        return n, d

    def describe(self) -> str:
        """What it is made of."""
        return f"{len(self.links):,} edges of a graph"

    def pack(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays it is made of."""
        own = {"links": self.links, "off_diagonal": self.off_diagonal, "diagonal": self.diagonal}
        return own | ({} if self.weights is None else {"weights": self.weights})

    @classmethod
    def unpack(cls, arrays: Mapping[str, npt.NDArray[Any]], n: int, d: int) -> GraphJoint:
        """Of arrays that may be anything: a precision on n vertices in d dimensions.

        Whether it is positive definite is seen when it is first factorised.
        """
        stored = Stored(arrays)
        links = stored.links("links", n)
        off_diagonal = stored.numbers("off_diagonal", (len(links), d), np.float64)
        diagonal = stored.numbers("diagonal", (n, d), np.float64)
        if not (diagonal > 0).all():
            raise PosteriorError("the diagonal of its precision is not positive.")
        weights = stored.numbers("weights", (len(links),), np.float64) if "weights" in arrays else None
        if weights is not None and not (weights >= 0).all():
            raise PosteriorError("the weights of its links are negative.")
        return cls(links, off_diagonal, diagonal, weights=weights)

    # ------------------------------------------------------------------ pairs

    def pairs(self, i: IntArray, j: IntArray) -> FloatArray:
        """(k, d) correlation of each pair, by a solve for every distinct vertex on one side."""
        sources, which = np.unique(i, return_inverse=True)
        others, of_others = np.unique(j, return_inverse=True)
        if len(others) < len(sources):
            i, j, sources, which = j, i, others, of_others
        out = np.empty((len(i), self.diagonal.shape[1]))
        order, scale = self._order, self._std
        for first in range(0, len(sources), ROWS_AT_A_TIME):
            own = order.position[sources[first : first + ROWS_AT_A_TIME]]
            chosen = np.flatnonzero((which >= first) & (which < first + len(own)))
            here, there = i[chosen], j[chosen]
            for k, factor in enumerate(self._factors):
                unit = np.zeros((len(order.vertex), len(own)))
                unit[own, np.arange(len(own))] = 1
                covariance = factor.solve(unit)[order.position[there], which[chosen] - first]
                out[chosen, k] = covariance / (scale[here, k] * scale[there, k])
        out[i == j] = 1.0
        return np.clip(out, -1.0, 1.0)

    def along_links(self) -> FloatArray:
        """(m, d) correlation of the two ends of each link."""
        covariance = np.stack([factor.along for factor in self._factors], axis=1)
        u, v = self.links.T
        return np.asarray(covariance / (self._std[u] * self._std[v]))

    def left_out(
        self, ends: IntArray, candidates: IntArray, mean: npt.NDArray[Any], std: npt.NDArray[Any]
    ) -> PairsLeftOut:
        """Vertices and their candidates, as if the edge of each query were not in the graph: exact.

        By a rank-two update a dimension, from a solve for every distinct end. All other weights stay.
        """
        at, places = np.unique(ends, return_inverse=True)
        places = places.reshape(ends.shape)
        edge = find_links(self.links, len(self.diagonal), ends)
        held = edge >= 0
        order, rho = self._order, np.empty((*candidates.shape, self.diagonal.shape[1]))
        rows = np.empty((len(at), len(self.diagonal)))
        for k, factor in enumerate(self._factors):
            for first in range(0, len(at), ROWS_AT_A_TIME):
                own = order.position[at[first : first + ROWS_AT_A_TIME]]
                unit = np.zeros((len(order.vertex), len(own)))
                unit[own, np.arange(len(own))] = 1
                rows[first : first + len(own), order.vertex] = factor.solve(unit).T
            beside = self.off_diagonal[edge[held], k]
            own_part = edge_energy(beside, self._shares[edge[held]])
            block = np.zeros((len(ends), 2, 2))
            block[held] = np.stack([own_part, beside, beside, own_part], axis=-1).reshape(-1, 2, 2)
            left = CandidatesLeftOut.of(rows, places, ends, candidates, self._std[:, k] ** 2, block)
            rho[:, :, k] = left.correlation
        return PairsLeftOut.of_correlations(ends, candidates, mean, std, rho)

    def distance_blocks(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> PrecisionDistances:
        """Blocks of rows, by solving for each."""
        return PrecisionDistances(self._order, self._factors, mean, std)

    # ------------------------------------------------------------------ the joint

    def correlate(self, noise: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Turn standard normals (size, n, d) into standardised draws from the joint, in place."""
        order = self._order
        for k, factor in enumerate(self._factors):
            own = np.ascontiguousarray(noise[:, order.vertex, k].T, dtype=np.float64)
            noise[:, order.vertex, k] = factor.correlate(own).T
            noise[:, :, k] /= self._std[:, k]
        return noise

    def log_density(self, standard: FloatArray) -> FloatArray:
        """(size,) log density of standardised points (size, n, d)."""
        quadratic = np.array([self._energy(point * self._std) for point in standard])
        return -0.5 * (quadratic + self.log_determinant() + self.diagonal.size * np.log(2 * np.pi))

    def _energy(self, x: FloatArray) -> float:
        """xᵀ·J·x of a point (n, d), over all dimensions."""
        u, v = self.links.T
        return float((self.diagonal * x**2).sum() + 2 * (self.off_diagonal * x[u] * x[v]).sum())

    def log_determinant(self) -> float:
        """Log determinant of the matrix of correlations, summed over dimensions."""
        return float(-sum(factor.log_determinant for factor in self._factors) - 2 * np.log(self._std).sum())

    def divergence(
        self, gap: FloatArray, scale: FloatArray, along: npt.NDArray[Any], log_determinant: float
    ) -> float:
        """KL(q ‖ this) for a q of means `gap` and standard deviations `scale` (n, d).

        `along` (m, d) are q's correlations at the links, `log_determinant` is of all its correlations.
        """
        u, v = self.links.T
        std = scale * self._std
        energy = self._energy(gap * self._std) + (self.diagonal * std**2).sum()
        energy += 2 * (self.off_diagonal * std[u] * std[v] * along).sum()
        rest = self.log_determinant() - log_determinant - gap.size
        return float(0.5 * (energy + rest) - np.log(scale).sum())

    def condition(
        self, observed: npt.NDArray[np.bool_], standard: FloatArray
    ) -> tuple[FloatArray, FloatArray, GraphJoint]:
        """Mean and std of the rest, standardised, and its correlations, given the rows `observed` (n,)."""
        kept = np.flatnonzero(~observed)
        new_id = np.cumsum(~observed) - 1
        known = np.where(observed[:, None], standard * self._std, 0.0)
        force = np.zeros(known.shape)  # −J_ro·x_o
        for here, there in (self.links.T, self.links.T[::-1]):
            np.add.at(force, here, -self.off_diagonal * known[there])
        inside = ~observed[self.links].any(axis=1)
        rest = GraphJoint(
            new_id[self.links[inside]],
            self.off_diagonal[inside],
            self.diagonal[kept],
            weights=None if self.weights is None else self.weights[inside],
        )
        order = rest._order
        mean = np.empty((len(kept), known.shape[1]))
        for k, factor in enumerate(rest._factors):
            pull = force[kept[order.vertex], k][:, None].copy()
            mean[order.vertex, k] = factor.solve(pull)[:, 0]
        return mean / self._std[kept], rest._std / self._std[kept], rest

    # ------------------------------------------------------------------ inside

    @cached_property
    def _order(self) -> Elimination:
        n, d = self.diagonal.shape
        return elimination_order(n, d, self.links)

    @cached_property
    def _factors(self) -> list[Factor]:
        order = self._order
        found: list[Factor] = []
        try:
            for off_diagonal, diagonal in zip(self.off_diagonal.T, self.diagonal.T, strict=True):
                expect((self.diagonal.shape[1] - len(found)) * seconds_for(order.core_size))
                found.append(factorise(order, self.links, off_diagonal, diagonal))
            return found
        except NotPositiveError:
            raise PosteriorError(
                "the weights and correlations belong to no joint distribution: the precision is not positive "
                "definite. Weights must be probabilities of the edges in a random spanning forest, such as "
                "spanning_tree_probabilities gives."
            ) from None

    @cached_property
    def _std(self) -> FloatArray:
        """(n, d) standard deviations under J, by vertex."""
        out = np.empty(self.diagonal.shape)
        out[self._order.vertex] = np.sqrt(np.stack([f.variance for f in self._factors], axis=1))
        return out


def elimination_order(n_vertices: int, latent_dim: int, links: IntArray) -> Elimination:
    """In which order the joint on a graph is solved for, if there is the memory for it."""
    try:
        return eliminate(n_vertices, links, matrices=latent_dim + 1)
    except TooLargeError as error:
        raise PosteriorError(
            f"the joint on this graph needs {error.need / 1e9:.1f} GB of memory in {latent_dim} dimensions, "
            f"and {error.free / 1e9:.1f} GB are free: its dense core has {error.core_size:,} vertices. Use "
            "fewer dimensions, or a forest (ACVAE)."
        ) from None
