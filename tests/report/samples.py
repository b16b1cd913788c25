"""Small runs to make reports of: without training, but with everything a run has."""

from __future__ import annotations

import numpy as np

import acvae
from acvae.report import Entry

NASTY = "</script><script>alert(1)</script><b>&amp;\u2028{{data}}"
HISTORY = [
    {"epoch": 1, "elbo": -5.0, "kl": 0.5, "settled": 0.1},
    {"epoch": 2, "elbo": -4.0, "kl": float("nan"), "settled": 0.6, "train_ncrr": 0.5, "test_ncrr": 0.2},
]


def random_forest(n: int, rng: np.random.Generator, alone: int = 3) -> np.ndarray:
    """A random tree on all but the last vertices, which are alone, under a random numbering."""
    edges = np.array([(int(rng.integers(max(0, v - 4), v)), v) for v in range(1, n - alone)])
    return rng.permutation(n)[edges]


def make_entry(
    label: str = "first", *, n: int = 40, seed: int = 0, data: str = "toy", forest: bool = True, names=None
) -> Entry:
    rng = np.random.default_rng(seed)
    edges = random_forest(n, rng)
    values = rng.uniform(-0.3, 0.95, (len(edges), 3))
    mean, std = rng.normal(size=(n, 3)), rng.uniform(0.3, 1, (n, 3))
    q = acvae.Posterior(mean, std, edges, values) if forest else acvae.Posterior(mean, std)
    extra = rng.integers(0, n, (n, 2))
    chosen = names if names is not None else [f"vertex {v}" for v in range(n)]
    graph = acvae.Graph(n, np.concatenate([edges, extra]), chosen)
    other = acvae.Graph(n, rng.integers(0, n, (n, 2)), chosen)
    test = other.with_edges(~graph.has_edges(other.edges))
    scores = {
        "train_edges": graph.n_edges,
        "test_edges": test.n_edges,
        "link_prediction": {
            "bp" if forest else "independent": {
                "ncrr": {"train": 0.6, "test": 0.25 + seed / 100, "random": 0.05},
                "mrr": {"train": 0.7, "test": 0.3, "random": 0.1},
                "hits_at_10": {"train": 0.9, "test": None, "random": 0.2},
            }
        },
    }
    model = "acvae-eb" if forest else "vae"
    return Entry(label, model, data, q, graph, test, scores, HISTORY, {"gamma": 0.1, "epochs": 2})


class Predictor:
    """Probabilities that fall with the difference of ids, and a reason."""

    def predict_links(self, rows, k, exclude):
        n = exclude.n_vertices
        score = -np.abs(np.arange(n)[None] - np.asarray(rows)[:, None]).astype(float)
        for r, v in enumerate(rows):
            score[r, [v, *exclude.neighbors(v)]] = -np.inf
        order = np.argsort(-score, axis=1, kind="stable")[:, :k]
        value = np.take_along_axis(score, order, axis=1)
        return np.where(np.isinf(value), -1, order), np.exp(value)

    def explain(self, i, j):
        return [f"{i} is near {j}", "<b>bold</b>"]


def blobs(sizes, seed: int = 0) -> acvae.Posterior:
    """Groups of points far from one another, single points farther still."""
    rng = np.random.default_rng(seed)
    places = np.cumsum([50 if size > 1 else 900 for size in sizes])
    mean = np.concatenate(
        [np.array([x, 0]) + rng.normal(size=(size, 2)) for x, size in zip(places, sizes, strict=True)]
    )
    return acvae.Posterior(mean, np.full(mean.shape, 0.1))


def same_partition(a, b) -> bool:
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))
