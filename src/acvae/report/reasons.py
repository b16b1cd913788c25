"""Why a link: what the model itself says of the best pairs, and the features of each vertex that tell most.

What the page can find out for itself, such as common neighbours and paths, it does, for any pair.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.exceptions import AcvaeError
from acvae.report.entry import Entry
from acvae.report.packing import NOBODY, ids

__all__ = ["explanations", "telling_features"]

IntArray = npt.NDArray[np.int64]

SECONDS = 8.0  # for the model's own explanations; the best pairs of the graph come first
MOST_EXPLAINED = 5_000
MOST_NAMED = 4  # features and neighbours in one sentence
LEAST_FLOW = 0.05  # share of the correlation that a neighbour must carry to be named
MOST_WORDS = 4  # sentences of one explanation
FEATURES = 8  # of each vertex
MOST_FEATURE_NAMES = 20_000


def explanations(
    entry: Entry, found: IntArray, first: list[list[int]], *, seconds: float = SECONDS
) -> dict[str, list[str]]:
    """Sentences by "vertex place": of the pairs in `first`, then of hubs, until the time is up."""
    explain = getattr(entry.predictor, "explain", None)
    if explain is None:
        return {}
    hubs = np.argsort(-entry.graph.degrees, kind="stable").tolist()
    wanted = [tuple(pair) for pair in first]
    wanted += [(v, place) for place in range(min(3, found.shape[1])) for v in hubs]
    said: dict[str, list[str]] = {}
    called = _called(entry)
    start = time.monotonic()
    for v, place in wanted[:MOST_EXPLAINED]:
        if time.monotonic() - start > seconds:
            break
        if found[v, place] >= 0:
            try:
                words = _words(explain(v, int(found[v, place])), entry.feature_names, called)
            except AcvaeError:
                continue
            if words:
                said[f"{v} {place}"] = words
    return said


def _called(entry: Entry) -> dict[Any, str] | None:
    """What people call the vertices, by what the model calls them."""
    if entry.display_names is None:
        return None
    ids = range(entry.graph.n_vertices) if entry.graph.names is None else entry.graph.names.tolist()
    return dict(zip(ids, entry.names, strict=True))


def _words(told: Any, feature_names: Any, called: dict[Any, str] | None) -> list[str]:
    words = told
    if hasattr(told, "words"):
        more = {} if called is None else {"called": called}
        words = told.words(feature_names, most=MOST_NAMED, least=LEAST_FLOW, **more)
    if not isinstance(words, (list, tuple)):
        words = [line.strip() for line in str(words).splitlines() if line.strip()]
    return [str(word)[:300] for word in words[:MOST_WORDS]]


def telling_features(entry: Entry, k: int = FEATURES) -> dict[str, Any] | None:
    """Of every vertex its k rarest features, numbers into a list of names; None where features have no names.

    A feature that nobody else has tells nothing of a pair and is left out.
    """
    if entry.features is None or entry.feature_names is None or entry.features.shape[0] == 0:
        return None
    x = sp.csr_array(entry.features)
    n, d = x.shape
    share = np.bincount(x.indices[x.data != 0], minlength=d)
    if share.max(initial=0) == 0 or np.median(np.diff(x.indptr)) > 0.5 * d > 50:
        return None  # dense numbers: having one tells nothing
    vertex = np.repeat(np.arange(n), np.diff(x.indptr))
    good = (x.data > 0) & (share[x.indices] > 1) & (share[x.indices] <= 0.5 * n)
    vertex, feature = vertex[good], x.indices[good].astype(np.int64)
    order = np.lexsort((feature, share[feature], vertex))
    vertex, feature = vertex[order], feature[order]
    place = np.arange(len(vertex)) - np.searchsorted(vertex, vertex)
    vertex, feature, place = vertex[place < k], feature[place < k], place[place < k]
    used = np.unique(feature)
    if len(used) == 0 or len(used) > MOST_FEATURE_NAMES:
        return None
    table = np.full((n, k), NOBODY)
    table[vertex, place] = np.searchsorted(used, feature)
    return {
        "k": k,
        "ids": ids(table, len(used)),
        "names": [str(entry.feature_names[f]) for f in used],
    }
