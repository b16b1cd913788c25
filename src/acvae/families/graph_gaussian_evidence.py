"""GraphGaussian's evidence, and whether real values give their direction or their position.

Which of the two is told by the links: neither knows of them, so how well each ranks the known links is a fair
comparison without leaving any out. Position is taken where its mean reciprocal rank is better by more than
two standard errors of the difference.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.exceptions import FeatureError
from acvae.gaussian.evidence import Evidence
from acvae.graph import Graph
from acvae.links.statistics.scales import unit_rows

__all__ = ["EvidenceRows", "fit_evidence"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

EVIDENCE = 256  # least dimensions of the evidence, however few of them the posterior shows
# Vertices from which on evidence is held in single precision, and least dimensions of it then.
LARGE, LARGE_EVIDENCE = 200_000, 64
ROWS_AT_A_TIME = 65_536  # of features
QUERIES, CANDIDATES, ENOUGH = 1000, 20_000, 20  # links that are ranked, among so many, and least of them
CLEARLY = 2.0  # standard errors
BLOCK = 100  # queries at a time


class EvidenceRows(NamedTuple):
    """The map of features, its rows (n, d), which vertices (n,) have any, and what was tried.

    `tried` are mean reciprocal ranks of links by what the features may be taken as, where that was asked.
    """

    evidence: Evidence | None
    rows: FloatArray
    seen: BoolArray
    tried: dict[str, float]


def fit_evidence(
    features: Any, graph: Graph, latent_dim: int, observed: BoolArray | None, seed: int
) -> EvidenceRows:
    """Of features (n, D), which may be None, of the vertices that are `observed` (n,)."""
    n = graph.n_vertices
    mask = np.ones(n, dtype=bool) if observed is None else np.asarray(observed)
    if mask.shape != (n,) or mask.dtype != np.bool_:
        raise FeatureError(
            f"observed must be a boolean mask of {n} vertices, got {mask.dtype} of shape {mask.shape}."
        )
    if features is None or features.shape[1] == 0 or not mask.any():
        return EvidenceRows(None, np.zeros((n, 0)), np.zeros(n, dtype=bool), {})
    if features.shape[0] != n:
        raise FeatureError(f"the graph has {n} vertices, but there are {features.shape[0]} rows of features.")
    kept = features if mask.all() else features[np.flatnonzero(mask)]
    width = max(latent_dim, EVIDENCE if n < LARGE else LARGE_EVIDENCE)
    evidence = Evidence.fit(kept, width, seed=seed)
    tried: dict[str, float] = {}
    if evidence.kind == "real":
        options = (evidence, Evidence.fit(kept, width, seed=seed, position=True))
        evidence, tried = _by_links(options, features, graph, mask, seed)
    rows = np.zeros((n, evidence.dimensions), dtype=np.float64 if n < LARGE else np.float32)
    seen = np.zeros(n, dtype=bool)
    for part in np.array_split(np.flatnonzero(mask), -(-int(mask.sum()) // ROWS_AT_A_TIME)):
        rows[part], seen[part] = evidence.project(features[part])
    return EvidenceRows(evidence, rows, seen, tried)


def _by_links(
    options: tuple[Evidence, Evidence], features: Any, graph: Graph, mask: BoolArray, seed: int
) -> tuple[Evidence, dict[str, float]]:
    """The second if it ranks links clearly better, else the first; mean reciprocal ranks of both."""
    rng = np.random.default_rng(seed)
    edges = graph.edges[mask[graph.edges].all(axis=1)]
    if len(edges) < ENOUGH:
        return options[0], {}
    links = edges[np.sort(rng.choice(len(edges), min(QUERIES, len(edges)), replace=False))]
    links = np.where(rng.random((len(links), 1)) < 0.5, links, links[:, ::-1])
    everyone = np.flatnonzero(mask)
    others = np.sort(rng.choice(everyone, min(CANDIDATES, len(everyone)), replace=False))
    first, second = (_reciprocal_ranks(each, features, graph, links, others) for each in options)
    lead = second - first
    clearly = lead.mean() > CLEARLY * lead.std() / np.sqrt(len(lead))
    tried = {each.kind: float(found.mean()) for each, found in zip(options, (first, second), strict=True)}
    return options[int(clearly)], tried


def _reciprocal_ranks(
    evidence: Evidence, features: Any, graph: Graph, links: IntArray, others: IntArray
) -> FloatArray:
    """(q,) of links (i, j), of j for i by the cosine, among `others` but i's links; ties count against."""
    table, out = unit_rows(evidence.project(features[others])[0]), []
    for first in range(0, len(links), BLOCK):
        i, j = links[first : first + BLOCK].T
        own, answer = (unit_rows(evidence.project(features[end])[0]) for end in (i, j))
        before = own @ table.T >= (own * answer).sum(axis=1)[:, None]
        for row, vertex in zip(before, i, strict=True):
            row[np.isin(others, np.append(graph.neighbors(vertex), vertex))] = False
        out.append(1.0 / (1 + before.sum(axis=1)))
    return np.concatenate(out)
