"""All-pairs belief propagation and NCRR, against the bare matrix product and a search from each vertex.

    python benchmarks/all_pairs.py [--dim D] [--repeats R] [--data-root DIR]

On the larger Citation if its files are found, else on a generated graph of the same size. Everything is
streamed in the same blocks of rows; the products run in turns, and ratios are printed with their spread. The
depth-first search is compiled, writes one row at a time, and is timed on a sample of rows. Then NCRR once
more on generated graphs of four sizes, to see how its cost grows.
"""

import argparse
import resource
import time

import numba
import numpy as np
from threadpoolctl import threadpool_info

import acvae
from acvae.exceptions import AcvaeError
from acvae.forests import initial_weights
from acvae.gaussian.forest.path_products import row_products
from ratios import Line, spread, store

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
    parser.add_argument("--dim", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--data-root")
    options = parser.parse_args()
    graph = make_graph(CITATION, options.data_root)
    split = acvae.split_edges(graph, seed=0)
    q = make_posterior(split.train, options.dim)
    loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
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

    def ask_for_rows() -> None:
        for start in range(0, n, 512):
            q.distances(np.arange(start, min(start + 512, n)))

    def evaluate() -> None:
        acvae.metrics.ncrr(q, split.train, split.test)

    works = (bare, propagate, evaluate, ask_for_rows)
    for work in works:
        work()
    times = np.array([[time_of(work) for work in works] for _ in range(options.repeats)])
    out = np.empty(n, dtype=np.float32)
    sample = np.linspace(0, n - 1, 40).astype(int)

    def search() -> None:
        for i in sample:
            rho = row_products(q.joint.rooted, q.joint.correlation, int(i), np.float32)
            _row_distance(q.mean, q.std, rho, int(i), out)

    search()
    searching = time_of(search) * n / len(sample)
    exact = acvae.Posterior(q.mean, q.std, q.forest, q.joint.correlation, dtype="float64").distances(sample)
    error = np.abs(q.distances(sample) - exact).max() / exact.max()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    propagation, ranking = times[:, 1] / times[:, 0], times[:, 2] / times[:, 1]
    asked = times[:, 3] / times[:, 0]
    deeper = searching / np.median(times[:, 1])
    extra = (peak - loaded) / 2**20
    store(
        "all_pairs",
        f"All-pairs belief propagation and NCRR (n = {n:,}, d = {d}, {split.train.n_edges:,} train edges)",
        [
            Line(
                "belief propagation / bare product", spread(propagation), "≤ 2×", np.median(propagation) <= 2
            ),
            Line(
                "distances(rows), 512 at a time / bare product",
                spread(asked),
                "≤ 2.3×",
                np.median(asked) <= 2.3,
            ),
            Line("search from each vertex / belief propagation", f"{deeper:.0f}×", "≥ 5×", deeper >= 5),
            Line("NCRR / belief propagation", spread(ranking), "≤ 2×", np.median(ranking) <= 2),
            Line("largest error against float64, relative", f"{error:.1e}", "≤ 1e−5", error <= 1e-5),
            Line("memory beyond the loaded data, tables included", f"{extra:.2f} GB", "< 1 GB", extra < 1),
            *growth(options.dim, options.repeats),
        ],
        note="The bare product is one float32 product of the same shape (n×2d by 2d×n), streamed in the same "
        "blocks. The error is relative to the largest distance. The search is timed on 40 rows. "
        f"Kernels of BLAS: {kernels()}.",
    )


def kernels() -> str:
    """What BLAS was built for, or told to take (OPENBLAS_CORETYPE), on this machine."""
    found = {f"{one['internal_api']} {one.get('architecture', '')}" for one in threadpool_info()}
    return ", ".join(sorted(name.strip() for name in found if "blas" in name))


def growth(d: int, repeats: int) -> list[Line]:
    """NCRR's time per n²·d at four sizes, relative to the smallest."""
    lines, first = [], 0.0
    for n in (4_000, 8_000, 16_000, 32_000):
        split = acvae.split_edges(make_graph(n, None), seed=0)
        q = make_posterior(split.train, d)
        acvae.metrics.ncrr(q, split.train, split.test)
        least = min(
            time_of(lambda q=q, s=split: acvae.metrics.ncrr(q, s.train, s.test)) for _ in range(repeats)
        )
        first = first or least / n**2
        lines.append(
            Line(f"NCRR's time over n²·d at n = {n:,}", f"{least / n**2 / first:.2f} of that at 4,000")
        )
    return lines


if __name__ == "__main__":
    main()
