"""The graph networks as lines of the tables; modules that need PyTorch are imported when first used."""

import importlib
from typing import Any

from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.reproduce.compare.classification import Embedding
from acvae.reproduce.compare.method import Contender, Fit, Watch

__all__ = ["EMBEDDED", "NETWORKS"]


def _function(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"acvae.reproduce.compare.networks.{module}"), name)


def _fit(module: str, name: str) -> Fit:
    def fit(features: Any, graph: Graph, *, seed: int, watch: Watch | None = None, **options: Any) -> Ranking:
        ranking: Ranking = _function(module, name)(features, graph, seed=seed, watch=watch, **options)
        return ranking

    return fit


def _embed(module: str, name: str) -> Any:
    def embed(features: Any, graph: Graph, seed: int) -> Any:
        return _function(module, name)(features, graph, seed)

    return embed


_SIZES = ({"hidden": 128, "latent": 64}, {"hidden": 256, "latent": 128})

NETWORKS = (
    Contender(
        "node2vec",
        "node2vec",
        "network",
        _fit("node2vec", "fit_node2vec"),
        ({"window": 2, "q": 1.0}, {"window": 5, "q": 1.0}, {"window": 5, "q": 0.5}),
        epochs=40,
        every=4,
    ),
    Contender("gae", "GAE", "network", _fit("autoencoders", "fit_gae"), _SIZES, epochs=1000, every=50),
    Contender("vgae", "VGAE", "network", _fit("autoencoders", "fit_vgae"), _SIZES, epochs=1000, every=50),
    Contender(
        "sage",
        "GraphSAGE on links",
        "network",
        _fit("autoencoders", "fit_sage"),
        # Not smoothed as a GCN is: with the others' step it often ends where all vertices are alike.
        tuple({**sizes, "learning_rate": step} for sizes in _SIZES for step in (0.01, 0.001)),
        epochs=1000,
        every=50,
    ),
    Contender(
        "ncn",
        "NCN",
        "network",
        _fit("ncn", "fit_ncn"),
        tuple({"layers": layers, "dropout": dropout} for layers in (1, 2) for dropout in (0.0, 0.1)),
        epochs=200,
        every=10,
        looks=300,
    ),
)

EMBEDDED = (
    Embedding("vgae", "VGAE", "network", _embed("autoencoders", "embed_vgae")),
    Embedding("dgi", "DGI", "network", _embed("dgi", "embed_dgi")),
)
