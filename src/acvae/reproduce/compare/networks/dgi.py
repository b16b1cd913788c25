"""Deep graph infomax (Veličković et al., 2019): embeddings without labels or links, for a classifier."""

from typing import Any

import torch

from acvae.graph import Graph
from acvae.reproduce.compare.networks.layers import convolution, geometric
from acvae.reproduce.compare.networks.tensors import Features, normalised
from acvae.reproduce.compare.networks.training import seeded

__all__ = ["embed_dgi"]

LEARNING_RATE = 0.001
EPOCHS, PATIENCE = 300, 20


class Encoder(torch.nn.Module):
    """One graph convolution with a PReLU, as its authors have it."""

    def __init__(self, n_features: int, size: int) -> None:
        super().__init__()
        self.conv = convolution(n_features, size, on_features=True)
        self.prelu = torch.nn.PReLU(size)

    def forward(self, features: Any, edges: torch.Tensor) -> torch.Tensor:
        """(n, size)."""
        return self.prelu(self.conv(features, edges))


def embed_dgi(features: Any, graph: Graph, seed: int, size: int = 256) -> Any:
    """(n, size): trained to tell the graph's own embeddings from those of shuffled features.

    Training ends when the loss has not fallen for some epochs, or after so many.
    """
    with seeded(seed, "DGI") as generator:
        x, edges = Features(features), normalised(graph)

        def shuffled(x: Features, edges: torch.Tensor) -> tuple[Any, torch.Tensor]:
            return x.shuffled(torch.randperm(x.shape[0], generator=generator)), edges

        model = geometric().DeepGraphInfomax(
            size, Encoder(x.shape[1], size), lambda z, *_: z.mean(dim=0).sigmoid(), shuffled
        )
        optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
        best, since = float("inf"), 0
        for _ in range(EPOCHS):
            optimizer.zero_grad()
            loss = model.loss(*model(x, edges))
            loss.backward()
            optimizer.step()
            since += 1
            if loss.item() < best:
                best, since = loss.item(), 0
            if since >= PATIENCE:
                break
        with torch.no_grad():
            return model.encoder(x, edges).numpy()
