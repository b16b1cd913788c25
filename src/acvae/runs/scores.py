"""The scores of a run: link prediction on its split by every ranking it has, clusters against classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae import metrics
from acvae._util.checks import flag, instance
from acvae._util.progress import Progress, Waiting
from acvae.exceptions import OptionError
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.methods import RANKINGS
from acvae.runs.clusters import clusters_by, clusters_of
from acvae.runs.collapse import spread_of
from acvae.runs.config import RunConfig
from acvae.runs.folder import Run
from acvae.runs.probabilities import calibration_scores, classification_scores
from acvae.runs.rankings import links_of, rankers_of
from acvae.splits import EdgeSplit

__all__ = ["link_scores", "score_model", "score_run", "watched"]

PAIRS_AT_ONCE = 400_000_000  # pairs times hidden units that a pair network ranks within seconds


def score_model(
    config: RunConfig,
    model: Any,
    split: EdgeSplit | None,
    *,
    pairs: Posterior | None = None,
    known: Mapping[str, Any] | None = None,
    progress: bool = False,
) -> dict[str, Any] | None:
    """The scores of a training that has just ended; None without held-out edges.

    `known` are link scores, by ranking, that are there already. The pair network is asked where that is
    quick.
    """
    if split is None:
        return None
    rankers: dict[str, Any] = {}
    links = links_of(model)
    if links is not None:
        rankers["link"] = links
    rankers[config.method.ranking] = model.posterior_
    n = split.train.n_vertices
    if pairs is not None and n * n * config.options.get("pair_hidden_dim", 0) <= PAIRS_AT_ONCE:
        rankers["pairwise"] = pairs
    scores = _about(config, split.train, split.test)
    scores["link_prediction"] = _link_prediction(rankers, split.train, split.test, known or {}, progress)
    calibration = None
    if links is not None:
        calibration = calibration_scores(links, split.train, split.test, progress=progress)
    if calibration is not None:
        scores["calibration"] = calibration
    scores["embeddings"] = spread_of(model.posterior_)._asdict()
    return scores


def score_run(
    run: Run, *, pair_network: bool = True, clusters: bool = False, progress: bool = False
) -> dict[str, Any]:
    """All scores as plain values; where something for them cannot be had, `notes` says so."""
    notes: list[str] = []
    instance("run", run, Run, OptionError).need_finished()
    for name, value in (("pair_network", pair_network), ("clusters", clusters), ("progress", progress)):
        flag(name, value)
    with Waiting("reading the run", show=progress):
        rankers = rankers_of(run, pair_network=pair_network, notes=notes)
    test = run.graph.with_edges([]) if run.test is None else run.test
    scores = _about(run.config, run.graph, test)
    scores["link_prediction"] = _link_prediction(rankers, run.graph, test, {}, progress)
    calibration = None
    if "link" in rankers:
        calibration = calibration_scores(rankers["link"], run.graph, test, progress=progress)
    if calibration is not None:
        scores["calibration"] = calibration
    scores["embeddings"] = spread_of(run.posterior)._asdict()
    classes = run.classes if clusters else None
    if classes is not None:
        by = clusters_by(run.config.method, run.posterior)
        scores["clustering"] = {
            name: _cluster_scores(ranker, classes, by, progress=progress)
            for name, ranker in rankers.items()
            if name != "link"  # probabilities are no distances
        }
        told = classification_scores(run.posterior.mean, classes, progress=progress)
        scores |= {} if told is None else {"classification": told}
    return {**scores, "notes": notes} if notes else scores


def link_scores(scores: metrics.LinkScores) -> dict[str, Any]:
    """As plain values."""
    return {
        "ncrr": scores.ncrr._asdict(),
        "mrr": scores.mrr._asdict(),
        f"hits_at_{scores.k}": scores.hits._asdict(),
    }


def _about(config: RunConfig, train: Graph, test: Graph) -> dict[str, Any]:
    return {
        "model": config.model,
        "data": config.data_name,
        "n_vertices": train.n_vertices,
        "train_edges": train.n_edges,
        "test_edges": test.n_edges,
        "epochs": config.options.get("epochs"),
    }


def _link_prediction(
    rankers: Mapping[str, Any], train: Graph, test: Graph, known: Mapping[str, Any], progress: bool
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, ranker in rankers.items():
        if name in known:
            found[name] = known[name]
            continue
        shown = watched(ranker, f"ranking by {RANKINGS[name].title}", show=progress)
        found[name] = link_scores(metrics.evaluate(shown, train, test))
    return found


def _cluster_scores(
    posterior: Posterior, labels: npt.NDArray[np.int64], by: str, *, progress: bool
) -> dict[str, Any]:
    known = labels >= 0  # vertices without a class have a negative one
    k = len(np.unique(labels[known]))
    found = clusters_of(posterior, k, by, progress=progress)
    return {
        "k": k,
        "by": by,
        "nmi_arithmetic": metrics.nmi(labels[known], found[known], "arithmetic"),
        "nmi_geometric": metrics.nmi(labels[known], found[known], "geometric"),
        "cluster_counts": np.bincount(found, minlength=k).tolist(),
    }


def watched(ranking: Ranking, label: str, *, show: bool) -> Ranking:
    """The same ranking, which shows progress whenever distances are streamed from it."""
    return _Watched(ranking, label) if show else ranking


class _Watched:
    def __init__(self, ranking: Ranking, label: str) -> None:
        self._ranking, self._label = ranking, label
        self.n_vertices = ranking.n_vertices

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ranking, name)

    def distance_blocks(
        self, rows: npt.ArrayLike | None = None, block_rows: int | None = None
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[Any]]]:
        total = self.n_vertices if rows is None else np.size(rows)
        more = () if block_rows is None else (block_rows,)
        with Progress(total, self._label) as progress:
            for found in self._ranking.distance_blocks(rows, *more):
                yield found
                progress.advance(len(found[0]))
