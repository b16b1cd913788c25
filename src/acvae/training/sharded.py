"""Evaluation that processes share, with the scores that one process alone would have."""

from __future__ import annotations

from acvae import metrics
from acvae.engine.distributed import World
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph

__all__ = ["link_scores"]


def link_scores(
    world: World, posterior: Posterior, train: Graph, test: Graph, k: int = 10
) -> metrics.LinkScores:
    """`metrics.evaluate`, each process ranking the links of a part of the rows; the same scores in all."""
    if world.size == 1:
        return metrics.evaluate(posterior, train, test, k)
    ranks = metrics.link_ranks(posterior, train, test, part=(world.rank, world.size))
    # A rank is zero where another process has the row, so that the sum has them all.
    whole = ranks._replace(train_rank=world.total(ranks.train_rank), test_rank=world.total(ranks.test_rank))
    return metrics.scores(whole, k)
