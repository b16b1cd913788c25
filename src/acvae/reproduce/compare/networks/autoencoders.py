"""GAE, VGAE (Kipf and Welling, 2016) and GraphSAGE trained on links (Hamilton et al., 2017).

An encoder of two convolutions gives embeddings z, and the log-odds of a link are ⟨z_i, z_j⟩. The loss is
PyTorch Geometric's `recon_loss`: the train links against as many random pairs.
"""

from collections.abc import Iterator
from typing import Any

import torch

from acvae.graph import Graph
from acvae.reproduce.compare.method import Watch
from acvae.reproduce.compare.networks.layers import FeatureLinear, convolution, geometric, sage
from acvae.reproduce.compare.networks.tensors import (
    Features,
    adjacency,
    normalised,
    sparse_tensor,
    uniform_pairs,
)
from acvae.reproduce.compare.networks.training import by_inner_product, seeded, train
from acvae.reproduce.compare.ranking import Ranking

__all__ = ["embed_vgae", "fit_gae", "fit_sage", "fit_vgae"]

LINKS_A_STEP = 16_384
LEARNING_RATE = 0.01  # as in PyTorch Geometric's examples


class GCNEncoder(torch.nn.Module):
    """Two graph convolutions; with `heads=2` to mean and log standard deviation."""

    def __init__(self, n_features: int, hidden: int, latent: int, dropout: float, heads: int) -> None:
        super().__init__()
        self.first = convolution(n_features, hidden, on_features=True)
        self.heads = torch.nn.ModuleList([convolution(hidden, latent) for _ in range(heads)])
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, features: Features, edges: torch.Tensor) -> Any:
        """(n, latent), or two of them."""
        hidden = self.dropout(self.first(features, edges).relu())
        found = [head(hidden, edges) for head in self.heads]
        return found[0] if len(found) == 1 else tuple(found)


class SageEncoder(torch.nn.Module):
    """The features projected, then two convolutions that keep a vertex apart from its neighbours' mean."""

    def __init__(self, n_features: int, hidden: int, latent: int, dropout: float) -> None:
        super().__init__()
        self.project = FeatureLinear(n_features, hidden)
        self.first, self.second = sage(hidden, hidden), sage(hidden, latent)
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, features: Features, edges: torch.Tensor) -> torch.Tensor:
        """(n, latent)."""
        x = self.first(self.project(features).relu(), edges)
        return self.second(self.dropout(x.relu()), edges)


def fit_gae(
    features: Any,
    graph: Graph,
    *,
    seed: int,
    watch: Watch | None = None,
    epochs: int = 200,
    hidden: int = 128,
    latent: int = 64,
    dropout: float = 0.0,
) -> Ranking:
    """Graph auto-encoder."""
    with seeded(seed, "GAE") as generator:
        x = Features(features)
        model = geometric().GAE(GCNEncoder(x.shape[1], hidden, latent, dropout, 1))
        return _fit(model, x, normalised(graph), graph, generator, epochs, watch)


def fit_vgae(
    features: Any,
    graph: Graph,
    *,
    seed: int,
    watch: Watch | None = None,
    epochs: int = 200,
    hidden: int = 128,
    latent: int = 64,
    dropout: float = 0.0,
) -> Ranking:
    """Variational graph auto-encoder; ranked by the means."""
    with seeded(seed, "VGAE") as generator:
        x = Features(features)
        model = geometric().VGAE(GCNEncoder(x.shape[1], hidden, latent, dropout, 2))
        return _fit(model, x, normalised(graph), graph, generator, epochs, watch, kl=1 / graph.n_vertices)


def fit_sage(
    features: Any,
    graph: Graph,
    *,
    seed: int,
    watch: Watch | None = None,
    epochs: int = 200,
    hidden: int = 128,
    latent: int = 64,
    dropout: float = 0.0,
) -> Ranking:
    """GraphSAGE on links."""
    with seeded(seed, "GraphSAGE") as generator:
        x = Features(features)
        model = geometric().GAE(SageEncoder(x.shape[1], hidden, latent, dropout))
        edges = sparse_tensor(adjacency(graph.n_vertices, graph.edges))
        return _fit(model, x, edges, graph, generator, epochs, watch)


def embed_vgae(features: Any, graph: Graph, seed: int) -> Any:
    """Means of a VGAE (n, latent), for a classifier."""
    with seeded(seed, "VGAE") as generator:
        x = Features(features)
        model = geometric().VGAE(GCNEncoder(x.shape[1], 128, 64, 0.0, 2))
        edges = normalised(graph)
        _fit(model, x, edges, graph, generator, 200, None, kl=1 / graph.n_vertices)
        with torch.no_grad():
            return model.encode(x, edges).numpy()


def _fit(
    model: Any,
    x: Features,
    edges: torch.Tensor,
    graph: Graph,
    generator: torch.Generator,
    epochs: int,
    watch: Watch | None,
    kl: float = 0.0,
) -> Ranking:
    links = torch.from_numpy(graph.edges.T.copy())

    def losses() -> Iterator[torch.Tensor]:
        """One step: all links, or a random part where they are many."""
        count = min(links.shape[1], LINKS_A_STEP)
        chosen = torch.randperm(links.shape[1], generator=generator)[:count]
        z = model.encode(x, edges)
        others = uniform_pairs(graph.n_vertices, count, generator)
        loss = model.recon_loss(z, links[:, chosen], others)
        yield loss + kl * model.kl_loss() if kl else loss

    def ranking() -> Ranking:
        with torch.no_grad():
            return by_inner_product(model.encode(x, edges))

    return train(model, losses, ranking, epochs=epochs, watch=watch, learning_rate=LEARNING_RATE)
