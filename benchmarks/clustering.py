"""Complete linkage in bounded memory, against all distances in memory and SciPy.

    python benchmarks/clustering.py [--vertices N] [--dim D] [--repeats R]
    python benchmarks/clustering.py --huge [--vertices N] [--dim D]

On the larger Citation if its files are found, else on a generated graph of its size. Every route runs in a
process of its own, in turns: ours with the default allowance and with a tenth of it, and the upper triangle
in double precision given to SciPy. Memory is the peak beyond what the process held before, with the
posterior's tables made. The huge one is 100,000 vertices with the default allowance, once: all its pairs
would take 40 GB.
"""

import argparse
import os
import resource
import time
from pathlib import Path

import numpy as np
from scipy.cluster import hierarchy

from acvae.clustering import MEMORY, linkage
from acvae.clustering.tree import cut
from all_pairs import CITATION, make_graph, make_posterior
from ratios import Line, apart, spread, store

HUGE = 100_000
CUTS = (2, 5, 20, 100, 1000)


def all_in_memory(posterior) -> np.ndarray:
    """The upper triangle in double precision, as SciPy wants it."""
    n = posterior.n_vertices
    condensed = np.empty(n * (n - 1) // 2)
    inverse = np.empty(n, dtype=np.int64)
    for rows, columns, block in posterior.distance_blocks():
        inverse[columns] = np.arange(n)
        for row, i in zip(block, rows.tolist(), strict=True):
            start = i * n - i * (i + 1) // 2
            condensed[start : start + n - 1 - i] = row[inverse[i + 1 :]]
    return hierarchy.linkage(condensed, method="complete")


def run(n: int, d: int, memory: int | None) -> tuple[float, float, float, np.ndarray]:
    """Seconds of one stream and of the linkage (SciPy's if `memory` is None), gigabytes, and the tree."""
    warm_up = make_posterior(make_graph(500, None), d)
    linkage(warm_up, memory=1), linkage(warm_up), all_in_memory(warm_up)
    q = make_posterior(make_graph(n, None), d)
    for _ in q.distance_blocks():  # makes the tables
        pass
    start = time.perf_counter()
    for _ in q.distance_blocks():
        pass
    streamed = time.perf_counter()
    before = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    tree = all_in_memory(q) if memory is None else linkage(q, memory=memory)
    taken = time.perf_counter() - streamed
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return streamed - start, taken, (peak - before) / 1e9, tree


def same_labels(a: np.ndarray, b: np.ndarray) -> bool:
    return all(np.array_equal(cut(a, k), cut(b, k)) for k in CUTS)


def compare(n: int, d: int, repeats: int) -> None:
    routes = (None, MEMORY, MEMORY // 10)
    found = [[apart(run, n, d, memory) for memory in routes] for _ in range(repeats)]
    times = np.array([[route[1] for route in turn] for turn in found])
    streams = np.array([[route[0] for route in turn] for turn in found])
    memory = np.max([[route[2] for route in turn] for turn in found], axis=0)
    scipys, ours, tenth = (route[3] for route in found[0])
    identical = same_labels(scipys, ours) and same_labels(scipys, tenth)
    error = max(np.abs(tree[:, 2] / scipys[:, 2] - 1).max() for tree in (ours, tenth))
    faster, faster_tenth = times[:, 0] / times[:, 1], times[:, 0] / times[:, 2]
    store(
        "clustering",
        f"Complete linkage in bounded memory (n = {n:,}, d = {d})",
        [
            Line("memory, all pairs and SciPy", f"{memory[0]:.2f} GB"),
            Line(f"memory, ours, allowed {MEMORY / 1e9:.1f} GB", f"{memory[1]:.2f} GB"),
            Line(f"memory, ours, allowed {MEMORY / 1e10:.1f} GB", f"{memory[2]:.2f} GB"),
            Line("labels of 2, 5, 20, 100 and 1,000 clusters", "identical" if identical else "not identical"),
            Line("largest relative difference of heights", f"{error:.1e}"),
            Line("SciPy's time / ours", spread(faster)),
            Line("SciPy's time / ours with a tenth of the memory", spread(faster_tenth)),
            Line("ours / streaming all pairs once", spread(times[:, 1] / streams[:, 1])),
            Line("… with a tenth of the memory", spread(times[:, 2] / streams[:, 2])),
        ],
        note="Memory is what a process of its own takes beyond the posterior and its tables: the distances "
        "that are allowed, blocks of rows, and what goes by vertex. SciPy's time includes filling the "
        "triangle.",
    )


def huge(n: int, d: int) -> None:
    stream, taken, memory, tree = apart(run, n, d, MEMORY)
    assert hierarchy.is_valid_linkage(tree)
    assert hierarchy.is_monotonic(tree)
    store(
        "clustering_huge",
        f"Complete linkage of {n:,} vertices (d = {d})",
        [
            Line(f"memory, allowed {MEMORY / 1e9:.1f} GB", f"{memory:.2f} GB"),
            Line("all pairs in double precision would take", f"{4 * n * n / 1e9:.0f} GB"),
            Line("seconds", f"{taken:.0f}"),
            Line("ours / streaming all pairs once", f"{taken / stream:.0f}×"),
        ],
        note="Run once, and not alone on the machine: it is about memory and finishing.",
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vertices", type=int)
    parser.add_argument("--dim", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--huge", action="store_true")
    options = parser.parse_args()
    if options.huge:
        huge(options.vertices or HUGE, options.dim)
    else:
        compare(options.vertices or CITATION, options.dim, options.repeats)


if __name__ == "__main__":
    main()
