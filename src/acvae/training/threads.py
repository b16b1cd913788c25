"""The right number of PyTorch threads for the size of a training step."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from acvae.nn import Autoencoder
from acvae.training.batches import BatchSizes

__all__ = ["step_threads", "torch_threads"]

# Multiplications below which handing work to a second thread costs more than it saves.
WORTH_A_THREAD = 60_000_000


def step_threads(module: Autoencoder, sizes: BatchSizes) -> int:
    """One thread for small steps, else all that PyTorch was allowed."""
    encoder = _after_features(module.encoder) * (sizes.vertices + 2 * sizes.edges)
    decoder = sum(p.numel() for p in module.decoder.parameters()) * sizes.vertices
    pairs = 0
    if module.pair_encoder is not None:
        pairs = _after_features(module.pair_encoder) * (sizes.edges + sizes.pairs)
    work = 3 * (encoder + decoder + pairs)  # forward, and backward to inputs and weights
    return max(1, min(torch.get_num_threads(), work // WORTH_A_THREAD))


def _after_features(network: nn.Module) -> int:
    """Weights of the layer called `output`, for the one before it sees few features of a row; else all."""
    layers = getattr(network, "output", network)
    return sum(p.numel() for p in layers.parameters())


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Run with `count` PyTorch threads, and leave the setting as it was."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
