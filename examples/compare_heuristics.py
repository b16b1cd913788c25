"""How far do simple rules get? Heuristics, a graph neural network and the models here, side by side.

Every method ranks the same hidden links, on the same split, by the same metric. A heuristic is a score for
each pair of vertices. It goes through the same code as the models: it looks like a posterior to
`acvae.metrics`, with minus the score as the distance. NCRR counts ties against a method, which is hard on
scores that are small whole numbers, so heuristics are shown with ties broken at random as well.

γ is chosen as the paper does, by the best NCRR on the train links. All values are shown, with the mean KL of
an embedding from the prior and the mean correlation of forest edges. τ is 0.99, on the whole graph 0.8.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path
from scipy.sparse.linalg import splu

import acvae

IntArray = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]
Rows = Callable[[IntArray], Array]
BLOCK_ROWS = 512
RESTART = 0.15  # of a random walk, at each step


class ScoreMatrix:
    """Scores of all pairs, a block of rows at a time, with the face that `acvae.metrics` asks for."""

    def __init__(self, n_vertices: int, scores: Rows, random_ties: bool = False) -> None:
        self.n_vertices = n_vertices
        self._scores, self._random_ties = scores, random_ties

    def distance_blocks(self, rows: IntArray) -> Iterator[tuple[IntArray, IntArray, Array]]:
        """Yield `(rows, columns, distances)`."""
        rng = np.random.default_rng(0)
        columns = np.arange(self.n_vertices)
        for start in range(0, len(rows), BLOCK_ROWS):
            part = rows[start : start + BLOCK_ROWS]
            distance = -self._scores(part)
            if self._random_ties:  # far less than any difference of two scores that matters
                distance = distance + 1e-9 * rng.random(distance.shape)
            yield part, columns, distance


def heuristics(data: acvae.datasets.Dataset, train: acvae.Graph) -> dict[str, Rows]:
    """Scores (rows, n) from the train graph, and one from the features alone."""
    adjacency = train.to_scipy().astype(np.float64)
    degree = train.degrees.astype(np.float64)
    # A common neighbour of two vertices has degree two at least; the others never count.
    rarity = sp.diags_array(1 / np.log(np.maximum(degree, 2)))
    unit = sp.csr_array(data.features.astype(np.float64))
    length = np.sqrt(unit.multiply(unit).sum(axis=1))
    unit = sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-12)) @ unit)
    random = acvae.forests.initial_weights(train, seed=0).weights > 0

    def hops(graph: acvae.Graph) -> Rows:
        u, v = graph.edges.T.astype(np.int32)  # which older SciPy needs
        links = sp.csr_array((np.ones(len(u)), (u, v)), shape=(graph.n_vertices, graph.n_vertices))

        def rows_of(rows: IntArray) -> Array:
            away = shortest_path(links, directed=False, unweighted=True, indices=rows)
            return -np.where(np.isfinite(away), away, train.n_vertices)

        return rows_of

    walk = (
        sp.eye_array(train.n_vertices) - (1 - RESTART) * sp.diags_array(1 / np.maximum(degree, 1)) @ adjacency
    )
    solver = splu(sp.csc_array(walk))

    def pagerank(rows: IntArray) -> Array:
        start = np.zeros((train.n_vertices, len(rows)))
        start[rows, np.arange(len(rows))] = 1
        return solver.solve(start, trans="T").T

    return {
        "cosine of the features": lambda rows: (unit[rows] @ unit.T).toarray(),
        "preferential attachment": lambda rows: degree[rows, None] * degree,
        "common neighbours": lambda rows: (adjacency[rows] @ adjacency).toarray(),
        "Adamic–Adar": lambda rows: (adjacency[rows] @ rarity @ adjacency).toarray(),
        "personalised PageRank": pagerank,
        "hops in the train graph": hops(train),
        "hops in a random spanning forest": hops(train.with_edges(random)),
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="debian", help="a data set that acvae.datasets.load knows")
    parser.add_argument("--data-root", help="folder with its raw files")
    parser.add_argument("--epochs", type=int, default=40, help="passes over the data, for every model")
    parser.add_argument("--gammas", type=float, nargs="+", default=[0.001, 0.1, 1, 10, 1000], metavar="γ")
    parser.add_argument("--seed", type=int, default=0, help="of the split and of every model")
    options = parser.parse_args(argv)

    root = {} if options.data_root is None else {"root": options.data_root}
    data = acvae.datasets.load(options.data, **root)
    split = acvae.split_edges(data.graph, seed=options.seed)
    common = {"epochs": options.epochs, "seed": options.seed, "progress": False}
    print(f"{data}: {split.train.n_edges:,} links to train on, {split.test.n_edges:,} hidden", flush=True)
    print(f"{options.epochs} epochs, seed {options.seed}\n")
    print(f"{'':36}{'train NCRR':>11}{'test NCRR':>11}{'random ties':>13}{'KL':>9}{'mean ρ':>9}")

    for name, scores in heuristics(data, split.train).items():
        n = data.graph.n_vertices
        strict = acvae.metrics.ncrr(ScoreMatrix(n, scores), split.train, split.test)
        lenient = acvae.metrics.ncrr(ScoreMatrix(n, scores, random_ties=True), split.train, split.test)
        row(name, strict, f"{lenient.test:13.3f}")

    vae = acvae.VAE(**common).fit(data.features)
    row("VAE", acvae.metrics.ncrr(vae.posterior_, *split[:2]), blank(13), vae.history_[-1]["kl"])
    sage = acvae.GraphSAGE(**common).fit(data.features, split.train)
    row("GraphSAGE", acvae.metrics.ncrr(sage.posterior_, *split[:2]), blank(13))

    best: dict[str, tuple[float, float, float]] = {}  # train NCRR, γ, test NCRR
    for label, model in (
        ("CVAE_corr", acvae.CVAE(**common)),
        ("ACVAE_EB + BP", acvae.ACVAE("empirical-bayes", **common)),
        ("CVAE, whole graph", acvae.CVAE(posterior="graph", tau=0.8, **common)),
    ):
        for gamma in options.gammas:
            model.set_params(gamma=gamma).fit(data.features, split.train)
            score = acvae.metrics.ncrr(model.posterior_, *split[:2])
            last = model.history_[-1]
            q = model.posterior_
            rho = q.joint.correlation.mean() if q.has_forest and len(q.forest) else last["mean_correlation"]
            row(f"{label}, γ = {gamma:g}", score, blank(13), last["kl"], float(rho))
            best[label] = max(best.get(label, (-1.0, 0.0, 0.0)), (score.train, gamma, score.test))
    print(f"{'random ranking':36}{'':11}{score.random:11.3f}")
    print("\nγ by the best NCRR on the train links:")
    for label, (_, gamma, test) in best.items():
        print(f"  {label}: γ = {gamma:g}, test NCRR {test:.3f}")


def row(
    name: str, score: acvae.metrics.Score, ties: str, kl: float | None = None, rho: float | None = None
) -> None:
    """One line of the table."""
    end = (blank(9) if kl is None else f"{kl:9.2f}") + (blank(9) if rho is None else f"{rho:9.3f}")
    print(f"{name:36}{score.train:11.3f}{score.test:11.3f}{ties}{end}".rstrip(), flush=True)


def blank(width: int) -> str:
    return " " * width


if __name__ == "__main__":
    main()
