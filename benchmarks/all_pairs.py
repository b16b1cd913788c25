"""All-pairs belief propagation and NCRR, against the bare matrix product and a search from each vertex.

    python benchmarks/all_pairs.py [--vertices N] [--dim D] [--repeats R] [--data-root DIR]

On the larger Citation if its files are found, else on a generated graph of the same size. Everything is
streamed in the same blocks of rows; the products run in turns, and ratios are printed with their spread. The
depth-first search is compiled, writes one row at a time, and is timed on a sample of rows.
"""

import argparse
import resource
import time

import numba
import numpy as np

import acvae
from acvae.exceptions import AcvaeError
from acvae.forests import initial_weights
from acvae.forests.path_products import row_products
from ratios import spread

CITATION = 27_769


def make_graph(n: int, data_root: str | None) -> acvae.Graph:
    if n == CITATION:
        try:
            return acvae.datasets.load("citation", root=data_root).graph
        except AcvaeError as error:
            print(f"(a generated graph stands in for Citation: {error})")
    rng = np.random.default_rng(0)
    weight = 1 / np.arange(1, n + 1) ** 0.6  # a few hubs, many small vertices, as citations have
    ends = rng.choice(n, (13 * n, 2), p=weight / weight.sum())
    return acvae.Graph(n, rng.permutation(n)[ends])


def make_posterior(graph: acvae.Graph, d: int, dtype: str = "float32") -> acvae.Posterior:
    rng = np.random.default_rng(1)
    forest = graph.edges[initial_weights(graph, 0).weights > 0]
    n = graph.n_vertices
    rho = rng.uniform(0.3, 0.99, (len(forest), d))
    return acvae.Posterior(rng.normal(size=(n, d)), rng.uniform(0.5, 1.5, (n, d)), forest, rho, dtype=dtype)


def time_of(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@numba.njit(cache=True, nogil=True)
def _row_distance(mean, std, rho, i, out):
    n, d = mean.shape
    for j in range(n):
        total = 0.0
        for k in range(d):
            gap = mean[i, k] - mean[j, k]
            total += gap * gap + std[i, k] ** 2 + std[j, k] ** 2 - 2 * std[i, k] * std[j, k] * rho[j, k]
        out[j] = total


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vertices", type=int, default=CITATION)
    parser.add_argument("--dim", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--data-root")
    options = parser.parse_args()
    graph = make_graph(options.vertices, options.data_root)
    split = acvae.split_edges(graph, seed=0)
    q = make_posterior(split.train, options.dim)
    n, d = q.mean.shape
    blocks = [at for at, _, _ in q.distance_blocks()]  # also builds the tables
    left = np.random.default_rng(2).normal(size=(n, 2 * d)).astype(np.float32)
    buffer = np.empty((max(map(len, blocks)), n), dtype=np.float32)

    def bare() -> None:
        start = 0
        for at in blocks:
            np.matmul(left[start : start + len(at)], left.T, out=buffer[: len(at)])
            start += len(at)

    def propagate() -> None:
        for _ in q.distance_blocks():
            pass

    def evaluate() -> None:
        acvae.metrics.ncrr(q, split.train, split.test)

    bare(), propagate(), evaluate()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = np.array([[time_of(w) for w in (bare, propagate, evaluate)] for _ in range(options.repeats)])
    out = np.empty(n, dtype=np.float32)
    sample = np.linspace(0, n - 1, 40).astype(int)

    def search() -> None:
        for i in sample:
            rho = row_products(q.correlations.rooted, q.correlation, int(i), np.float32)
            _row_distance(q.mean, q.std, rho, int(i), out)

    search()
    searching = time_of(search) * n / len(sample)
    exact = acvae.Posterior(q.mean, q.std, q.forest, q.correlation, dtype="float64").distances(sample)
    error = np.abs(q.distances(sample) - exact).max() / exact.max()
    print(f"n = {n:,}, d = {d}, {split.train.n_edges:,} train and {split.test.n_edges:,} test edges")
    print(f"belief propagation / bare product   {spread(times[:, 1] / times[:, 0])}")
    print(f"NCRR / belief propagation           {spread(times[:, 2] / times[:, 1])}")
    print(f"depth-first search / propagation    {searching / np.median(times[:, 1]):.1f}×")
    print(f"largest error, relative to the largest distance, against float64: {error:.1e}")
    print(f"times: {', '.join(f'{t:.2f} s' for t in np.median(times, axis=0))} (bare, propagation, NCRR)")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"peak memory of the process {peak / 2**20:.2f} GB, n×n would be {4 * n * n / 2**30:.2f} GB more",
        end="",
    )
    print(f"; {(peak - before) / 2**20:.2f} GB of it during the timed runs")


if __name__ == "__main__":
    main()
