"""Completing features: half of the vertices lose theirs, and the columns they had are ranked.

A method is given the features of the other half, with zeros for the hidden rows, and the whole graph. It
answers with an expected value for each column of each hidden row; relevant are the columns that are not zero.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.seeds import stream_seed
from acvae.datasets import Dataset
from acvae.exceptions import FeatureError
from acvae.graph import Graph
from acvae.reproduce.compare.rules import adjacency_of

__all__ = [
    "METRICS",
    "Completer",
    "column_means",
    "feature_propagation",
    "hidden_half",
    "mean_of_neighbours",
    "ranking_quality",
    "score_completion",
]

CUTS = (10, 20, 50)
METRICS = {
    **{f"recall_at_{k}": f"recall@{k}" for k in CUTS},
    **{f"ndcg_at_{k}": f"nDCG@{k}" for k in CUTS},
    "cpu_seconds": "CPU s",
}
BLOCK_ROWS = 512
STEPS = 40  # of feature propagation, as its authors have it

BoolArray = npt.NDArray[np.bool_]
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Completer:
    """A way to complete features.

    `complete(features, graph, observed, rows, seed)` gives (r, D) expected values of the hidden `rows`;
    `features` have zeros in all rows that are not `observed` (n,).
    """

    name: str
    label: str
    kind: str
    complete: Callable[[sp.csr_array, Graph, BoolArray, npt.NDArray[np.int64], int], Array]


def score_completion(method: Completer, data: Dataset, seed: int) -> dict[str, Any]:
    """Recall and nDCG of one method on one random half."""
    observed = hidden_half(data.graph.n_vertices, seed)
    features = sp.csr_array(data.features)
    # A row without any feature has nothing to be found, and would count as a failure of everyone.
    rows = np.flatnonzero(~observed & (np.diff(features.indptr) > 0))
    seen = sp.csr_array(sp.diags_array(observed.astype(features.dtype)) @ features)
    seen.eliminate_zeros()
    begun, cpu = time.perf_counter(), time.process_time()
    found = np.asarray(method.complete(seen, data.graph, observed, rows, seed))
    spent = {"seconds": time.perf_counter() - begun, "cpu_seconds": time.process_time() - cpu}
    if found.shape != (len(rows), features.shape[1]):
        raise FeatureError(
            f"{method.name} completed {found.shape}, but {(len(rows), features.shape[1])} was asked."
        )
    return {**ranking_quality(found, sp.csr_array(features[rows]), seed), **spent}


def hidden_half(n: int, seed: int) -> BoolArray:
    """(n,) True for the vertices that keep their features; one more than half where n is odd."""
    rng = np.random.default_rng(stream_seed(seed, "hidden features"))
    observed = np.ones(n, dtype=bool)
    observed[rng.choice(n, n // 2, replace=False)] = False
    return observed


def ranking_quality(found: Array, true: sp.csr_array, seed: int = 0) -> dict[str, float]:
    """Recall@k and nDCG@k, means over rows.

    Recall is (columns found among the first k) / (columns there are); nDCG weights the place p = 1, 2, … by
    1/log2(p + 1), relative to the best order there could be. Equal values come in a random order.
    """
    rng = np.random.default_rng(seed)
    depth = min(max(CUTS), found.shape[1])
    gain = 1 / np.log2(np.arange(2, depth + 2))
    total = np.diff(true.indptr)
    sums = {key: 0.0 for key in METRICS if key != "cpu_seconds"}
    for start in range(0, len(found), BLOCK_ROWS):
        values = found[start : start + BLOCK_ROWS]
        relevant = true[start : start + BLOCK_ROWS].toarray() != 0
        order = np.lexsort((rng.random(values.shape), -values), axis=1)[:, :depth]
        hit = np.take_along_axis(relevant, order, axis=1)
        count = total[start : start + BLOCK_ROWS]
        for k in CUTS:
            first = hit[:, :k]
            ideal = np.concatenate([[0.0], np.cumsum(gain[:k])])[np.minimum(count, min(k, depth))]
            sums[f"recall_at_{k}"] += float((first.sum(1) / count).sum())
            sums[f"ndcg_at_{k}"] += float(((first @ gain[: first.shape[1]]) / ideal).sum())
    return {key: value / max(len(found), 1) for key, value in sums.items()}


# ---------------------------------------------------------------------- without training


def column_means(
    features: sp.csr_array, graph: Graph, observed: BoolArray, rows: npt.NDArray[np.int64], seed: int
) -> Array:
    """The same for all: how frequent a column is."""
    return np.repeat(_means(features, observed)[None], len(rows), axis=0)


def mean_of_neighbours(
    features: sp.csr_array, graph: Graph, observed: BoolArray, rows: npt.NDArray[np.int64], seed: int
) -> Array:
    """Mean over the neighbours whose features are known; the column means break ties, or stand alone."""
    adjacency = adjacency_of(graph)
    known = adjacency @ observed.astype(np.float64)
    total = (adjacency[rows] @ features).toarray()
    mean = _means(features, observed)
    return total / np.maximum(known[rows, None], 1) + 1e-6 * mean


def feature_propagation(
    features: sp.csr_array, graph: Graph, observed: BoolArray, rows: npt.NDArray[np.int64], seed: int
) -> Array:
    """X ← D^−½·A·D^−½·X with the known rows put back after each of 40 steps (Rossi et al., 2022).

    What is not reached from a known row stays zero there; here the column means break such ties.
    """
    root = 1 / np.sqrt(np.maximum(graph.degrees, 1))
    step = sp.csr_array(sp.diags_array(root) @ adjacency_of(graph) @ sp.diags_array(root)).astype(np.float32)
    hidden = np.flatnonzero(~observed)
    inside, across = step[hidden][:, hidden], step[hidden][:, observed]
    source = (across @ features[observed]).toarray().astype(np.float32)
    state = np.zeros_like(source)
    for _ in range(STEPS):
        state = inside @ state + source
    place = np.searchsorted(hidden, rows)
    return state[place] + 1e-6 * _means(features, observed)


def _means(features: sp.csr_array, observed: BoolArray) -> Array:
    mean: Array = np.asarray(features.sum(axis=0)).ravel() / max(int(observed.sum()), 1)
    return mean
