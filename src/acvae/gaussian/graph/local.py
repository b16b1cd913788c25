"""The Gaussian of `laplacian` on a graph too large to be factorised: rows by local push, solves by iteration.

Nothing is factorised, and nothing of n² is held. A row of K is known near its vertex, from below, with a
bound on what is left out (`push`); K·x is solved for by conjugate gradients to a residual that is checked
(`conjugate_gradients`). What needs a factorisation (draws, densities) is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.adjacency import adjacency
from acvae._util.threads import n_threads, run_tasks
from acvae.exceptions import PosteriorError
from acvae.gaussian.graph.conjugate_gradients import conjugate_gradients
from acvae.gaussian.graph.laplacian import diagonal_with, energy
from acvae.gaussian.graph.push import Scratch, push_rows, push_variances
from acvae.gaussian.graph.rows import CovarianceRows, SparseCovariance

__all__ = ["LocalGaussian", "Neighbours"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

EFFORT = 30_000  # edges walked for a row
VARIANCE_EFFORT = 2_000  # edges walked for an entry of the diagonal, at least
ALL_VARIANCES = 400_000_000  # edges that may be walked for the whole diagonal
LEAST = 1e-7  # a push ends here too, in parts of 1/J_ii
TOLERANCE = 1e-2  # of entries of the diagonal
PANEL = 8  # rows that a thread pushes at a time
ROWS = 256  # held at a time where single entries are asked for
CERTAIN = 1e-7  # of the largest 1/h, a thousand times the error of a solve: entries below it are zero


class Neighbours(NamedTuple):
    """Neighbour lists of a graph's edges, shared by all Gaussians on it."""

    start: IntArray  # (n + 1,)
    near: npt.NDArray[np.int32]  # (2·m,)
    edge: npt.NDArray[np.int32]  # (2·m,) the number of the edge that leads there

    @classmethod
    def of(cls, n_vertices: int, edges: IntArray) -> Neighbours:
        """Of edges (m, 2)."""
        start, near, edge = adjacency(n_vertices, edges)
        return cls(start, near.astype(np.int32), edge.astype(np.int32))


