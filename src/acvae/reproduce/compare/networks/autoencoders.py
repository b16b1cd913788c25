"""GAE, VGAE (Kipf and Welling, 2016) and GraphSAGE trained on links (Hamilton et al., 2017).

An encoder of two convolutions gives embeddings z, and the log-odds of a link are ⟨z_i, z_j⟩. The loss is
PyTorch Geometric's `recon_loss`: the train links against as many random pairs.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

from acvae.gaussian.rankings import Ranking
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


class Options(NamedTuple):
    """What is chosen on hidden train links: length of the training, widths, dropout, Adam's step."""

    epochs: int = 200
    hidden: int = 128
    latent: int = 64
    dropout: float = 0.0
    learning_rate: float = LEARNING_RATE


def fit_gae(features: Any, graph: Graph, *, seed: int, watch: Watch | None = None, **options: Any) -> Ranking:
    """Graph auto-encoder; `options` are those of `Options`."""
    return _fit_gcn(features, graph, seed, watch, Options(**options), variational=False)[0]


def fit_vgae(
    features: Any, graph: Graph, *, seed: int, watch: Watch | None = None, **options: Any
) -> Ranking:
    """Variational graph auto-encoder; ranked by the means."""
    return _fit_gcn(features, graph, seed, watch, Options(**options), variational=True)[0]


def fit_sage(
    features: Any, graph: Graph, *, seed: int, watch: Watch | None = None, **options: Any
) -> Ranking:
    """GraphSAGE on links."""
    chosen = Options(**options)
    with seeded(seed, "GraphSAGE") as generator:
        x = Features(features)
        model = geometric().GAE(SageEncoder(x.shape[1], chosen.hidden, chosen.latent, chosen.dropout))
        edges = sparse_tensor(adjacency(graph.n_vertices, graph.edges))
        return _fit(model, x, edges, graph, generator, chosen, watch)


def embed_vgae(features: Any, graph: Graph, seed: int) -> Any:
    """Means of a VGAE (n, latent), for a classifier."""
    return _fit_gcn(features, graph, seed, None, Options(), variational=True)[1]()


def _fit_gcn(
    features: Any, graph: Graph, seed: int, watch: Watch | None, options: Options, *, variational: bool
) -> tuple[Ranking, Callable[[], Any]]:
    """The ranking of a GAE or VGAE, and how to get its embeddings (n, latent)."""
    kind = "VGAE" if variational else "GAE"
    with seeded(seed, kind) as generator:
        x, edges = Features(features), normalised(graph)
        encoder = GCNEncoder(
            x.shape[1], options.hidden, options.latent, options.dropout, 2 if variational else 1
        )
        model = getattr(geometric(), kind)(encoder)
        kl = 1 / graph.n_vertices if variational else 0.0
        ranking = _fit(model, x, edges, graph, generator, options, watch, kl=kl)

    def embed() -> Any:
        with torch.no_grad():
            return model.encode(x, edges).numpy()

    return ranking, embed


def _fit(
    model: Any,
    x: Features,
    edges: torch.Tensor,
    graph: Graph,
    generator: torch.Generator,
    options: Options,
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

    return train(
        model,
        losses,
        ranking,
        epochs=options.epochs,
        watch=watch,
        learning_rate=options.learning_rate,
    )
