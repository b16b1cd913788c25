"""Scales, chosen by how well links that are left out one at a time are ranked.

A few sets of scales are tried beside the usual one. For each a small head is trained on the queries of one
half of the vertices and judged on those of the other, and the other way round; candidates are the same for
all, and the hard ones among them are chosen by a number that no scale changes. Another set is taken only if
the mean reciprocal rank, in which every vertex counts the same, is better by more than two standard errors of
the difference: what is tried often must not win by luck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.graph import Graph
from acvae.links.judging import per_vertex
from acvae.links.known_degrees import with_known_degrees
from acvae.links.negatives import draw_candidates
from acvae.links.queries import ROW_BYTES, Queries, edge_ids, sample_edges
from acvae.links.statistics.graph import GraphStatistics
from acvae.links.statistics.scales import Scale, ScaleStatistics
from acvae.links.training import fit_ranking, reciprocal_ranks

__all__ = ["ScaleChoice", "choose_scales"]

FloatArray = npt.NDArray[np.float64]

QUERIES, ENOUGH = 2000, 300  # how many are asked, and how many there must be
CLEARLY = 2.0  # standard errors


Scales = tuple[float, ...]


class ScaleChoice(NamedTuple):
    """What was chosen, and what was tried: mean reciprocal rank, lead over the first, error of the lead."""

    scales: Scales
    tried: list[dict[str, Any]]


def choose_scales(
    statistics: GraphStatistics,
    graph: Graph,
    options: Sequence[Scales],
    make_scale: Callable[[float], Scale],
    seed: int,
) -> ScaleChoice:
    """The first of the options, whose `statistics` are given, or one that is clearly better.

    `make_scale` gives the Gaussian and its mean at a scale t. Where the graph is too small to judge by, or so
    large that the rows of a few hundred queries do not fit the memory, nothing is tried.
    """
    size = min(QUERIES, int(ROW_BYTES / (16 * graph.n_vertices)))
    rng = np.random.default_rng(seed)
    ends, weight = sample_edges(graph, size, rng)
    if len(ends) < ENOUGH:
        return ScaleChoice(options[0], [])
    queries = _queries(statistics, graph, ends, weight, rng, seed)
    own = per_vertex(queries, graph)
    own = own / own.sum()
    half = np.random.default_rng(seed).permutation(graph.n_vertices)[ends[:, 0]] % 2 == 0
    known = dict(zip(options[0], statistics.scales, strict=True))
    first: FloatArray | None = None
    best, lead, tried = options[0], 0.0, []
    for scales in options:
        made = [_of_scale(known[t] if t in known else make_scale(t), graph, queries) for t in scales]
        x = np.concatenate([*made, queries.statistics], axis=-1)
        found = _judged(queries._replace(statistics=x), own, half, seed)
        first = found if first is None else first
        gain = float((found - first) @ own)
        error = float(np.sqrt((((found - first) * own) ** 2).sum()))
        if gain > max(lead, CLEARLY * error):
            best, lead = scales, gain
        figures = {"reciprocal_rank": float(found @ own), "lead": gain, "error": error}
        tried.append({"scales": list(scales), **figures})
    return ScaleChoice(best, tried)


def _queries(
    statistics: GraphStatistics,
    graph: Graph,
    ends: Any,
    weight: FloatArray,
    rng: np.random.Generator,
    seed: int,
) -> Queries:
    """With all numbers but those of the scales; hard candidates are the likeliest to be walked to."""
    at = np.unique(ends)
    rows, alike = statistics.walk.gaussian.some_rows(at), np.ones(graph.n_vertices)
    candidates, log_weight = draw_candidates(
        ends, at, rows, alike, graph.csr, rng, removed=True, alike=statistics.alike
    )
    numbers = statistics.without_beside_scales(at, ends, edge_ids(graph, ends), candidates)
    return with_known_degrees(graph, Queries(ends, weight, candidates, log_weight, numbers), seed).queries


def _of_scale(scale: Scale, graph: Graph, queries: Queries) -> npt.NDArray[np.float32]:
    """(q, c, 2) of the queries without their edges."""
    ends, gaussian = queries.ends, scale.gaussian
    at = np.unique(ends)
    strength = gaussian.strength[edge_ids(graph, ends)]
    places = np.searchsorted(at, ends)
    found = ScaleStatistics(scale, "").without(
        gaussian.some_rows(at), places, ends, strength, queries.candidates
    )
    return found.astype(np.float32)


def _judged(queries: Queries, own: FloatArray, half: npt.NDArray[np.bool_], seed: int) -> FloatArray:
    """(q,) reciprocal ranks by heads that were trained on the other half."""
    out = np.zeros(len(half))
    for mask in (half, ~half):
        if mask.any() and not mask.all():
            learnt, held = queries.part(~mask), queries.part(mask)
            head = fit_ranking(learnt, own[~mask], seed, networks=1)
            out[mask] = reciprocal_ranks(head(held.statistics), held)
    return out
