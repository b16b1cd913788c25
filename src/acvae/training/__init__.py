"""Training: what is optimised, the prior's weights, and the loop that alternates between the two."""

from acvae.engine.batches import BatchSizes
from acvae.families.prior import AdaptivePrior, FixedPrior, Prior
from acvae.families.problem import Problem
from acvae.training.callbacks import Clustering, LinkPrediction
from acvae.training.checkpoint import Checkpoint
from acvae.training.loop import Callback, EpochState, Plan, train

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
