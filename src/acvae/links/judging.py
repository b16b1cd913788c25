"""Whether a head ranks better than each number it is made from, judged on vertices it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from acvae.graph import Graph
from acvae.links.head import Head, Parameters
from acvae.links.queries import Queries
from acvae.links.training import fit_ranking, reciprocal_ranks

__all__ = ["fit_order", "per_vertex", "single"]

FloatArray = npt.NDArray[np.float64]

HELD_OUT = 0.15  # of vertices, whose queries only judge
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
    """The head for ranking; if one number alone, times its sign, ranks held-out queries better, that one.

    Also mean reciprocal ranks of the held-out queries, by name, and the head's under "head".
    """
    judge = (np.random.default_rng(seed).random(n_vertices) < HELD_OUT)[queries.ends[:, 0]]
    if judge.all() or not judge.any() or len(judge) < ENOUGH:
        return fit_ranking(queries, per_query, seed, progress), {}
    kept, held = (queries.part(chosen) for chosen in (~judge, judge))
    head = fit_ranking(kept, per_query[~judge], seed, progress)
    own = per_query[judge] / per_query[judge].sum()
    ours = reciprocal_ranks(head(held.statistics), held)
    scores = {"head": float(ours @ own)}
    best, found = None, scores["head"]
    for f, (name, sign) in enumerate(zip(names, signs, strict=True)):
        if sign == 0:
            continue
        other = reciprocal_ranks(np.float32(sign) * held.statistics[:, :, f], held)
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
