"""Callbacks: what to look at while training."""

from typing import Any, NamedTuple

from acvae import metrics
from acvae._checks import whole_number
from acvae.splits import EdgeSplit
from acvae.training.state import TrainingState

__all__ = ["LinkPrediction", "Selected"]


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
        self.split, self.every = split, whole_number("every", every, minimum=1)
        self.pairwise, self.prefix = pairwise, prefix
        self.selected: Selected | None = None
        self.latest: Selected | None = None

    def __call__(self, state: TrainingState) -> dict[str, float] | None:
        if state.epoch % self.every and state.epoch != state.epochs:
            return None
        posterior = state.posterior(self.pairwise)
        scores = metrics.evaluate(posterior, self.split.train, self.split.test)
        mean_correlation = (
            float(posterior.correlation.mean())
            if len(posterior.forest)
            else state.figures["mean_correlation"]
        )
        now = Selected(state.epoch, state.elbo(), scores, state.figures["kl"], mean_correlation)
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
