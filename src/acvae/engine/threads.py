"""The right number of PyTorch threads for the size of a training step."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from acvae.engine.batches import BatchSizes
from acvae.nn import Autoencoder

__all__ = ["step_threads", "torch_threads"]

# Multiplications below which handing work to a second thread costs more than it saves.
WORTH_A_THREAD = 60_000_000


def step_threads(module: Autoencoder, sizes: BatchSizes, row_size: float) -> int:
    """One thread for small steps, else all that PyTorch may use. A row has `row_size` features stored."""
    encoded = sizes.vertices + 2 * sizes.edges
    work = _after_features(module.encoder) * encoded
    work += sum(p.numel() for p in module.decoder.parameters()) * sizes.vertices
    # A number of a sparse layer is fetched and added, which costs several times as much as in a product.
    width = getattr(getattr(module.encoder, "hidden", None), "bias", torch.empty(0)).numel()
    sparse = row_size * width * encoded
    if module.pair_encoder is not None:
        work += _after_features(module.pair_encoder) * (sizes.edges + sizes.pairs)
        sparse += row_size * 2 * module.pair_encoder.hidden_dim * (encoded + 2 * sizes.pairs)
    every = 3 * (work + 4 * sparse)  # forward, and backward to inputs and weights
    return max(1, min(torch.get_num_threads(), int(every // WORTH_A_THREAD)))


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


# Threads of PyTorch do not survive a fork, and a product that waits for them would wait for ever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))
