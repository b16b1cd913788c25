"""Spanning forests against SciPy, NetworKit and igraph.

    python benchmarks/spanning_forest.py [--vertices N] [--edges M] [--repeats R] [--huge]

A random graph with normal weights of either sign, every tool in turns in one process. Ours is timed from
the edge list. A peer is timed twice: on a graph that is ready in its own form, its search alone; and from the
edge list, with what its user has to do first. SciPy drops zeros and adds parallel edges up, so its user gives
ranks 1 … m of distinct edges. All must find the same total weight. Peers that are not installed are left out
(`pip install networkit igraph`).

Memory is the growth of the peak of a process that has loaded the input and done a small forest. `--huge` adds
a run with ten times as many vertices and edges, ours alone.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

import acvae
from ratios import Line, apart, peak_memory, spread, store, timed


class Peer(NamedTuple):
    """A tool in two steps, `make(n, edges, weights)` and `search(made)`, and the total weight it found."""

    name: str
    make: Callable
    search: Callable
    total: Callable  # of (made, found, weights)


def scipy_peer() -> Peer:
    def make(n, edges, weights):
        order = np.argsort(weights)
        rank = np.empty(len(weights))
        rank[order] = np.arange(1, len(weights) + 1)
        return sp.csr_array((rank, (edges[:, 0], edges[:, 1])), shape=(n, n)), order

    return Peer(
        "SciPy",
        make,
        lambda made: sp.csgraph.minimum_spanning_tree(made[0]),
        lambda made, tree, weights: weights[made[1][tree.data.astype(np.int64) - 1]].sum(),
    )


def networkit_peer() -> Peer:
    import networkit

    def make(n, edges, weights):  # it knows the largest forest only
        columns = tuple(np.ascontiguousarray(c, dtype=np.uint64) for c in edges.T)
        return networkit.GraphFromCoo((-weights, columns), n=n, weighted=True)

    return Peer(
        "NetworKit",
        make,
        lambda made: networkit.graph.UnionMaximumSpanningForest(made).run(),
        lambda made, found, weights: -found.getUMSF().totalEdgeWeight(),
    )


def igraph_peer() -> Peer:
    import igraph

    def make(n, edges, weights):
        return igraph.Graph(n, edges, edge_attrs={"weight": weights.tolist()})

    return Peer(
        "igraph",
        make,
        lambda made: made.spanning_tree("weight", return_tree=False, method="kruskal"),  # its fastest here
        lambda made, found, weights: weights[found].sum(),
    )


def installed_peers() -> list[Peer]:
    peers = []
    for open_peer in (scipy_peer, networkit_peer, igraph_peer):
        try:
            peers.append(open_peer())
        except ImportError as error:
            print(f"({open_peer.__name__.removesuffix('_peer')} is left out: {error})")
    return peers


def make_graph(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Distinct random edges and their weights."""
    rng = np.random.default_rng(0)
    edges = acvae.Graph(n, rng.integers(0, n, (m, 2))).edges
    return edges, rng.normal(size=len(edges))


def warm_up() -> None:
    """Compile, or load what was compiled before."""
    rng = np.random.default_rng(0)
    acvae.spanning_forest(1000, rng.integers(0, 1000, (50_000, 2)), rng.normal(size=50_000))


def measure_memory(folder: str, n: int) -> int:
    edges, weights = np.load(f"{folder}/edges.npy"), np.load(f"{folder}/weights.npy")
    warm_up()
    before = peak_memory()
    acvae.spanning_forest(n, edges, weights, maximum=False)
    return peak_memory() - before


def run_huge(n: int, m: int) -> tuple[float, int, int]:
    """Seconds, bytes at the peak, and bytes of the input."""
    rng = np.random.default_rng(1)
    edges, weights = rng.integers(0, n, (m, 2)), rng.normal(size=m)
    warm_up()
    seconds, mask = timed(lambda: acvae.spanning_forest(n, edges, weights))
    most, size = peak_memory(), edges.nbytes + weights.nbytes
    chosen = edges[mask].astype(np.int32)
    tree = sp.coo_array((np.ones(len(chosen), np.int8), (chosen[:, 0], chosen[:, 1])), shape=(n, n))
    parts, part = sp.csgraph.connected_components(tree, directed=False)
    assert len(chosen) == n - parts  # no cycle
    assert (part[edges[:, 0]] == part[edges[:, 1]]).all()  # nothing left to join
    return seconds, most, size


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vertices", type=int, default=10**6)
    parser.add_argument("--edges", type=int, default=10**7)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--huge", action="store_true")
    options = parser.parse_args()
    n = options.vertices
    edges, weights = make_graph(n, options.edges)
    print(f"{n:,} vertices, {len(edges):,} edges")
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "edges.npy", edges)
        np.save(Path(folder) / "weights.npy", weights)
        extra = apart(measure_memory, folder, n)
    warm_up()
    peers = installed_peers()
    made, making = {}, {}
    for peer in peers:
        making[peer.name], made[peer.name] = timed(lambda peer=peer: peer.make(n, edges, weights))
    ours, searching = [], {peer.name: [] for peer in peers}
    for _ in range(options.repeats):
        seconds, mask = timed(lambda: acvae.spanning_forest(n, edges, weights, maximum=False))
        ours.append(seconds)
        total = weights[mask].sum()
        for peer in peers:
            seconds, found = timed(lambda peer=peer: peer.search(made[peer.name]))
            searching[peer.name].append(seconds)
            np.testing.assert_allclose(peer.total(made[peer.name], found, weights), total, rtol=1e-9)
    lines = []
    for peer in peers:
        search = np.array(searching[peer.name])
        alone = search / np.array(ours)
        lines.append(
            Line(
                f"{peer.name}, its graph ready / ours from the edge list",
                spread(alone),
                "≥ 1×",
                bool(np.median(alone) >= 1),
            )
        )
        lines.append(
            Line(
                f"{peer.name} from the edge list / ours from the edge list",
                spread((search + making[peer.name]) / ours),
            )
        )
    lines.append(Line("memory beyond the input", f"{extra / 1e9:.2f} GB", "< 1 GB", extra < 1e9))
    lines.append(Line("ours", f"{np.median(ours):.2f} s"))
    if options.huge:
        seconds, most, size = apart(run_huge, 10 * n, 10 * options.edges)
        lines.append(
            Line(
                f"{10 * n:,} vertices, {10 * options.edges:,} edges",
                f"{seconds:.1f} s, {most / 1e9:.1f} GB at the peak, {size / 1e9:.1f} GB of it the input",
                "runs",
                True,
            )
        )
    store(
        "spanning_forest",
        "Spanning forest of a random graph",
        lines,
        f"{n:,} vertices, {len(edges):,} edges, normal weights. Every tool found the same total weight.",
    )


if __name__ == "__main__":
    main()
