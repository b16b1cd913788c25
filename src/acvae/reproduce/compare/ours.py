"""Our own models as lines of the tables, from the registry: with their defaults, nothing chosen.

A model that is added to `acvae.methods.METHODS` is in the tables of links and of classes by that, and in
that of completion if it completes features.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.graph import Graph
from acvae.methods import METHODS
from acvae.reproduce.compare.classification import Embedding
from acvae.reproduce.compare.completion import Completion
from acvae.reproduce.compare.method import Fit, Method, Watch
from acvae.reproduce.compare.ranking import Ranking

__all__ = ["OUR_COMPLETIONS", "OUR_EMBEDDINGS", "OUR_LINKS"]


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


OUR_LINKS = tuple(Method(name, found.label, "ours", _links(name)) for name, found in METHODS.items())
OUR_EMBEDDINGS = tuple(Embedding(name, found.label, "ours", _embed(name)) for name, found in METHODS.items())
OUR_COMPLETIONS = tuple(
    Completion(name, METHODS[name].label, "ours", _complete(name))
    for name in METHODS
    if METHODS[name].completes
)
