"""A joint on a whole graph in which groups of dimensions share a precision: GraphGaussian's posterior.

At a scale s every dimension has the precision

    J_s = diag(h_s) + Σ_e a_se·b_e·b_eᵀ,   b_e = e_i − e_j,

the graph's Laplacian with strengths a_s and a positive diagonal h_s: prior and evidence. One factorisation
serves all dimensions of a scale, and the scales are independent. How it is held, factorised or not, is the
`solver`'s choice; what only a factorisation can answer is an error without one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.progress import expect
from acvae.exceptions import PosteriorError
from acvae.gaussian.graph.leave_one_out import CandidatesLeftOut, laplacian_blocks, without_rounding
from acvae.gaussian.graph.solver import SOLVERS, Gaussian, solver_named
from acvae.gaussian.left_out import PairsLeftOut, find_links
from acvae.gaussian.stored import Stored

__all__ = ["ScalesJoint"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class ScalesJoint:
    """One joint: strengths (S, m) of the graph's edges `links` (m, 2), diagonals (S, n), `group` (d,).

    Dimension k has the precision of scale `group[k]`. It is factorised when first asked; `gaussians` are the
    factorised ones, if they are known already. With `solver` "local" nothing is factorised, and `variance`
    (S, n) are the diagonals of K, if they are known already.
    """

    kind = "scales"

    def __init__(
        self,
        links: IntArray,
        strength: FloatArray,
        diagonal: FloatArray,
        group: IntArray,
        gaussians: tuple[Gaussian, ...] | None = None,
        solver: str = "exact",
        variance: FloatArray | None = None,
    ) -> None:
        self.links, self.strength, self.diagonal, self.group = links, strength, diagonal, group
        self.solver, self._variance = solver, variance
        if gaussians is not None:
            self.gaussians = gaussians

    @cached_property
    def gaussians(self) -> tuple[Gaussian, ...]:
        """One a scale, from one solver."""
        solver = solver_named(self.solver, self.diagonal.shape[1], self.links)
        known = [None] * len(self.diagonal) if self._variance is None else self._variance
        made: list[Gaussian] = []
        for own, strength, variance in zip(self.diagonal, self.strength, known, strict=True):
            expect((len(known) - len(made)) * solver.seconds)
            made.append(solver.gaussian(own, strength, variance))
        return tuple(made)

    @property
    def std(self) -> FloatArray:
        """(n, d) standard deviations."""
        return self._std[:, self.group]

    @cached_property
    def _std(self) -> FloatArray:
        return np.sqrt(np.stack([gaussian.variance for gaussian in self.gaussians], axis=1))

    def _dimensions(self) -> Iterator[tuple[int, Gaussian, IntArray, FloatArray]]:
        """Scale, Gaussian, dimensions and standard deviations (n, 1), for every scale that has dimensions."""
        for s, gaussian in enumerate(self.gaussians):
            own = np.flatnonzero(self.group == s)
            if len(own):
                yield s, gaussian, own, self._std[:, s, None]

    # ------------------------------------------------------------------ stored

    @property
    def shape(self) -> tuple[int, int]:
        """How many vertices it is for, and dimensions."""
        return self.diagonal.shape[1], len(self.group)

    @property
    def can_draw(self) -> bool:
        """Whether its precisions are factorised."""
        return self.solver == "exact"

    def describe(self) -> str:
        """What it is made of."""
        return f"{len(self.links):,} edges of a graph at {len(self.strength)} scales"

    def pack(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays it is made of."""
        own = {
            "links": self.links,
            "strength": self.strength,
            "diagonal": self.diagonal,
            "group": self.group,
        }
        if self.can_draw:
            return own
        variance = np.stack([gaussian.variance for gaussian in self.gaussians])
        return own | {"solver": np.array(SOLVERS.index(self.solver)), "variance": variance}

    @classmethod
    def unpack(cls, arrays: Mapping[str, npt.NDArray[Any]], n: int, d: int) -> ScalesJoint:
        """Of arrays that may be anything: precisions on n vertices, shared by d dimensions.

        Strengths may be negative, as those of `GraphGaussian.extend(known="fixed")`, where they are
        factorised: whether a precision is positive definite is seen when it is.
        """
        stored = Stored(arrays)
        links = stored.links("links", n)
        diagonal = stored.numbers("diagonal", (None, n), np.float64)
        strength = stored.numbers("strength", (len(diagonal), len(links)), np.float64)
        if len(diagonal) == 0:
            raise PosteriorError("it has no scales.")
        group = stored.ids("group", (d,), len(diagonal))
        if "solver" not in arrays:
            return cls(links, strength, diagonal, group)
        solver = SOLVERS[int(stored.ids("solver", (), len(SOLVERS)))]
        if solver == "local" and not ((diagonal > 0).all() and (strength > 0).all()):
            raise PosteriorError("its precision is not positive.")
        variance = stored.numbers("variance", diagonal.shape, np.float64)
        if not (variance > 0).all():
            raise PosteriorError("its variances are not positive.")
        return cls(links, strength, diagonal, group, solver=solver, variance=variance)

    def __getstate__(self) -> dict[str, Any]:
        """What it is made of, without what a factorisation gives again; variances without one are kept."""
        computed = ("gaussians", "_std")
        state = {name: value for name, value in self.__dict__.items() if name not in computed}
        if self.solver != "exact" and "gaussians" in self.__dict__:
            state["_variance"] = np.stack([gaussian.variance for gaussian in self.gaussians])
        return state

    # ------------------------------------------------------------------ pairs

    def pairs(self, i: IntArray, j: IntArray) -> FloatArray:
        """(k, d) correlation of each pair, by a solve for every distinct vertex on one side."""
        out = np.empty((len(i), len(self.gaussians)))
        for s, gaussian in enumerate(self.gaussians):
            out[:, s] = gaussian.entries(i, j) / (self._std[i, s] * self._std[j, s])
        out[i == j] = 1.0
        return np.clip(out, -1.0, 1.0)[:, self.group]

    def along_links(self) -> FloatArray:
        """(m, d) correlation of the two ends of each link."""
        u, v = self.links.T
        along = np.stack([gaussian.along for gaussian in self.gaussians], axis=1)
        return np.asarray(along / (self._std[u] * self._std[v]))[:, self.group]

    def left_out(
        self, ends: IntArray, candidates: IntArray, mean: npt.NDArray[Any], std: npt.NDArray[Any]
    ) -> PairsLeftOut:
        """Vertices and their candidates, as if the edge of each query were not in the graph: exact.

        By a rank-one update a scale. Means and spreads change with the correlations, as evidence flows along
        edges. Rows that are known near their vertices only are refused: what they leave out would not cancel,
        and would tell where the edge was.
        """
        if self.solver == "local":
            raise PosteriorError(
                "pairs without their edges need a factorised precision, and solver='local' makes none: fit "
                "with solver='exact', or ask GraphGaussian's own links_, which pushes anew for every edge."
            )
        at, places = np.unique(ends, return_inverse=True)
        places = places.reshape(ends.shape)
        edge = find_links(self.links, self.diagonal.shape[1], ends)
        held = edge >= 0
        i, before = ends[:, 0], mean.astype(np.float64)
        own_mean, own_std = before[i], std[i].astype(np.float64)
        other_mean, other_std = before[candidates], std[candidates].astype(np.float64)
        rho = np.empty(other_mean.shape)
        for s, gaussian, own, _ in self._dimensions():
            strength = np.where(held, self.strength[s][edge], 0.0) if len(self.links) else np.zeros(len(ends))
            left = CandidatesLeftOut.of(
                gaussian.rows(at), places, ends, candidates, gaussian.variance, laplacian_blocks(strength)
            )
            rho[:, :, own] = left.correlation[:, :, None]
            own_mean[:, own], other_mean[:, :, own] = left.means(before[:, own], ends, candidates)
            own_std[:, own] *= np.sqrt(left.own / gaussian.variance[i])[:, None]
            other_std[:, :, own] *= np.sqrt(left.other / gaussian.variance[candidates])[:, :, None]
        return PairsLeftOut(
            without_rounding(own_mean, before[i]),
            own_std,
            without_rounding(other_mean, before[candidates]),
            other_std,
            rho,
        )

    def distance_blocks(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> ScalesDistances:
        """Blocks of rows, by solving for each once a scale."""
        return ScalesDistances(self, mean, std)

    # ------------------------------------------------------------------ the joint

    def correlate(self, noise: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Turn standard normals (size, n, d) into standardised draws from the joint, in place."""
        size, n, _ = noise.shape
        for _, gaussian, own, std in self._dimensions():
            columns = noise[:, :, own].astype(np.float64).transpose(1, 0, 2).reshape(n, size * len(own))
            drawn = gaussian.correlate(columns) / std
            noise[:, :, own] = drawn.reshape(n, size, len(own)).transpose(1, 0, 2)
        return noise

    def log_density(self, standard: FloatArray) -> FloatArray:
        """(size,) log density of standardised points (size, n, d)."""
        size, n, d = standard.shape
        energy = np.zeros(size)
        for _, gaussian, own, std in self._dimensions():
            columns = (standard[:, :, own] * std).transpose(1, 0, 2).reshape(n, size * len(own))
            energy += gaussian.energy(columns).reshape(size, len(own)).sum(axis=1)
        return -0.5 * (energy + self.log_determinant() + n * d * np.log(2 * np.pi))

    def log_determinant(self) -> float:
        """Log determinant of the matrix of correlations, summed over dimensions."""
        return float(
            sum(
                -len(own) * (gaussian.log_determinant + 2 * np.log(std).sum())
                for _, gaussian, own, std in self._dimensions()
            )
        )

    def divergence(
        self, gap: FloatArray, scale: FloatArray, along: npt.NDArray[Any], log_determinant: float
    ) -> float:
        """KL(q ‖ this) for a q of means `gap` and standard deviations `scale` (n, d).

        `along` (m, d) are q's correlations at the links, `log_determinant` is of all its correlations.
        """
        u, v = self.links.T
        energy = 0.0
        for s, gaussian, own, std in self._dimensions():
            a = self.strength[s][:, None]
            wide = scale[:, own] * std
            energy += gaussian.energy(gap[:, own] * std).sum()
            energy += (self.diagonal[s][:, None] * wide**2).sum()
            energy += (a * ((wide[u] - wide[v]) ** 2 + 2 * wide[u] * wide[v] * (1 - along[:, own]))).sum()
        rest = self.log_determinant() - log_determinant - gap.size
        return float(0.5 * (energy + rest) - np.log(scale).sum())

    def condition(
        self, observed: npt.NDArray[np.bool_], standard: FloatArray
    ) -> tuple[FloatArray, FloatArray, ScalesJoint]:
        """Mean and std of the rest, standardised, and its correlations, given the rows `observed` (n,).

        What an edge to an observed vertex said of the other end is now evidence about it: its strength moves
        to the diagonal.
        """
        kept = np.flatnonzero(~observed)
        new_id = np.cumsum(~observed) - 1
        inside = ~observed[self.links].any(axis=1)
        diagonal = self.diagonal.copy()
        pull = np.zeros(standard.shape)
        for here, there in (self.links.T, self.links.T[::-1]):
            cut = observed[there] & ~observed[here]
            for s, _, own, std in self._dimensions():
                a = self.strength[s, cut]
                np.add.at(diagonal[s], here[cut], a)
                moved = a[:, None] * (standard[:, own] * std)[there[cut]]
                np.add.at(pull, (here[cut][:, None], own[None, :]), moved)
        rest = ScalesJoint(
            new_id[self.links[inside]],
            self.strength[:, inside],
            diagonal[:, kept],
            self.group,
            solver=self.solver,
        )
        mean = np.empty((len(kept), standard.shape[1]))
        for _, gaussian, own, _ in rest._dimensions():
            mean[:, own] = gaussian.solve(pull[np.ix_(kept, own)])
        before = self.std[kept]
        return mean / before, rest.std / before, rest


class ScalesDistances:
    """Expected squared distances, a block of rows at a time; every row is one solve a scale."""

    def __init__(self, joint: ScalesJoint, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> None:
        self.columns = np.arange(len(mean))
        self._joint, self._mean, self._std = joint, mean - mean.mean(axis=0), std
        self._norm = (self._mean**2 + std**2).sum(axis=1)

    def blocks(self, rows: IntArray, block_rows: int) -> Iterator[tuple[IntArray, npt.NDArray[Any]]]:
        """Yield `(rows, distances)` in the given order of rows."""
        for start in range(0, len(rows), block_rows):
            at = rows[start : start + block_rows]
            out = -2 * (self._mean[at] @ self._mean.T)
            out += self._norm[at, None]
            out += self._norm
            for _, gaussian, own, std in self._joint._dimensions():
                rho = gaussian.rows(at)
                rho /= std[at]
                rho /= std.T
                rho *= self._std[np.ix_(at, own)] @ self._std[:, own].T
                rho *= 2
                out -= rho.astype(out.dtype, copy=False)
            np.maximum(out, 0, out=out)
            out[np.arange(len(at)), at] = 0
            yield at, out
