"""The forest as the script walks it, and how correlations fade along it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.exceptions import PosteriorError
from acvae.gaussian.forest.joint import ForestJoint
from acvae.gaussian.posterior import Posterior
from acvae.report.packing import NOBODY, correlations, ids

__all__ = ["by_path_length", "rooted_forest"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SOURCES = 200
LONGEST = 15


def rooted_forest(posterior: Posterior) -> dict[str, Any]:
    """Each vertex's parent and the correlations (d) with it.

    A path is found by walking up from both ends; its correlation is the product over its edges in each
    dimension.
    """
    joint = _need_forest(posterior)
    rooted, n = joint.rooted, posterior.n_vertices
    child = rooted.parent >= 0  # by position
    parent = np.full(n, NOBODY)
    parent[rooted.vertex[child]] = rooted.vertex[rooted.parent[child]]
    correlation = np.zeros((n, posterior.latent_dim), np.float32)
    correlation[rooted.vertex[child]] = joint.correlation[rooted.edge[child]]
    has_parent = parent != NOBODY
    return {
        "parent": ids(parent, n),
        "correlation": correlations(correlation),
        "trees": int((~has_parent).sum()),
        "edges": int(has_parent.sum()),
    }


def by_path_length(posterior: Posterior, *, sources: int = SOURCES, seed: int = 0) -> dict[str, Any]:
    """Quantiles of the correlation (mean over dimensions) of pairs, by the length of the path between them.

    From every vertex of a small forest, from `sources` random ones of a larger; all pairs with such a vertex
    count.
    """
    joint = _need_forest(posterior)
    n = posterior.n_vertices
    joined = np.unique(posterior.forest)
    chosen = joined
    if len(joined) > sources:
        chosen = np.sort(np.random.default_rng(seed).choice(joined, sources, replace=False))
    u, v = posterior.forest.T.astype(np.int32)  # which older SciPy's paths need
    tree = sp.csr_array((np.ones(len(u)), (u, v)), shape=(n, n))
    found: list[list[npt.NDArray[Any]]] = [[] for _ in range(LONGEST)]
    longer = 0
    for source in chosen.tolist():
        hops = sp.csgraph.dijkstra(tree, directed=False, indices=source, unweighted=True)
        correlation = joint.row(source).mean(axis=1)
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
