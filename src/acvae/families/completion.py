"""Features that are missing, expected from those of others: every feature a Gaussian field on the graph.

    x_if = μ_f + s_f·(z_i + noise),   z ~ N(0, (I + L)⁻¹),   noise of precision c
    K = (I + L + diag(c))⁻¹,   E[x_i] = μ + Σ_k K_ik·c_k·(x_k − μ),   var[x_if] = s_f²·(K_ii + 1/c)

with c_k = 0 where a vertex has no features, and μ the mean of those that have. L is the Laplacian of edges of
strength a·w_e/(d_i·d_j)^p, d the degrees: with p > 0 a hub among the neighbours says less. How loudly
neighbours are heard, how far features are believed and how much less hubs say, a, c and p, are those under
which the features of vertices are best expected from all others'. Each is left out in closed form:

    E[x_i] without x_i = μ + (E[x_i] − μ − c·K_ii·(x_i − μ))/(1 − c·K_ii),   var = s²/(c·(1 − c·K_ii))
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.memory import available_memory
from acvae.exceptions import FeatureError
from acvae.families.columns import by_columns
from acvae.gaussian.graph.leave_one_out import held_out_evidence
from acvae.gaussian.graph.solver import Gaussian, LocalSolver, Solver

__all__ = ["Completion", "choose_completion"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Setting = tuple[int, ...]  # places in the lists of what is tried

# What is tried: c, a times the mean degree, p; and where the search begins.
PRECISIONS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
SCALES = (1.0, 3.0, 10.0, 30.0, 100.0)
HUBS = (0.0, 0.5, 1.0)
BEGIN = (3, 2, 1)
ENOUGH = 20  # vertices with features below which there is nothing to choose by
FACTORISED = 5_000  # vertices up to which what is tried is factorised
SAMPLE, ON_LARGE, ENTRIES = 400, 150, 20_000_000  # vertices that are left out; how many numbers that may be
PRIOR = 20  # vertices that all features together count for in the variance of one
PANEL = 256  # rows or columns solved for at a time
TINY = 1e-300


class Completion:
    """Expected features of vertices, and their spread.

    Parameters
    ----------
    gaussian, precision
        N(0, K), and c.
    features, seen
        (n, D) sparse or dense, and which rows (n,) of them count.
    seed, sample
        Which vertices are left out to tell s and `error`, and how many.
    """

    def __init__(
        self,
        gaussian: Gaussian,
        precision: float,
        features: Any,
        seen: BoolArray,
        seed: int = 0,
        sample: int = SAMPLE,
    ) -> None:
        self.gaussian, self.precision = gaussian, precision
        self._ids: IntArray = np.flatnonzero(seen)
        self._columns = by_columns(_rows(features, self._ids))
        self._mean = self._columns.mean
        self._sample = _sample(self._ids, min(sample, ENTRIES // max(1, len(self._mean)) + 1), seed)
        self._left_out, variance = self._without_own(self._sample)
        error = ((self._own() - self._left_out) ** 2 / variance[:, None]).sum(axis=0)
        spread = self._columns.variance
        usual = error.sum() / max(len(variance) * spread.sum(), TINY) * spread
        self._deviation: FloatArray = np.sqrt((error + PRIOR * usual) / (len(variance) + PRIOR))

    def __call__(self, vertices: IntArray) -> tuple[FloatArray, FloatArray]:
        """(r, D) expectations, and standard deviations of the features themselves."""
        width = len(self._mean)
        free, need = available_memory(), 3 * 8 * len(vertices) * width
        if free is not None and need > 0.8 * free:
            raise FeatureError(
                f"{len(vertices):,} rows of {width:,} expected features take {need / 1e9:.1f} GB, and "
                f"{free / 1e9:.1f} GB are free; ask for fewer rows at a time."
            )
        by_rows = len(vertices) <= width
        found, variance = self._by_rows(vertices) if by_rows else self._by_columns(vertices)
        found += self._columns.level
        return found, np.sqrt(variance + 1 / self.precision)[:, None] * self._deviation

    @property
    def error(self) -> float:
        """How far vertices that are left out are from what was expected.

        Where features are what a vertex has or has not, one less the mean nDCG of those it has, in the order
        of what was expected; else the mean square, relative to each feature's variance. Features that do not
        vary have no part in it.
        """
        varies = self._columns.varies
        own, left_out = (part[:, varies] for part in (self._own(), self._left_out))
        if not own.size:
            return 0.0
        level = self._columns.level[varies]
        given = own + level
        if given.any() and given.min() >= 0 and (given == 0).mean() > 0.5:
            return 1 - float(_ndcg(left_out + level, given != 0).mean())
        return float((((own - left_out) ** 2) / self._columns.variance[varies]).mean())

    def _own(self) -> FloatArray:
        return self._dense(np.searchsorted(self._ids, self._sample))

    def _without_own(self, vertices: IntArray) -> tuple[FloatArray, FloatArray]:
        """(s, D) what is expected of vertices with features without their own, and (s,) its variance/s².

        Relative to the columns' levels, as all that is computed here.
        """
        found, variance = self._by_rows(vertices)
        own = self._dense(np.searchsorted(self._ids, vertices)) - self._mean
        precision = np.full(len(vertices), self.precision)
        held_out = held_out_evidence(found - self._mean, variance, own, precision)
        return self._mean + held_out.mean, held_out.variance

    def _by_rows(self, vertices: IntArray) -> tuple[FloatArray, FloatArray]:
        """Expectations and K_ii, by a solve for every vertex."""
        found, variance = np.empty((len(vertices), len(self._mean))), np.empty(len(vertices))
        for first in range(0, len(vertices), PANEL):
            own = vertices[first : first + PANEL]
            unit = np.zeros((self.gaussian.n_vertices, len(own)))
            unit[own, np.arange(len(own))] = 1
            columns = self.gaussian.solve(unit)
            part = slice(first, first + len(own))
            variance[part] = columns[own].diagonal()
            share = self.precision * columns[self._ids].T
            found[part] = share @ self._columns.table + (1 - share.sum(axis=1))[:, None] * self._mean
        return found, variance

    def _by_columns(self, vertices: IntArray) -> tuple[FloatArray, FloatArray]:
        """The same by a solve for every feature."""
        found = np.empty((len(vertices), len(self._mean)))
        for first in range(0, len(self._mean), PANEL):
            part = slice(first, first + PANEL)
            pull = np.zeros((self.gaussian.n_vertices, len(self._mean[part])))
            pull[self._ids] = self.precision * (self._dense(slice(None), part) - self._mean[part])
            found[:, part] = self._mean[part] + self.gaussian.solve(pull)[vertices]
        return found, self.gaussian.variances(vertices)[0]

    def _dense(self, rows: Any, columns: slice = slice(None)) -> FloatArray:
        part = self._columns.table[rows][:, columns]
        return np.asarray(part.toarray() if sp.issparse(part) else part, dtype=np.float64)


def choose_completion(
    solver: Solver, weights: FloatArray, features: Any, seen: BoolArray, seed: int = 0
) -> Completion:
    """The one of least error along one of a, c and p after the other.

    For features (n, D) of the vertices `seen` (n,), and weights (m,) of the edges, one on average. On large
    graphs nothing is factorised but in the end.
    """
    n = len(seen)
    degree = np.bincount(solver.edges.ravel(), minlength=n).astype(np.float64)
    ends = degree[solver.edges].prod(axis=1)
    linked = max(1, int((degree > 0).sum()))

    def completion(at: Setting, by: Solver) -> Completion:
        c, scale, p = PRECISIONS[at[0]], SCALES[at[1]], HUBS[at[2]]
        strength = weights / ends**p
        strength *= scale * linked / max(2 * strength.sum(), TINY)
        return Completion(
            by.gaussian(1 + c * seen.astype(np.float64), strength), c, features, seen, seed, sample
        )

    trial, sample = (solver, SAMPLE) if n <= FACTORISED else (LocalSolver(n, solver.edges), ON_LARGE)

    @cache
    def error(at: Setting) -> float:
        return completion(at, trial).error

    best: Setting = BEGIN
    last: Setting | None = None
    if seen.sum() >= ENOUGH and len(weights):
        while best != last:
            last = best
            for axis, size in enumerate((len(PRECISIONS), len(SCALES), len(HUBS))):
                near = range(max(0, best[axis] - 1), min(size, best[axis] + 2))
                best = min(((*best[:axis], k, *best[axis + 1 :]) for k in near), key=error)
    return completion(best, solver)


def _ndcg(values: FloatArray, relevant: BoolArray) -> FloatArray:
    """(r,) of rows that have a relevant column: Σ 1/log2(1 + place) of these, relative to the best."""
    some = relevant.any(axis=1)
    order = np.argsort(-values[some], axis=1, kind="stable")
    hit = np.take_along_axis(relevant[some], order, axis=1)
    gain = 1 / np.log2(np.arange(2, values.shape[1] + 2))
    return np.asarray((hit @ gain) / np.cumsum(gain)[hit.sum(axis=1) - 1])


def _rows(features: Any, ids: IntArray) -> Any:
    """Those rows; of a sparse table as CSR, every place stored once."""
    if not sp.issparse(features):
        return np.asarray(features)[ids]
    rows = sp.csr_array(features)[ids]
    rows.sum_duplicates()
    return rows


def _sample(ids: IntArray, size: int, seed: int) -> IntArray:
    if len(ids) <= size:
        return ids
    return np.sort(np.random.default_rng(seed).choice(ids, size, replace=False))
