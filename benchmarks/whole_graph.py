"""Exact distances of all pairs under the joint on a whole graph: ours against dense inverses and SciPy's LU.

    python benchmarks/whole_graph.py [--data debian citation-1998 epinions-tang citation] [--repeats R]

The joint is a sparse precision in each dimension, all of the same pattern. What anyone can do is to invert
each as a dense matrix, with n² numbers in memory, or to solve with SciPy's sparse LU, row after row. All
three give the same distances, of 4 dimensions here. The limit is what a dense inverse costs at the very
least: one bare matrix product of its size. Data sets that are not at hand are left out. Of those with more
than 10,000 vertices only the size of the core is told, and LU, which takes minutes, is left out from 5,000
on.
"""

import argparse
import time
from contextlib import suppress

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

import acvae
from acvae.exceptions import AcvaeError
from acvae.forests.elimination import eliminate
from ratios import Line, apart, peak_memory, spread, store

DIMENSIONS = 4
LARGE, LARGE_FOR_LU = 10_000, 5_000
BLOCK = 512


def problem(name: str):
    """Train graph, its weights, and correlations that differ from edge to edge."""
    graph = acvae.split_edges(acvae.datasets.load(name).graph, seed=0).train
    rho = np.random.default_rng(0).uniform(0.6, 0.9, (graph.n_edges, DIMENSIONS))
    return graph, acvae.spanning_tree_probabilities(graph), rho


def precisions(graph, weights, rho):
    """A sparse matrix per dimension."""
    n = graph.n_vertices
    u, v = graph.edges.T
    for r in rho.T:
        own, off = weights * r**2 / (1 - r**2), -weights * r / (1 - r**2)
        diagonal = 1 + np.bincount(u, own, n) + np.bincount(v, own, n)
        half = sp.coo_array((off, (u, v)), shape=(n, n))
        yield sp.csc_array(half + half.T + sp.diags_array(diagonal))


def ours(graph, weights, rho, use) -> None:
    n = graph.n_vertices
    shape = (n, DIMENSIONS)
    q = acvae.Posterior.on_graph(np.zeros(shape), np.ones(shape), graph, rho, weights)
    for rows, columns, block in q.distance_blocks():
        use(rows, columns, block)


def by_inverse(graph, weights, rho, use) -> None:
    n = graph.n_vertices
    total = np.zeros((n, n))
    for precision in precisions(graph, weights, rho):
        covariance = np.linalg.inv(precision.toarray())
        std = np.sqrt(covariance.diagonal())
        covariance /= std
        covariance /= std[:, None]
        np.subtract(1, covariance, out=covariance)
        total += 2 * covariance
    use(np.arange(n), np.arange(n), total)


def by_lu(graph, weights, rho, use) -> None:
    n = graph.n_vertices
    solvers = [splu(precision) for precision in precisions(graph, weights, rho)]
    variances = []
    for solver in solvers:  # all rows once for their variances, which LU has no shorter way to
        parts = [solver.solve(unit(n, at))[at, np.arange(len(at))] for at in chunks(n)]
        variances.append(np.concatenate(parts))
    for at in chunks(n):
        total = np.zeros((n, len(at)))
        for solver, variance in zip(solvers, variances, strict=True):
            covariance = solver.solve(unit(n, at))
            total += 2 - 2 * covariance / np.sqrt(variance[:, None] * variance[at])
        use(at, np.arange(n), total.T)


def chunks(n: int) -> list[np.ndarray]:
    return [np.arange(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]


def unit(n: int, at: np.ndarray) -> np.ndarray:
    out = np.zeros((n, len(at)))
    out[at, np.arange(len(at))] = 1
    return out


def nothing(rows, columns, block) -> None:
    """What is measured is making the distances."""


def largest_gap(name: str) -> float:
    """Largest difference between our distances and the inverses', in single precision of values up to 8."""
    given = problem(name)
    n = given[0].n_vertices
    expected, gap = np.empty((n, n)), [0.0]

    def keep(rows, columns, block) -> None:
        expected[np.ix_(rows, columns)] = block

    def compare(rows, columns, block) -> None:
        gap[0] = max(gap[0], float(np.abs(expected[np.ix_(rows, columns)] - block).max()))

    by_inverse(*given, keep)
    ours(*given, compare)
    return gap[0]


def peak(name: str, method) -> float:
    """Largest resident memory of a process beyond what it had with the problem loaded, in bytes."""
    given = problem(name)
    before = peak_memory()
    method(*given, nothing)
    return peak_memory() - before


def timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def core(name: str) -> Line:
    """What is left when vertices of small degree are eliminated, and what it takes in ten dimensions."""
    graph = acvae.split_edges(acvae.datasets.load(name).graph, seed=0).train
    size = eliminate(graph.n_vertices, graph.edges).core_size
    memory = 10 * 8 * size**2 / 1e9
    figure = f"{size:,} vertices; {memory:.2f} GB in ten dimensions"
    return Line(f"{name} (n = {graph.n_vertices:,}): dense core", figure)


def run(name: str, repeats: int) -> list[Line]:
    given = problem(name)
    n = given[0].n_vertices
    square = np.random.default_rng(0).random((n, n))
    ours(*given, nothing)  # compiles
    times = np.array(
        [
            [
                timed(lambda: ours(*given, nothing)),
                timed(lambda: by_inverse(*given, nothing)),
                timed(lambda: by_lu(*given, nothing)) if n <= LARGE_FOR_LU else np.nan,
                DIMENSIONS * timed(lambda: square @ square),
            ]
            for _ in range(repeats)
        ]
    ).T
    memory = [apart(peak, name, method) / 1e9 for method in (ours, by_inverse)]
    label = f"{name} (n = {n:,})"
    lu = [Line(f"{label}: SciPy's sparse LU / ours", spread(times[2] / times[0]))]
    return [
        Line(f"{label}: dense inverses / ours", spread(times[1] / times[0])),
        *(lu if n <= LARGE_FOR_LU else []),
        Line(f"{label}: bare products of an inverse's size / ours", spread(times[3] / times[0])),
        Line(f"{label}: peak memory, ours and dense inverses", f"{memory[0]:.2f} and {memory[1]:.2f} GB"),
        Line(f"{label}: largest difference of distances", f"{apart(largest_gap, name):.0e}"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", default=["debian", "citation-1998", "epinions-tang", "citation"])
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    lines = []
    for name in args.data:
        with suppress(AcvaeError):
            lines.append(core(name))
            if acvae.datasets.load(name).graph.n_vertices <= LARGE:
                lines += run(name, args.repeats)
    store(
        "whole_graph",
        f"All pairs under the joint on a whole graph ({DIMENSIONS} dimensions)",
        lines,
        note="Train graphs of the data sets. A matrix product of an inverse's size is what any dense way "
        "costs at least, in each dimension; ours never makes one, since most vertices are eliminated as in "
        "sparse Gaussian elimination.",
    )


if __name__ == "__main__":
    main()
