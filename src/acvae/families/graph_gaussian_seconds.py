"""About how long a fit of GraphGaussian takes, stage by stage: what its progress begins with.

Constants were read off fits on two cores (`benchmarks/graph_gaussian_cost.py`). They need not be right: the
time left goes by the pace as soon as there is one.
"""

from __future__ import annotations

from acvae.gaussian.graph.solver import Solver

__all__ = ["once_ordered", "seconds_before"]

GAUSSIANS = {True: 6, False: 2}  # that "scales" makes, with and without a choice
ROWS = 20_000  # of K that leave-one-out asks for, at most


def seconds_before(n: int, m: int, stored: int) -> dict[str, float]:
    """From n vertices, m edges and so many stored numbers of the features, before anything is known."""
    return {
        "evidence": 0.2 + 1.5e-6 * stored,
        "elimination": 0.1 + 1.5e-5 * m,
        "scales": 1.0 + 6e-4 * n,
        "leave-one-out": 2.0 + 1e-3 * n,
        "head": 3.0,
        "probabilities": 1.0 + 4e-6 * n,
    }


def once_ordered(solver: Solver, n: int, *, choosing: bool) -> dict[str, float]:
    """Of the two stages whose length is that of the dense core, or of rows by push."""
    if solver.restricts:
        return {"scales": 10 + 5e-5 * n, "leave-one-out": 75 + 1e-4 * n}
    factor, row = solver.seconds, solver.row_seconds
    return {
        "scales": 1 + 4e-4 * n + GAUSSIANS[choosing] * (factor + 256 * row),
        "leave-one-out": 2 + 1e-3 * n + 2 * min(n, ROWS) * row,
    }
