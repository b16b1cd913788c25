"""Training: the loop that steps and pauses after each epoch, checkpoints, and what to look at meanwhile."""

from acvae.engine.batches import BatchSizes
from acvae.training.callbacks import Clustering, LinkPrediction
from acvae.training.checkpoint import Checkpoint
from acvae.training.loop import Callback, EpochState, Plan, train

__all__ = [
    "BatchSizes",
    "Callback",
    "Checkpoint",
    "Clustering",
    "EpochState",
    "LinkPrediction",
    "Plan",
    "train",
]
