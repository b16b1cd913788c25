"""Whether a head ranks better than each number it is made from, judged on vertices it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from acvae.graph import Graph
from acvae.links.head import Head, Parameters
from acvae.links.queries import Queries
from acvae.links.training import NETWORKS, fit_ranking, reciprocal_ranks

__all__ = ["fit_order", "per_vertex", "single"]

FloatArray = npt.NDArray[np.float64]

FOLDS = 10  # parts of the vertices; every network leaves out the queries of one
ENOUGH = 20  # queries below which there is nothing to judge by


def per_vertex(queries: Queries, graph: Graph) -> FloatArray:
    """(q,) weights under which every vertex counts the same, as it does in NCRR."""
    return np.asarray(queries.weight / graph.degrees[queries.ends[:, 0]])


def fit_order(
    queries: Queries,
    per_query: FloatArray,
    names: Sequence[str],
    signs: Sequence[float],
    *,
    n_vertices: int,
    seed: int,
    progress: Callable[[float], None] | None = None,
) -> tuple[Head, dict[str, float]]:
    """The head for ranking; if one number alone, times its sign, ranks held-out queries clearly better, that.

    Every network of the head leaves out the queries of some vertices, others each, and is judged on those: so
    all queries are learnt from, and none is judged by what learnt from it. Also mean reciprocal ranks of the
    held-out queries, by name, and the head's under "head".
    """
    fold = np.random.default_rng(seed).permutation(n_vertices)[queries.ends[:, 0]] % FOLDS
    masks = [fold == k for k in range(NETWORKS)]
    if len(fold) < ENOUGH or any(mask.all() or not mask.any() for mask in masks):
        return fit_ranking(queries, per_query, seed, progress), {}
    head = fit_ranking(queries, per_query, seed, progress, left_out=masks)
    judged = [queries.part(mask) for mask in masks]
    ours = np.concatenate(
        [
            reciprocal_ranks(head._replace(networks=(network,))(held.statistics), held)
            for network, held in zip(head.networks, judged, strict=True)
        ]
    )
    own = np.concatenate([per_query[mask] for mask in masks])
    own = own / own.sum()
    scores = {"head": float(ours @ own)}
    best, found = None, scores["head"]
    for f, (name, sign) in enumerate(zip(names, signs, strict=True)):
        if sign == 0:
            continue
        other = np.concatenate(
            [reciprocal_ranks(np.float32(sign) * held.statistics[:, :, f], held) for held in judged]
        )
        scores[name] = float(other @ own)
        error = float(np.sqrt((((other - ours) * own) ** 2).sum()))
        if scores[name] > max(found, scores["head"] + error):
            best, found = f, scores[name]
    return (head if best is None else single(head, best, signs[best])), scores


def single(head: Head, statistic: int, sign: float) -> Head:
    """One number, times its sign, as a head."""
    zero = Parameters(*(np.zeros_like(part) for part in head.networks[0]))
    linear = zero.linear.copy()
    linear[statistic] = sign
    return head._replace(networks=(zero._replace(linear=linear),))
