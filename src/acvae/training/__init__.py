"""Training: what is optimised, the prior's weights, and the loop that alternates between the two."""

from acvae.training.batches import BatchSizes
from acvae.training.callbacks import Clustering, LinkPrediction
from acvae.training.checkpoint import Checkpoint
from acvae.training.loop import Callback, EpochState, Plan, train
from acvae.training.prior import AdaptivePrior, FixedPrior, Prior
from acvae.training.problem import Problem

__all__ = [
    "AdaptivePrior",
    "BatchSizes",
    "Callback",
    "Checkpoint",
    "Clustering",
    "EpochState",
    "FixedPrior",
    "LinkPrediction",
    "Plan",
    "Prior",
    "Problem",
    "train",
]
