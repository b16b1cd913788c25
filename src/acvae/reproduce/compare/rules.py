"""Rules that score a pair without training, from the train graph or from the features.

A is the adjacency matrix, N(i) the neighbours of i and d_i their number. Every rule is a `Scores`: rows are
made when asked for, and nothing of n² numbers is kept.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from acvae._util.checks import choice, real_number
from acvae.exceptions import FeatureError
from acvae.graph import Graph
from acvae.reproduce.compare.chebyshev import solve
from acvae.reproduce.compare.ranking import IntArray, Scores

__all__ = [
    "adamic_adar",
    "common_neighbours",
    "cosine",
    "katz",
    "pagerank",
    "preferential_attachment",
    "resource_allocation",
    "with_cosine",
]

FLOOR = 1e-6  # of the row's largest score, where a logarithm is taken


def common_neighbours(graph: Graph, seed: int = 0) -> Scores:
    """|N(i) ∩ N(j)|."""
    return _two_steps(graph, np.ones(graph.n_vertices), seed)


def adamic_adar(graph: Graph, seed: int = 0) -> Scores:
    """Σ 1/log d_u over the common neighbours u."""
    # A common neighbour of two vertices has degree two at least; the others never count.
    return _two_steps(graph, 1 / np.log(np.maximum(graph.degrees, 2)), seed)


def resource_allocation(graph: Graph, seed: int = 0) -> Scores:
    """Σ 1/d_u over the common neighbours u."""
    return _two_steps(graph, 1 / np.maximum(graph.degrees, 1), seed)


def preferential_attachment(graph: Graph, seed: int = 0) -> Scores:
    """d_i·d_j: in a row, the popular ones first."""
    degree = graph.degrees.astype(np.float64)
    return Scores(graph.n_vertices, lambda rows: degree[rows, None] * degree, seed=seed)


def katz(graph: Graph, strength: float = 0.5, seed: int = 0) -> Scores:
    """Σ_l β^l·(walks of length l from i to j) = ((I − βA)⁻¹ − I)_ij, solved.

    `strength` is β·λ, where λ is the largest eigenvalue of A; the sum is finite below 1.
    """
    strength = real_number("strength", strength, above=0, below=1)
    adjacency = adjacency_of(graph)
    n = graph.n_vertices
    if graph.n_edges == 0:
        return Scores(n, lambda rows: np.zeros((len(rows), n)), seed=seed)
    largest = _largest_eigenvalue(adjacency)
    scaled = adjacency * (strength / largest)

    def score(rows: IntArray) -> npt.NDArray[np.float64]:
        start = _unit(n, rows)
        return np.ascontiguousarray((solve(scaled, start, strength) - start).T)

    return Scores(n, score, seed=seed)


def pagerank(graph: Graph, restart: float = 0.15, seed: int = 0) -> Scores:
    """Share of time that a walk from i, restarted with probability `restart` a step, spends at j.

    Row i of r·(I − (1−r)·D⁻¹A)⁻¹, through the symmetric S = D^−½·A·D^−½, whose eigenvalues lie in [−1, 1]:
    r·d_i^−½·((I − (1−r)·S)⁻¹)_ij·d_j^½.
    """
    restart = real_number("restart", restart, above=0, below=1)
    n = graph.n_vertices
    root = np.sqrt(np.maximum(graph.degrees, 1))
    inverse = sp.diags_array(1 / root)
    symmetric = sp.csr_array((1 - restart) * (inverse @ adjacency_of(graph) @ inverse))

    def score(rows: IntArray) -> npt.NDArray[np.float64]:
        found = solve(symmetric, _unit(n, rows), 1 - restart)
        return np.ascontiguousarray(found.T * root * (restart / root[rows, None]))

    return Scores(n, score, seed=seed)


def cosine(features: Any, weighting: str = "none", seed: int = 0) -> Scores:
    """Cosine of the features of both ends; zero where one has none.

    `weighting="idf"` first multiplies column f by log(n / number of vertices that have f).
    """
    x = _as_csr(features)
    if choice("weighting", weighting, ("none", "idf")) == "idf":
        count = np.bincount(x.indices[x.data != 0], minlength=x.shape[1])
        x = sp.csr_array(x @ sp.diags_array(np.log(x.shape[0] / np.maximum(count, 1))))
    length = np.sqrt(x.multiply(x).sum(axis=1))
    unit = sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-300)) @ x)
    across = sp.csr_array(unit.T)
    dense = unit.nnz > 0.05 * unit.shape[0] * unit.shape[1]  # then plain products are quicker
    table = unit.toarray() if dense else None

    def score(rows: IntArray) -> npt.NDArray[np.float64]:
        if table is not None:
            return table[rows] @ table.T
        return (unit[rows] @ across).toarray()

    return Scores(x.shape[0], score, seed=seed)


def with_cosine(
    rule: Scores, features: Any, weight: float, form: str = "plain", weighting: str = "none", seed: int = 0
) -> Scores:
    """A rule's score s plus `weight` times the cosine of the features.

    `form="plain"` takes s as it is, "row" divides it by the row's largest (the vertex itself left out), "log"
    takes the logarithm of that, with a floor.
    """
    choice("form", form, ("plain", "row", "log"))
    weight = real_number("weight", weight, at_least=0)
    alike = cosine(features, weighting)
    if alike.n_vertices != rule.n_vertices:
        raise FeatureError(
            f"{alike.n_vertices} rows of features for a rule on {rule.n_vertices} vertices; one each."
        )

    def score(rows: IntArray) -> npt.NDArray[np.float64]:
        own = _FORMS[form](np.array(rule.rows(rows), dtype=np.float64), rows)
        return own + weight * alike.rows(rows)

    return Scores(rule.n_vertices, score, seed=seed)


# ---------------------------------------------------------------------- parts


def _per_row(score: npt.NDArray[np.float64], rows: IntArray) -> npt.NDArray[np.float64]:
    score[np.arange(len(rows)), rows] = 0
    largest = score.max(axis=1, keepdims=True)
    return score / np.where(largest > 0, largest, 1)


def _log(score: npt.NDArray[np.float64], rows: IntArray) -> npt.NDArray[np.float64]:
    return np.log(np.maximum(_per_row(score, rows), FLOOR))


_FORMS: dict[str, Callable[[npt.NDArray[np.float64], IntArray], npt.NDArray[np.float64]]] = {
    "plain": lambda score, rows: score,
    "row": _per_row,
    "log": _log,
}


def _two_steps(graph: Graph, weight: npt.NDArray[np.float64], seed: int) -> Scores:
    """A·diag(weight)·A, by rows."""
    adjacency = adjacency_of(graph)
    second = sp.csr_array(sp.diags_array(weight) @ adjacency)
    return Scores(graph.n_vertices, lambda rows: (adjacency[rows] @ second).toarray(), seed=seed)


def adjacency_of(graph: Graph) -> sp.csr_array:
    """0 and 1, whatever weights the edges have: the rules are defined so."""
    return graph.to_scipy(weighted=False).astype(np.float64)


def _largest_eigenvalue(adjacency: sp.csr_array) -> float:
    n = adjacency.shape[0]
    if n < 50:
        return float(np.linalg.eigvalsh(adjacency.toarray())[-1])
    # A little more than what was found, since it must bound the spectrum.
    found = eigsh(adjacency, k=1, which="LA", v0=np.ones(n), return_eigenvectors=False, tol=1e-6)[0]
    return float(found) * (1 + 1e-5)


def _unit(n: int, rows: IntArray) -> npt.NDArray[np.float64]:
    out = np.zeros((n, len(rows)))
    out[rows, np.arange(len(rows))] = 1
    return out


def _as_csr(features: Any) -> sp.csr_array:
    if hasattr(features, "detach"):
        features = features.detach().cpu().numpy()
    x = sp.csr_array(features, dtype=np.float64) if not sp.issparse(features) else sp.csr_array(features)
    if x.ndim != 2:
        raise FeatureError(f"features must be a matrix (n, D), got shape {x.shape}.")
    return x.astype(np.float64)
