"""CVAE's weights: exact effective resistances against the pseudo-inverse, and their estimate by sampling.

    python benchmarks/resistances.py [--vertices N] [--repeats R] [--large N] [--data-root DIR]

The pseudo-inverse of the Laplacian is taken by NumPy as the formula has it, and once more with the hint that
the matrix is symmetric. The graph has hubs and as many edges per vertex as the larger Citation. Then the
training graph of that Citation itself (a generated one of its size if the files are not found), exact and
sampled; and a hundred sampled trees of a large graph.
"""

import argparse

import numpy as np

import acvae
from acvae.exceptions import AcvaeError
from generated_graph import make_graph
from ratios import Line, apart, peak_memory, spread, store, timed

CITATION = 27_769
EDGES_PER_VERTEX = 11  # of the training graph
TREES = 100


def hub_graph(n: int) -> acvae.Graph:
    rng = np.random.default_rng(0)
    weight = 1 / np.arange(1, n + 1) ** 0.6
    ends = rng.choice(n, (EDGES_PER_VERTEX * n, 2), p=weight / weight.sum())
    return acvae.Graph(n, rng.permutation(n)[ends])


def citation_graph(data_root: str | None) -> acvae.Graph:
    try:
        return acvae.split_edges(acvae.datasets.load("citation", root=data_root).graph, seed=0).train
    except AcvaeError as error:
        print(f"(a generated graph stands in for Citation: {error})")
        return hub_graph(CITATION)


def by_pseudo_inverse(graph: acvae.Graph, hermitian: bool) -> np.ndarray:
    adjacency = graph.to_scipy().toarray().astype(float)
    inverse = np.linalg.pinv(np.diag(adjacency.sum(axis=1)) - adjacency, hermitian=hermitian)
    u, v = graph.edges.T
    return inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]


def run_citation(data_root: str | None):
    """The graph in words; seconds, peak and the sum's error; the estimate beside the exact weights."""
    graph = citation_graph(data_root)
    acvae.sampled_spanning_tree_probabilities(hub_graph(100), 2)  # compiles
    seconds, exact = timed(lambda: acvae.spanning_tree_probabilities(graph))
    most = peak_memory()
    off = abs(exact.sum() - (graph.n_vertices - graph.n_components))
    sampling, estimate = timed(lambda: acvae.sampled_spanning_tree_probabilities(graph, TREES))
    distance = np.abs(estimate.probabilities - exact)
    counting = np.sqrt(exact * (1 - exact) / TREES)
    return (
        f"{graph.n_vertices:,} vertices, {graph.n_edges:,} edges",
        (seconds, most, off),
        (
            sampling,
            np.sqrt(np.mean(distance**2)),
            np.sqrt(np.mean(counting**2)),
            np.mean(distance <= 2 * estimate.standard_error + 1e-12),
        ),
    )


def run_large(n: int):
    graph = make_graph(n)
    acvae.sampled_spanning_tree_probabilities(hub_graph(100), 2)
    seconds, estimate = timed(lambda: acvae.sampled_spanning_tree_probabilities(graph, TREES))
    off = abs(estimate.probabilities.sum() - (graph.n_vertices - graph.n_components))
    assert off < 1e-3
    error = estimate.standard_error / estimate.probabilities
    return f"{graph.n_vertices:,} vertices, {graph.n_edges:,} edges", seconds, np.median(error), peak_memory()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vertices", type=int, default=4_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--data-root")
    options = parser.parse_args()
    graph = hub_graph(options.vertices)
    acvae.spanning_tree_probabilities(graph)  # compiles, and starts the threads
    times, errors = [], []
    for _ in range(options.repeats):
        row, results = zip(
            *(
                timed(work)
                for work in (
                    lambda: acvae.spanning_tree_probabilities(graph),
                    lambda: by_pseudo_inverse(graph, hermitian=False),
                    lambda: by_pseudo_inverse(graph, hermitian=True),
                )
            ),
            strict=True,
        )
        times.append(row)
        errors.append(np.abs(results[0] - results[1]).max())
    ours, plain, hermitian = np.array(times).T
    error = max(errors)
    said, (seconds, most, off), (sampling, rms, counting, within) = apart(run_citation, options.data_root)
    large, large_seconds, relative, large_most = apart(run_large, options.large)
    size = f"{graph.n_vertices:,} vertices"
    store(
        "resistances",
        "CVAE's weights: effective resistances",
        [
            Line(
                f"pseudo-inverse / ours, {size}",
                spread(plain / ours),
                "≥ 20×",
                bool(np.median(plain / ours) >= 20),
            ),
            Line(f"pseudo-inverse, told that it is symmetric / ours, {size}", spread(hermitian / ours)),
            Line(f"largest difference from the pseudo-inverse, {size}", f"{error:.1e}"),
            Line(
                f"exact, {said}",
                f"{seconds:.0f} s, {most / 1e9:.1f} GB at the peak",
                "< 15 min, < 10 GB",
                seconds < 900 and most < 10e9,
            ),
            Line("sum of these, off from vertices − components by", f"{off:.1e}"),
            Line(f"{TREES} sampled trees of the same graph", f"{sampling:.1f} s"),
            Line("root mean square error of that estimate", f"{rms:.4f} (edges counted: {counting:.4f})"),
            Line("edges within two standard errors", f"{within:.1%}"),
            Line(
                f"{TREES} sampled trees, {large}",
                f"{large_seconds:.0f} s, {large_most / 1e9:.1f} GB at the peak",
            ),
            Line("median standard error there, relative", f"{relative:.1%}"),
        ],
        f"The graph of {size} has hubs and {graph.n_edges:,} edges. Edges counted: "
        "the error if a tree only told which edges it has.",
    )


if __name__ == "__main__":
    main()
