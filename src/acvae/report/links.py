"""What the search shows of a vertex: its predicted links, its known neighbours, its held-out ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.report.entry import Entry
from acvae.report.packing import NOBODY, floats, ids

__all__ = ["PredictedLinks", "best_pairs", "held_out", "known_neighbors", "predicted_links"]

IntArray = npt.NDArray[np.int64]

LINKS = 10
ROWS_AT_A_TIME = 256
LARGE = 10_000  # vertices: above, links are predicted of those with the most neighbours, until the time is up
SECONDS = 20.0
BEST_PAIRS = 24
MOST_OF_ONE = 3  # of the best pairs, those with the same vertex
MOST_NEIGHBORS = 200  # known neighbours of a vertex that a page lists


class PredictedLinks(NamedTuple):
    """The k best new links of vertices; NOBODY, at distance and probability 0, where there are none."""

    ids: IntArray  # (n, k)
    distance: npt.NDArray[Any]  # (n, k)
    probability: npt.NDArray[Any] | None  # (n, k), or None where the run has no predictor
    asked: npt.NDArray[np.bool_]  # (n,) of which vertices links were predicted at all


def predicted_links(
    entry: Entry,
    k: int = LINKS,
    *,
    large: int = LARGE,
    seconds: float = SECONDS,
    advance: Callable[[int], None] = lambda rows: None,
) -> PredictedLinks:
    """The k best new links of every vertex, by probability where the run has a predictor, else by distance.

    All pairs of a `large` graph would take minutes. There, vertices of most neighbours come first, and after
    so many `seconds` no more are begun. Where links run out there is no infinity: JSON knows none.
    """
    n = entry.posterior.n_vertices
    found, distance = np.full((n, k), NOBODY), np.zeros((n, k), np.float32)
    probability = None if entry.predictor is None else np.zeros((n, k), np.float32)
    asked = np.zeros(n, dtype=bool)
    order = np.arange(n) if n <= large else np.argsort(-entry.graph.degrees, kind="stable")
    began = time.monotonic()
    for start in range(0, n, ROWS_AT_A_TIME):
        if start and n > large and time.monotonic() - began > seconds:
            advance(n - start)
            break
        rows = order[start : start + ROWS_AT_A_TIME]
        asked[rows] = True
        if entry.predictor is None or probability is None:
            found[rows], distance[rows] = entry.posterior.nearest(rows, k, exclude=entry.graph)
        else:
            who, chance = entry.predictor.predict_links(rows, k, entry.graph)
            wide = min(k, np.shape(who)[1])
            found[rows, :wide] = np.asarray(who)[:, :wide]
            probability[rows, :wide] = np.asarray(chance)[:, :wide]
            others = np.maximum(found[rows], 0)
            distance[rows] = entry.posterior.pair_distance(rows[:, None], others)
        advance(len(rows))
    nobody = found < 0
    distance[nobody] = 0
    if probability is not None:
        probability[nobody] = 0
        probability = np.clip(np.nan_to_num(probability), 0, 1)
    return PredictedLinks(found, distance, probability, asked)


def best_pairs(
    found: IntArray, distance: npt.NDArray[Any], probability: npt.NDArray[Any] | None, count: int = BEST_PAIRS
) -> list[list[int]]:
    """The best links of the whole graph as [vertex, place in its list], each pair once.

    By probability, else by distance; no vertex is in more than a few, so that one hub does not take all.
    """
    score = distance if probability is None else -probability
    score = np.where(found < 0, np.inf, score)
    flat = score.ravel()
    near = np.argsort(flat, kind="stable")[: 400 * count]
    chosen: list[list[int]] = []
    seen: set[tuple[int, int]] = set()
    times: dict[int, int] = {}
    for at in near.tolist():
        v, place = divmod(at, found.shape[1])
        w = int(found[v, place])
        pair = (min(v, w), max(v, w))
        if w < 0 or pair in seen or max(times.get(v, 0), times.get(w, 0)) >= MOST_OF_ONE:
            continue
        seen.add(pair)
        times[v], times[w] = times.get(v, 0) + 1, times.get(w, 0) + 1
        chosen.append([v, place])
        if len(chosen) == count:
            break
    return chosen


def known_neighbors(posterior: Posterior, known: Graph, most: int = MOST_NEIGHBORS) -> dict[str, Any]:
    """The neighbours of every vertex, nearest first, with their distances; the nearest `most` of a hub."""
    n = known.n_vertices
    _, neighbor = known.csr
    vertex = np.repeat(np.arange(n), known.degrees)
    distance = posterior.pair_distance(vertex, neighbor)
    order = np.lexsort((neighbor, distance, vertex))
    first = np.cumsum(known.degrees) - known.degrees
    order = order[np.arange(len(order)) - first[vertex] < most]
    start = np.concatenate([[0], np.cumsum(np.minimum(known.degrees, most))])
    return {
        "start": _starts(start),
        "ids": ids(neighbor[order], n),
        "distance": floats(distance[order]),
        "degree": ids(known.degrees, n),
    }


def held_out(test: Graph) -> dict[str, Any]:
    """The held-out neighbours of every vertex."""
    indptr, neighbor = test.csr
    return {"start": _starts(indptr), "ids": ids(neighbor, test.n_vertices)}


def _starts(indptr: IntArray) -> dict[str, str]:
    return ids(indptr, int(indptr[-1]) + 1)
