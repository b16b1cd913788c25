"""The loop that all networks share, and rankings by the inner product of embeddings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from acvae._util.seeds import stream_seed
from acvae.gaussian.rankings import Ranking
from acvae.reproduce.compare.method import Watch
from acvae.reproduce.compare.ranking import IntArray, Scores

__all__ = ["by_inner_product", "seeded", "train"]


@contextmanager
def seeded(seed: int, purpose: str) -> Iterator[torch.Generator]:
    """Random numbers from the seed alone, with PyTorch's own put back afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(stream_seed(seed, purpose))
        yield torch.Generator().manual_seed(stream_seed(seed, f"{purpose}, samples"))


def train(
    model: torch.nn.Module,
    epoch_loss: Callable[[], Iterator[torch.Tensor]],
    ranking: Callable[[], Ranking],
    *,
    epochs: int,
    watch: Watch | None,
    learning_rate: float,
) -> Ranking:
    """Take a step for every loss of an epoch, as often as asked or until `watch` has seen enough."""
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    for epoch in range(1, epochs + 1):
        model.train()
        for loss in epoch_loss():
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if watch is not None:
            model.eval()
            if watch(epoch, ranking):
                break
    model.eval()
    return ranking()


def by_inner_product(z: torch.Tensor, seed: int = 0) -> Scores:
    """⟨z_i, z_j⟩ for embeddings (n, d)."""
    table: np.ndarray[Any, Any] = z.detach().numpy()

    def score(rows: IntArray) -> np.ndarray[Any, Any]:
        return table[rows] @ table.T

    return Scores(len(table), score, random_ties=False, seed=seed)