class LocalGaussian:
    """N(0, J⁻¹), J = diag(h) + Laplacian, asked without a factorisation.

    Parameters
    ----------
    diagonal
        (n,) the h of the precision, positive.
    edges, strength
        (m, 2) and (m,) the pairs and their positive a.
    neighbours
        The `Neighbours` of the edges, if they are known already.
    variance
        (n,) what `variance` found before, if that is known.
    effort
        How many edges are walked for a row of K, and of the last vertex all.
    """

    # Means that an edge alone made are zero without it, up to the error of the entries that say so: a squared
    # length below this share of what it was is zero.
    rounding = 1e-3

    def __init__(
        self,
        diagonal: FloatArray,
        edges: IntArray,
        strength: FloatArray,
        neighbours: Neighbours | None = None,
        variance: FloatArray | None = None,
        effort: int = EFFORT,
    ) -> None:
        self.diagonal, self.edges, self.strength, self.effort = diagonal, edges, strength, effort
        if not ((diagonal > 0).all() and (strength > 0).all()):
            raise PosteriorError(
                "solver='local' needs a positive diagonal and positive strengths; use solver='exact'."
            )
        self.neighbours = Neighbours.of(len(diagonal), edges) if neighbours is None else neighbours
        self._strength = strength[self.neighbours.edge]
        self._total = diagonal_with(diagonal, edges, strength)
        self._matrix = self.neighbours.start, self.neighbours.near, self._strength, self._total
        if variance is not None:
            self.variance = variance

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
        return len(self.diagonal)

    @cached_property
    def variance(self) -> FloatArray:
        """(n,) diagonal of K, each within `variances`' error."""
        return self.variances(np.arange(self.n_vertices))[0]

    def variances(self, at: IntArray) -> tuple[FloatArray, FloatArray]:
        """(b,) entries of the diagonal of K from below, and by how much more each may be at most."""
        found = np.empty((len(at), 2))
        effort = max(VARIANCE_EFFORT, min(self.effort, ALL_VARIANCES // max(self.n_vertices, 1)))

        def work(first: int, last: int, scratch: Scratch) -> None:
            own = at[first:last]
            found[first:last] = push_variances(
                *self._matrix, self.diagonal, own, effort, LEAST, TOLERANCE, scratch
            )

        self._in_parts(work, len(at), 32 * PANEL)
        return found[:, 0], found[:, 1]

    def solve(self, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """K·x for the columns of x (n, b), in their precision."""
        return conjugate_gradients(*self._matrix, x)

    def some_rows(self, at: IntArray) -> SparseCovariance:
        """Rows of K near their vertices."""
        return self._pushed(at, np.full(len(at), -1), np.zeros(len(at)))

    def without(
        self, rows: CovarianceRows, places: IntArray, queries: IntArray, block: FloatArray, others: IntArray
    ) -> FloatArray:
        """(q, c) entries K′_ik at candidates, of the Gaussian without the edge (i, j) of each query.

        Pushed from i anew, without that edge. Taken from rows i and j, what each of them leaves out would not
        cancel, and would tell where the edge was.
        """
        i, j = queries.T
        own = self._pushed(i, j, block[:, 0, 0])
        return own[np.arange(len(i))[:, None], others]

    def rest_without(self, ends: FloatArray, queries: IntArray, strength: FloatArray) -> FloatArray:
        """(q,) 1 − a·b_eᵀ·K·b_e of the edge e of each query, from K_ii, K_ij, K_jj (q, 3) and a (q,).

        It is 1/(1 + a·R′) with R′ = b_eᵀ·K′·b_e. What pushes leave out of `ends` makes it larger: where an
        edge is strong, many times. But R′ is at least 1/J′_ii + 1/J′_jj, of the diagonal without the edge, as
        no entry of J′ joins its ends, and at most 1/h_i + 1/h_j.
        """
        (here, between, there), (i, j) = ends.T, queries.T
        least = 1 / (self._total[i] - strength) + 1 / (self._total[j] - strength)
        most = 1 / self.diagonal[i] + 1 / self.diagonal[j]
        found = 1 - strength * (here + there - 2 * between)
        return np.clip(found, 1 / (1 + strength * most), 1 / (1 + strength * least))

    def without_each(self, i: int, j: int, edges: IntArray) -> tuple[float, FloatArray]:
        """K_ij, and (k,) what it is without each of these edges, which are i's or j's, in turn.

        K′_ij = K_ij + s·c_i·c_j with c = K·b_e, of columns i and j, which are solved for, s = a·(1 + a·R′),
        R′ = b_eᵀ·K′·b_e. The last is pushed anew from both ends, without the edge: of 1 − a·b_eᵀ·c errors
        alone are left where an edge is strong. What pushes leave out makes R′ smaller, so that no change is
        told too large. A K_ij that the solve does not tell from zero is zero.
        """
        unit = np.zeros((self.n_vertices, 2))
        unit[[i, j], [0, 1]] = 1
        columns = self.solve(unit)
        covariance = float(columns[i, 1])
        if covariance * self.diagonal.min() <= CERTAIN:
            return 0.0, np.zeros(len(edges))
        u, v = self.edges[edges].T
        a, change = self.strength[edges], columns[u] - columns[v]  # c_i, c_j
        s = a * (1 + a * self._apart(edges))
        return covariance, np.maximum(covariance + s * change[:, 0] * change[:, 1], 0)

    def _apart(self, edges: IntArray) -> FloatArray:
        """(k,) variance of what the ends of each edge differ by in the Gaussian without it, from below."""
        out = np.empty(len(edges))
        for first in range(0, len(edges), ROWS // 2):
            own = edges[first : first + ROWS // 2]
            (u, v), count = self.edges[own].T, len(own)
            rows = self._pushed(np.append(u, v), np.append(v, u), np.tile(self.strength[own], 2))
            places = np.arange(2 * count).reshape(2, count).T
            here, between, there = rows.ends(places, self.edges[own]).T
            out[first : first + count] = here + there - 2 * between
        return out

    def _pushed(self, at: IntArray, partners: IntArray, less: FloatArray) -> SparseCovariance:
        parts: dict[int, Any] = {}

        def work(first: int, last: int, scratch: Scratch) -> None:
            part = slice(first, last)
            given = at[part], partners[part], less[part], self.effort, LEAST, scratch
            parts[first] = push_rows(*self._matrix, self.diagonal, *given)

        self._in_parts(work, len(at), PANEL)
        begin, *found = zip(*(parts[first] for first in sorted(parts)), strict=True)
        length = np.concatenate([np.diff(each) for each in begin])
        start = np.concatenate([[0], np.cumsum(length)])
        return SparseCovariance(self.n_vertices, start, *(np.concatenate(each) for each in found))

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n) rows of K, zero where nothing was pushed to."""
        return self.some_rows(at).dense()

    def entries(self, i: IntArray, j: IntArray) -> FloatArray:
        """(k,) entries of K at pairs: the larger of what the rows of both say, as neither says too much."""
        out = np.zeros(len(i))
        for here, there in ((i, j), (j, i)):
            sources, which = np.unique(here, return_inverse=True)
            for first in range(0, len(sources), ROWS):
                rows = self.some_rows(sources[first : first + ROWS])
                own = np.flatnonzero((which >= first) & (which < first + ROWS))
                out[own] = np.maximum(out[own], rows[which[own] - first, there[own]])
        return out

    def energy(self, x: FloatArray) -> FloatArray:
        """(b,) xᵀ·J·x of the columns of x (n, b)."""
        return energy(self.diagonal, self.edges, self.strength, x)

    @property
    def row_bytes(self) -> int:
        """About how much memory a row of `some_rows` takes at most: the last vertex may have any degree."""
        largest = int(np.diff(self.neighbours.start).max(initial=0))
        return 100 * min(self.n_vertices, self.effort + largest)

    def _in_parts(self, work: Callable[[int, int, Scratch], None], count: int, size: int) -> None:
        """`work(first, last, scratch)` over parts of a fixed size, by whichever thread is free."""
        held: dict[int, Scratch] = {}

        def task(first: int) -> Callable[[int], None]:
            def run(slot: int) -> None:
                if slot not in held:
                    held[slot] = Scratch.of(self.n_vertices)
                work(first, min(first + size, count), held[slot])

            return run

        run_tasks([task(first) for first in range(0, max(count, 1), size)], n_threads())

    # ------------------------------------------------------------------ what only a factorisation knows

    @property
    def along(self) -> FloatArray:
        """Entries of K at all edges."""
        raise _refused("correlations of all edges")

    @property
    def log_determinant(self) -> float:
        """log det J."""
        raise _refused("densities and entropy")

    def correlate(self, noise: FloatArray) -> FloatArray:
        """Draws made of standard normals."""
        raise _refused("samples")


def _refused(what: str) -> PosteriorError:
    return PosteriorError(
        f"{what} need a factorised precision, and solver='local' makes none: fit with solver='exact', on "
        "fewer vertices if it does not fit the memory."
    )
