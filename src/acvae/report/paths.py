"""The forest as the script walks it, and how correlations fade along it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.exceptions import PosteriorError
from acvae.gaussian.forest.joint import ForestJoint
from acvae.gaussian.posterior import Posterior
from acvae.report.packing import NOBODY, floats, ids, pack

__all__ = ["by_path_length", "rooted_forest"]

WIDTH_CLASSES = 4
NO_EDGE = 255
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SOURCES = 200
LONGEST = 15


def rooted_forest(posterior: Posterior) -> dict[str, Any]:
    """Each vertex's parent, the correlations (d) with it, and how wide to draw the edge between them.

    A path is found by walking up from both ends; its correlation is the product over its edges in each
    dimension.
    """
    correlations = _need_forest(posterior)
    rooted, n = correlations.rooted, posterior.n_vertices
    child = rooted.parent >= 0  # by position
    parent = np.full(n, NOBODY)
    parent[rooted.vertex[child]] = rooted.vertex[rooted.parent[child]]
    correlation = np.zeros((n, posterior.latent_dim), np.float32)
    correlation[rooted.vertex[child]] = correlations.correlation[rooted.edge[child]]
    has_parent = parent != NOBODY
    width, ranges = _width_classes(correlation[has_parent].mean(axis=1))
    edge_width = np.full(n, NO_EDGE)
    edge_width[has_parent] = width
    return {
        "parent": ids(parent, n),
        "correlation": floats(correlation),
        "width": pack(edge_width, "u8"),
        "ranges": ranges,
        "trees": int((~has_parent).sum()),
        "edges": int(has_parent.sum()),
    }


def _width_classes(strength: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], list[list[float]]]:
    """Quarters by strength, and the range of each; fewer where many edges are equally strong."""
    inner = np.unique(np.quantile(strength, np.arange(1, WIDTH_CLASSES) / WIDTH_CLASSES))
    number = np.unique(np.searchsorted(inner, strength, side="right"), return_inverse=True)[1]
    ranges = [
        [float(strength[number == c].min()), float(strength[number == c].max())]
        for c in range(int(number.max()) + 1)
    ]
    return number, ranges


def by_path_length(posterior: Posterior, *, sources: int = SOURCES, seed: int = 0) -> dict[str, Any]:
    """Quantiles of the correlation (mean over dimensions) of pairs, by the length of the path between them.

    From every vertex of a small forest, from `sources` random ones of a larger; all pairs with such a vertex
    count.
    """
    correlations = _need_forest(posterior)
    n = posterior.n_vertices
    joined = np.unique(posterior.forest)
    chosen = joined
    if len(joined) > sources:
        chosen = np.sort(np.random.default_rng(seed).choice(joined, sources, replace=False))
    u, v = posterior.forest.T
    tree = sp.csr_array((np.ones(len(u)), (u, v)), shape=(n, n))
    found: list[list[npt.NDArray[Any]]] = [[] for _ in range(LONGEST)]
    longer = 0
    for source in chosen.tolist():
        hops = sp.csgraph.dijkstra(tree, directed=False, indices=source, unweighted=True)
        correlation = correlations.row(source).mean(axis=1)
        longer += int((np.isfinite(hops) & (hops > LONGEST)).sum())
        for length in range(1, LONGEST + 1):
            found[length - 1].append(correlation[hops == length])
    values = [np.concatenate(parts) for parts in found]
    lengths = [length for length, value in enumerate(values, start=1) if len(value)]
    quantiles = [np.quantile(values[length - 1], QUANTILES).round(5).tolist() for length in lengths]
    return {
        "length": lengths,
        "quantiles": quantiles,
        "pairs": [len(values[length - 1]) for length in lengths],
        "longer": longer,
        "sources": len(chosen),
        "all": len(chosen) == len(joined),
    }


def _need_forest(posterior: Posterior) -> ForestJoint:
    if not posterior.has_forest:
        raise PosteriorError("there are no paths without a learnt forest; use the posterior of an ACVAE.")
    joint: ForestJoint = posterior.joint
    return joint
