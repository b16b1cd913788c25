"""The scores of a run: link prediction on its split, clusters against labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from acvae import metrics
from acvae._util.progress import Progress
from acvae.clustering import cluster
from acvae.datasets import Dataset
from acvae.exceptions import AcvaeError
from acvae.gaussian.posterior import Posterior
from acvae.runs.folder import Run
from acvae.runs.methods import METHODS

__all__ = ["link_scores", "score_run", "watched"]

KIND_NAMES = {
    "bp": "belief propagation",
    "graph": "the whole graph",
    "pairwise": "pair network",
    "independent": "independent embeddings",
}


def score_run(
    run: Run,
    *,
    pair_network: bool = True,
    clusters: bool = False,
    own_links: dict[str, Any] | None = None,
    progress: bool = False,
) -> dict[str, Any]:
    """All scores as plain values.

    The pair network beside a joint and the labels for clusters need the data again; where those cannot be
    had, `notes` says so. `own_links` are scores by the model's own posterior that are known already.
    """
    own, *others = METHODS[run.config.model].kinds
    notes: list[str] = []
    data: Dataset | None = None
    wanted = ["the pair network"] if pair_network and others else []
    if clusters and "dataset" in run.config.data:  # files of one's own have no labels
        wanted.append("clusters")
    if wanted:
        try:
            data = run.load_data()
        except (AcvaeError, OSError) as error:
            notes.append(f"without the data there are no scores of {' and '.join(wanted)}: {error}")
    posteriors = {own: run.posterior}
    if pair_network and others and data is not None:
        posteriors[others[0]] = run.model.pairwise_posterior(data.features)
    test = run.graph.with_edges([]) if run.test is None else run.test
    scores: dict[str, Any] = {
        "model": run.config.model,
        "data": run.config.data_name,
        "n_vertices": run.graph.n_vertices,
        "train_edges": run.graph.n_edges,
        "test_edges": test.n_edges,
        "epochs": run.config.options["epochs"],
        "link_prediction": {},
    }
    for kind, posterior in posteriors.items():
        if kind == own and own_links is not None:
            scores["link_prediction"][kind] = own_links
            continue
        shown = watched(posterior, f"ranking by {KIND_NAMES[kind]}", show=progress)
        scores["link_prediction"][kind] = link_scores(metrics.evaluate(shown, run.graph, test))
    if clusters and data is not None and data.labels is not None:
        scores["clustering"] = {}
        for kind, posterior in posteriors.items():
            scores["clustering"][kind] = _cluster_scores(posterior, data.labels, progress=progress)
    return {**scores, "notes": notes} if notes else scores


def link_scores(scores: metrics.LinkScores) -> dict[str, Any]:
    """As plain values."""
    return {
        "ncrr": scores.ncrr._asdict(),
        "mrr": scores.mrr._asdict(),
        f"hits_at_{scores.k}": scores.hits._asdict(),
    }


def _cluster_scores(posterior: Posterior, labels: npt.NDArray[np.int64], *, progress: bool) -> dict[str, Any]:
    k = len(np.unique(labels))
    found = cluster(posterior, k, progress=progress)
    return {
        "k": k,
        "nmi_arithmetic": metrics.nmi(labels, found, "arithmetic"),
        "nmi_geometric": metrics.nmi(labels, found, "geometric"),
        "cluster_counts": np.bincount(found, minlength=k).tolist(),
    }


def watched(posterior: Posterior, label: str, *, show: bool) -> Posterior:
    """The same posterior, which shows progress whenever distances are streamed from it."""
    return cast(Posterior, _Watched(posterior, label)) if show else posterior


class _Watched:
    def __init__(self, posterior: Posterior, label: str) -> None:
        self._posterior, self._label = posterior, label

    def __getattr__(self, name: str) -> Any:
        return getattr(self._posterior, name)

    def distance_blocks(
        self, rows: npt.ArrayLike | None = None, block_rows: int | None = None
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[Any]]]:
        total = self._posterior.n_vertices if rows is None else np.size(rows)
        with Progress(total, self._label) as progress:
            for found in self._posterior.distance_blocks(rows, block_rows):
                yield found
                progress.advance(len(found[0]))
