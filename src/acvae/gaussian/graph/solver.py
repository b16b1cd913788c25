"""How the Gaussians on a graph are held: factorised, or asked near the vertices in question.

    exact   elimination with a dense core: every query is exact; memory of a few matrices of the core's size
    local   nothing factorised: rows by push with a bound, means by conjugate gradients; memory of the edges

Whoever has a solver asks it for Gaussians and does not look which it is.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from acvae._util.checks import choice
from acvae._util.memory import available_memory
from acvae.exceptions import PosteriorError
from acvae.forests.elimination import Elimination, TooLargeError, eliminate, seconds_for
from acvae.gaussian.graph.laplacian import LaplacianGaussian, elimination_of
from acvae.gaussian.graph.local import LocalGaussian, Neighbours
from acvae.gaussian.graph.rows import CovarianceRows

__all__ = [
    "SOLVERS",
    "ExactSolver",
    "Gaussian",
    "LocalSolver",
    "Solver",
    "solver_for",
    "solver_named",
    "solver_of",
]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

SOLVERS = ("auto", "exact", "local")
# "auto" does not try to eliminate beyond these: edges, joined neighbours of eliminated vertices, and vertices
# of the core, above which rows of K are quicker by push.
MOST_EDGES, MOST_JOINED, MOST_CORE = 3_000_000, 300_000_000, 16_000
MATRICES = 6  # of the core's size that a fit at two scales holds at a time
SHARE = 0.6  # of the memory


class Gaussian(Protocol):
    """What statistics and joints ask of N(0, J⁻¹)."""

    rounding: float
    diagonal: FloatArray
    edges: IntArray
    strength: FloatArray

    @property
    def variance(self) -> FloatArray:
        """(n,) diagonal of K."""

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""

    @property
    def row_bytes(self) -> int:
        """About how much memory a row of `some_rows` takes at most."""

    def variances(self, at: IntArray) -> tuple[FloatArray, FloatArray]:
        """(b,) entries of the diagonal, and by how much each may be off at most."""

    def solve(self, x: FloatArray) -> FloatArray:
        """K·x for the columns of x (n, b)."""

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n) rows of K."""

    def some_rows(self, at: IntArray) -> CovarianceRows:
        """Rows of K to look entries up in."""

    def entries(self, i: IntArray, j: IntArray) -> FloatArray:
        """(k,) entries of K at pairs."""

    def without(
        self, rows: CovarianceRows, places: IntArray, queries: IntArray, block: FloatArray, others: IntArray
    ) -> FloatArray:
        """(q, c) entries K′_ik at candidates, without the edge (i, j) of each query.

        `rows` hold those of both ends at `places` (q, 2), `block` (q, 2, 2) is what the edges add to J.
        """

    def rest_without(self, ends: FloatArray, queries: IntArray, strength: FloatArray) -> FloatArray:
        """(q,) 1 − a·b_eᵀ·K·b_e of the edge e of each query, from K_ii, K_ij, K_jj (q, 3) and a (q,)."""

    def without_each(self, i: int, j: int, edges: IntArray) -> tuple[float, FloatArray]:
        """K_ij, and (k,) what it is without each of these edges, which are i's or j's, in turn."""

    def energy(self, x: FloatArray) -> FloatArray:
        """(b,) xᵀ·J·x of the columns of x (n, b)."""

    # What only a factorisation knows; without one, an error that says so.

    @property
    def along(self) -> FloatArray:
        """(m,) entries of K at the edges."""

    @property
    def log_determinant(self) -> float:
        """log det J."""

    def correlate(self, noise: FloatArray) -> FloatArray:
        """Draws (n, b) made of standard normals (n, b)."""


class Solver(Protocol):
    """Makes Gaussians on one graph."""

    name: str
    edges: IntArray  # (m, 2)
    restricts: bool  # whether rows are known near their vertices only

    @property
    def seconds(self) -> float:
        """About how long one takes to make."""

    @property
    def row_seconds(self) -> float:
        """About how long a row of one takes, where that goes by a factor."""

    def gaussian(
        self, diagonal: FloatArray, strength: FloatArray, variance: FloatArray | None = None
    ) -> Gaussian:
        """The one with this diagonal (n,) and these strengths (m,); its variances, if they are known."""


class ExactSolver:
    """Factorises, along one order of elimination."""

    name, restricts = "exact", False

    def __init__(self, n_vertices: int, edges: IntArray, order: Elimination | None = None) -> None:
        self.edges = edges
        self.order = elimination_of(n_vertices, edges) if order is None else order

    @property
    def seconds(self) -> float:
        """By the size of the dense core."""
        return seconds_for(self.order.core_size)

    @property
    def row_seconds(self) -> float:
        """The square of the core's size, multiplications."""
        return self.seconds / max(self.order.core_size, 1)

    def gaussian(
        self, diagonal: FloatArray, strength: FloatArray, variance: FloatArray | None = None
    ) -> LaplacianGaussian:
        """Factorised."""
        return LaplacianGaussian(diagonal, self.edges, strength, self.order)


class LocalSolver:
    """Holds neighbour lists alone."""

    name, restricts = "local", True

    def __init__(self, n_vertices: int, edges: IntArray, neighbours: Neighbours | None = None) -> None:
        self.edges = edges
        self._neighbours = Neighbours.of(n_vertices, edges) if neighbours is None else neighbours

    @property
    def seconds(self) -> float:
        """Nothing to speak of."""
        return 0.0

    @property
    def row_seconds(self) -> float:
        """By push, whatever the size."""
        return 0.0

    def gaussian(
        self, diagonal: FloatArray, strength: FloatArray, variance: FloatArray | None = None
    ) -> LocalGaussian:
        """Not factorised."""
        return LocalGaussian(diagonal, self.edges, strength, self._neighbours, variance)


def solver_named(name: str, n_vertices: int, edges: IntArray) -> Solver:
    """ "exact" or "local"."""
    if name not in SOLVERS[1:]:
        raise PosteriorError(f"there is no solver {str(name)[:40]!r}; there are exact and local.")
    return LocalSolver(n_vertices, edges) if name == "local" else ExactSolver(n_vertices, edges)


def solver_of(gaussian: Gaussian) -> Solver:
    """One like that which made a Gaussian, without what took it time: an order, or neighbour lists."""
    n, edges = gaussian.n_vertices, gaussian.edges
    if isinstance(gaussian, LocalGaussian):
        return LocalSolver(n, edges, gaussian.neighbours)
    return ExactSolver(n, edges, gaussian.order if isinstance(gaussian, LaplacianGaussian) else None)


def solver_for(wish: str, n_vertices: int, edges: IntArray) -> Solver:
    """The one that is wished for; "auto" is exact where that fits memory and patience, else local.

    The memory that the exact way takes is known from the graph alone, before it is taken.
    """
    choice("solver", wish, SOLVERS)
    if wish != "auto":
        return solver_named(wish, n_vertices, edges)
    if len(edges) > MOST_EDGES:
        return LocalSolver(n_vertices, edges)
    try:
        order = eliminate(n_vertices, edges, matrices=1, most_joined=MOST_JOINED)
    except TooLargeError:
        return LocalSolver(n_vertices, edges)
    free = available_memory()
    need = 8 * MATRICES * order.core_size**2
    if order.core_size > MOST_CORE or (free is not None and need > SHARE * free):
        return LocalSolver(n_vertices, edges)
    return ExactSolver(n_vertices, edges, order)
