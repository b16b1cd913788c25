"""A synthetic data set whose right answer is known: latent values that really follow a tree.

The graph shows the true tree hidden among random edges. A model that learns which edges carry correlation
can be scored on how many true edges it picks, something no real data set allows.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import expit

from acvae._util.checks import real_number, seed_number, whole_number
from acvae._util.edge_lists import IntArray
from acvae.datasets.dataset import Dataset
from acvae.exceptions import InputError, OptionError
from acvae.graph import Graph

__all__ = ["load", "true_latents", "true_tree"]

FloatArray = npt.NDArray[np.float64]


def load(
    n_vertices: int = 2000,
    extra_edges: float = 2.0,
    n_features: int = 200,
    latent_dim: int = 10,
    hidden_dim: int = 50,
    tau: float = 0.95,
    logit_scale: float = 5.0,
    seed: int = 0,
) -> Dataset:
    """Generate the data set; the same arguments give the same data.

    1. Tree: every vertex attaches to a uniformly chosen earlier one; then the ids are shuffled, so that an
       id says nothing about depth.
    2. Latent values: z_root ~ N(0, I) and z_child = τ·z_parent + √(1−τ²)·ε, so each z_i is N(0, I).
    3. Features: x ~ Bernoulli(sigmoid(f(z))), f a random network of two layers with ReLU between.
    4. Graph: the tree's n−1 edges and `extra_edges`·(n−1) distinct random other pairs.
    5. Labels: 1 where the first principal component of z is above its median, else 0.

    The defaults are set so that features tell neighbours apart, but not at a glance: two random vertices
    are some 15 steps apart, so a τ as high as 0.99 would leave even them correlated at 0.99¹⁵ ≈ 0.86.

    Parameters
    ----------
    n_vertices
        At least 2.
    extra_edges
        Random edges for every tree edge.
    n_features, latent_dim, hidden_dim
        Sizes of x, of z and of the network's hidden layer.
    tau
        Correlation, in each dimension, of the latent values of a vertex and its parent.
    logit_scale
        Rough standard deviation of the logits: the larger, the less noise in the features.
    """
    options: dict[str, Any] = {
        "n_vertices": whole_number("n_vertices", n_vertices, minimum=2),
        "extra_edges": real_number("extra_edges", extra_edges, at_least=0),
        "n_features": whole_number("n_features", n_features, minimum=1),
        "latent_dim": whole_number("latent_dim", latent_dim, minimum=1),
        "hidden_dim": whole_number("hidden_dim", hidden_dim, minimum=1),
        "tau": real_number("tau", tau, at_least=0, below=1),
        "logit_scale": real_number("logit_scale", logit_scale, above=0),
        "seed": seed_number("seed", seed),
    }
    n = options["n_vertices"]
    random = _generators(options["seed"])
    order, parent = _recursive_tree(random["tree"], n)
    tree = Graph(n, _tree_edges(order, parent))
    z = _latents(random["latent"], order, parent, options["latent_dim"], options["tau"])
    extra = _other_edges(random["edges"], tree, round(options["extra_edges"] * (n - 1)))
    logits = _network(random["network"], z, options["hidden_dim"], options["n_features"])
    ones = random["features"].random(logits.shape) < expit(options["logit_scale"] * logits)
    return Dataset(
        name="tree",
        features=sp.csr_array(ones.astype(np.float32)),
        graph=Graph(n, np.concatenate([tree.edges, extra])),
        labels=_median_split(z),
        source="Generated: Bernoulli features of Gaussian values that follow a random tree, whose edges are "
        "shown among random ones.",
        details={**options, "tree_edges": tree.n_edges, "random_edges": len(extra)},
    )


def true_tree(dataset: Dataset) -> Graph:
    """The tree the latent values follow: a subset of `dataset.graph`, on the same vertices.

    It is drawn again from the seed and options in `dataset.details`, which keeps those small and plain.
    """
    tree, _ = _redraw(dataset)
    return tree


def true_latents(dataset: Dataset) -> FloatArray:
    """The latent values (n, latent_dim) behind the features, drawn again like `true_tree`."""
    _, z = _redraw(dataset)
    return z


def _redraw(dataset: Dataset) -> tuple[Graph, FloatArray]:
    if dataset.name != "tree":
        raise InputError(f"only the data set 'tree' has a known true tree, {dataset.name!r} has none.")
    options = dataset.details
    random = _generators(options["seed"])
    order, parent = _recursive_tree(random["tree"], options["n_vertices"])
    tree = Graph(options["n_vertices"], _tree_edges(order, parent))
    if tree.n_vertices != dataset.graph.n_vertices or not dataset.graph.has_edges(tree.edges).all():
        raise InputError("the graph of this data set does not hold the tree its details describe.")
    return tree, _latents(random["latent"], order, parent, options["latent_dim"], options["tau"])


def _generators(seed: int) -> dict[str, np.random.Generator]:
    """One independent stream for each part, so that a part can be drawn again without the others."""
    parts = ("tree", "latent", "network", "features", "edges")
    return {
        part: np.random.default_rng(child)
        for part, child in zip(parts, np.random.SeedSequence(seed).spawn(len(parts)), strict=True)
    }


def _recursive_tree(random: np.random.Generator, n: int) -> tuple[IntArray, IntArray]:
    """Vertex ids (n,) in order of arrival, and for arrivals 1 … n−1 the arrival number of the parent."""
    parent = random.integers(0, np.arange(1, n))
    return random.permutation(n), parent


def _tree_edges(order: IntArray, parent: IntArray) -> IntArray:
    return np.stack([order[1:], order[parent]], axis=1)


def _latents(
    random: np.random.Generator, order: IntArray, parent: IntArray, dim: int, tau: float
) -> FloatArray:
    """Latent values (n, dim), rows by vertex id."""
    arrivals = random.standard_normal((len(order), dim))
    arrivals[1:] *= np.sqrt(1 - tau**2)
    for child, p in enumerate(parent, start=1):  # in order: a parent is finished before its children
        arrivals[child] += tau * arrivals[p]
    z = np.empty_like(arrivals)
    z[order] = arrivals
    return z


def _network(random: np.random.Generator, z: FloatArray, hidden_dim: int, n_features: int) -> FloatArray:
    """Logits (n, n_features) of about unit variance: the weights are scaled to keep it through a ReLU."""
    first = random.standard_normal((z.shape[1], hidden_dim)) / np.sqrt(z.shape[1])
    second = random.standard_normal((hidden_dim, n_features)) * np.sqrt(2 / hidden_dim)
    logits: FloatArray = np.maximum(z @ first, 0) @ second
    return logits


def _other_edges(random: np.random.Generator, tree: Graph, count: int) -> IntArray:
    """`count` distinct pairs (count, 2) outside the tree, every such set equally likely.

    Pairs u < v are numbered v(v−1)/2 + u. The pairs outside the tree are numbered without gaps, numbers are
    drawn, and each is moved up by the number of tree pairs below it.
    """
    n = tree.n_vertices
    available = n * (n - 1) // 2 - tree.n_edges
    if count > available:
        raise OptionError(
            f"extra_edges asks for {count:,} edges beside the tree, but {n:,} vertices leave room for "
            f"{available:,}; take at most extra_edges={available / (n - 1):g}."
        )
    if count == 0:
        return np.empty((0, 2), dtype=np.int64)
    u, v = tree.edges.T
    taken = np.sort(v * (v - 1) // 2 + u)
    drawn = random.choice(available, size=count, replace=False, shuffle=False).astype(np.int64)
    number = drawn + np.searchsorted(taken - np.arange(len(taken)), drawn, side="right")
    high = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > number  # the square root may be rounded to either side
    high += high * (high + 1) // 2 <= number
    return np.stack([number - high * (high - 1) // 2, high], axis=1)


def _median_split(z: FloatArray) -> IntArray:
    """Labels (n,): whether the first principal component lies above its median."""
    centred = z - z.mean(axis=0)
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    direction = direction * np.sign(direction[np.abs(direction).argmax()])  # the SVD leaves the sign open
    score = centred @ direction
    labels: IntArray = (score > np.median(score)).astype(np.int64)
    return labels
