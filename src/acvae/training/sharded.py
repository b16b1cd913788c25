"""Evaluation and prediction that processes share, with what one process alone would find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from acvae import metrics
from acvae.engine.distributed import World
from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph

__all__ = ["in_turns", "link_scores"]

Value = TypeVar("Value")


def in_turns(world: World, count: int, work: Callable[[int], Value]) -> Iterator[Value]:
    """`work(0)`, `work(1)`, … in their order, each done by one of the processes and told to all."""
    for first in range(0, count, world.size):
        own = first + world.rank
        mine = [(own, work(own))] if own < count else []
        yield from (found for _, found in world.combine(mine, lambda a, b: a + b))


def link_scores(
    world: World, posterior: Ranking, train: Graph, test: Graph, k: int = 10
) -> metrics.LinkScores:
    """`metrics.evaluate`, each process ranking the links of a part of the rows; the same scores in all."""
    if world.size == 1:
        return metrics.evaluate(posterior, train, test, k)
    ranks = metrics.link_ranks(posterior, train, test, part=(world.rank, world.size))
    # A rank is zero where another process has the row, so that the sum has them all.
    whole = ranks._replace(train_rank=world.total(ranks.train_rank), test_rank=world.total(ranks.test_rank))
    return metrics.scores(whole, k)
