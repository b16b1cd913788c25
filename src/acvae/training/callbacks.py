"""Callbacks: what to look at while training."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae import metrics
from acvae._util.checks import as_labels, flag, instance, whole_number
from acvae.clustering import cluster
from acvae.exceptions import GraphError, OptionError
from acvae.gaussian.posterior import Posterior
from acvae.splits import EdgeSplit
from acvae.training.loop import EpochState
from acvae.training.sharded import link_scores

__all__ = ["Clustering", "LinkPrediction", "Selected", "SelectedClusters"]


class Selected(NamedTuple):
    """An evaluation that was taken: when, the ELBO then, and all scores."""

    epoch: int
    elbo: float
    scores: metrics.LinkScores
    kl: float
    mean_correlation: float


class LinkPrediction:
    """Evaluate link prediction every so many epochs and after the last, and select as the paper does.

    An evaluation is taken only if both the train ELBO and the train NCRR are better than at the last taken
    one; `selected` is the last taken, `latest` the last evaluated.

    Parameters
    ----------
    split
        Train and test graphs; the model must be trained on the train graph.
    every
        Epochs between evaluations.
    pairwise
        Rank by the pair network instead of the model's joint (ACVAE without belief propagation).
    prefix
        Put before the names of the figures in the history, to tell two evaluations apart.
    """

    def __init__(
        self, split: EdgeSplit, every: int = 10, *, pairwise: bool = False, prefix: str = ""
    ) -> None:
        self.split = instance("split", split, EdgeSplit, GraphError)
        self.every = whole_number("every", every, minimum=1)
        self.pairwise, self.prefix = flag("pairwise", pairwise), instance("prefix", prefix, str, OptionError)
        self.selected: Selected | None = None
        self.latest: Selected | None = None

    def __call__(self, state: EpochState) -> dict[str, float] | None:
        if state.epoch % self.every and state.epoch != state.epochs:
            return None
        posterior = state.posterior(self.pairwise)
        scores = link_scores(state.world, posterior, self.split.train, self.split.test)
        rho = _mean_correlation(posterior, state)
        now = Selected(state.epoch, state.elbo(), scores, state.figures.get("kl", math.nan), rho)
        self.latest = now
        last = self.selected
        if last is None or (now.elbo > last.elbo and scores.ncrr.train > last.scores.ncrr.train):
            self.selected = now
        figures: dict[str, Any] = {
            "train_elbo": now.elbo,
            "train_ncrr": scores.ncrr.train,
            "test_ncrr": scores.ncrr.test,
            "test_mrr": scores.mrr.test,
            "test_hits": scores.hits.test,
        }
        return {self.prefix + name: value for name, value in figures.items()}


class SelectedClusters(NamedTuple):
    """Clusters that were taken: when, the ELBO then, and how well they agree with the labels."""

    epoch: int
    elbo: float
    nmi_arithmetic: float
    nmi_geometric: float
    cluster_counts: tuple[int, ...]
    kl: float
    mean_correlation: float


class Clustering:
    """Cluster every so many epochs and after the last, and select as the paper does.

    Complete linkage on the expected distances, compared with given labels. Clusters are taken whenever the
    train ELBO is better than at the last taken ones, and not even computed when it is not.

    Parameters
    ----------
    labels
        (n,) classes to compare with; as many clusters are made as there are classes, unless `k` is given.
    every
        Epochs between evaluations.
    k
        Number of clusters.
    pairwise, prefix
        As for `LinkPrediction`.
    """

    def __init__(
        self,
        labels: npt.ArrayLike,
        every: int = 10,
        *,
        k: int | None = None,
        pairwise: bool = False,
        prefix: str = "",
    ) -> None:
        self.labels = as_labels("labels", labels)
        self.every = whole_number("every", every, minimum=1)
        self.k = whole_number("k", len(np.unique(self.labels)) if k is None else k, minimum=1)
        self.pairwise, self.prefix = flag("pairwise", pairwise), instance("prefix", prefix, str, OptionError)
        self.selected: SelectedClusters | None = None

    def __call__(self, state: EpochState) -> dict[str, float] | None:
        if state.epoch % self.every and state.epoch != state.epochs:
            return None
        elbo = state.elbo()
        figures = {"train_elbo": elbo}
        if self.selected is None or elbo > self.selected.elbo:
            posterior = state.posterior(self.pairwise)
            found = cluster(posterior, self.k)
            self.selected = SelectedClusters(
                state.epoch,
                elbo,
                metrics.nmi(self.labels, found, "arithmetic"),
                metrics.nmi(self.labels, found, "geometric"),
                tuple(np.bincount(found, minlength=self.k).tolist()),
                state.figures.get("kl", math.nan),
                _mean_correlation(posterior, state),
            )
            figures["nmi_arithmetic"] = self.selected.nmi_arithmetic
            figures["nmi_geometric"] = self.selected.nmi_geometric
        return {self.prefix + name: value for name, value in figures.items()}


def _mean_correlation(posterior: Posterior, state: EpochState) -> float:
    """Mean over the forest of the joint; without one, the training's own mean over the edges."""
    if posterior.has_forest:
        return float(posterior.joint.correlation.mean())
    return state.figures.get("mean_correlation", math.nan)
