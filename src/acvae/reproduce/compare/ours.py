"""Our own models as lines of the tables, from the registry: with their defaults, nothing chosen.

A model that is registered is in the tables of links and of classes by that, and in that of completion if it
completes features.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.methods import METHODS
from acvae.reproduce.compare.classification import Embedding
from acvae.reproduce.compare.completion import Completer
from acvae.reproduce.compare.method import Contender, Fit, Watch

__all__ = ["our_completions", "our_embeddings", "our_links"]


def _model(name: str, seed: int) -> Any:
    return METHODS[name].make({"seed": seed})


def _links(name: str) -> Fit:
    def fit(features: Any, graph: Graph, *, seed: int, watch: Watch | None = None, **options: Any) -> Ranking:
        model = _model(name, seed).fit(features, graph)
        ranking: Ranking = model.links_ if METHODS[name].learns_links else model.posterior_
        return ranking

    return fit


def _complete(name: str) -> Any:
    def complete(
        features: sp.csr_array,
        graph: Graph,
        observed: npt.NDArray[np.bool_],
        rows: npt.NDArray[np.int64],
        seed: int,
    ) -> Any:
        found = _model(name, seed).fit(features, graph, observed=observed).impute(rows)
        return found[0] if isinstance(found, tuple) else found  # the expectation; its spread comes second

    return complete


def _embed(name: str) -> Any:
    def embed(features: sp.csr_array, graph: Graph, seed: int) -> Any:
        return np.asarray(_model(name, seed).fit(features, graph).posterior_.mean)

    return embed


def our_links() -> list[Contender]:
    """Every model, to rank links."""
    return [Contender(name, found.label, "ours", _links(name)) for name, found in METHODS.items()]


def our_embeddings() -> list[Embedding]:
    """Every model, for its embeddings."""
    return [Embedding(name, found.label, "ours", _embed(name)) for name, found in METHODS.items()]


def our_completions() -> list[Completer]:
    """The models that complete features."""
    return [
        Completer(name, found.label, "ours", _complete(name))
        for name, found in METHODS.items()
        if found.completes
    ]
