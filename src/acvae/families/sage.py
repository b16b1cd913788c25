"""GraphSAGE without labels: embeddings of neighbours agree, those of random vertices do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from acvae.engine.distributed import ALONE, World
from acvae.exceptions import OptionError
from acvae.families.base import FamilyState, Terms
from acvae.gaussian.posterior import Posterior
from acvae.nn.sage import SageGraph, SageNetwork

__all__ = ["SageBatch", "SageFamily", "pair_loss"]

IntArray = npt.NDArray[np.int64]

EMBEDDING_STD = 1e-6  # embeddings are points; a posterior wants a positive standard deviation
EVALUATION_NEGATIVES = 256


class SageBatch(NamedTuple):
    """Edges (b, 2) in random direction, and Q negatives that they share."""

    edges: IntArray
    negatives: IntArray


class SageFamily:
    """For an edge (u, v) and Q vertices n_q drawn ∝ degree^0.75 the objective is

    log σ(z_u·z_v) + Σ_q log σ(−z_u·z_{n_q}).
    """

    same_order = False
    figures = ("elbo",)  # no bound, but the figure that training makes larger

    def __init__(
        self,
        module: SageNetwork,
        inputs: SageGraph,
        *,
        n_negatives: int = 20,
        batch_edges: int = 256,
        name: str = "GraphSAGE",
    ) -> None:
        self.module, self.inputs, self.device, self.name = module, inputs, inputs.device, name
        self.n_negatives, self.batch_edges = n_negatives, batch_edges
        self._draw = inputs.negative_sampler()

    @property
    def size(self) -> int:
        return self.inputs.graph.n_edges

    @property
    def threads(self) -> int:
        return torch.get_num_threads()

    def identity(self) -> dict[str, Any]:
        return {
            "batch_edges": self.batch_edges,
            "n_negatives": self.n_negatives,
            "n_vertices": self.inputs.graph.n_vertices,
            "n_edges": self.inputs.graph.n_edges,
        }

    def batches(
        self, rng: np.random.Generator, noise: torch.Generator, world: World = ALONE
    ) -> Iterator[SageBatch]:
        """A pass over the edges, each in either direction."""
        share = world.share(self.size)
        edges = rng.permutation(self.inputs.graph.edges[share.own.start : share.own.stop])
        edges = rng.permuted(np.concatenate([edges, edges[: share.length - len(edges)]]), axis=1)
        for start in range(0, len(edges), self.batch_edges):
            yield SageBatch(edges[start : start + self.batch_edges], self._draw(self.n_negatives, rng))

    def objective(self, batch: SageBatch) -> Terms:
        edges, negatives = batch
        z, local = self.module.embed(self.inputs, np.concatenate([edges.T.ravel(), negatives]))
        value = -pair_loss(z, *local.split([len(edges), len(edges), len(negatives)]))
        return Terms(value, (value,))

    def after_epoch(self, world: World = ALONE) -> dict[str, float]:
        """Nothing but the network changes."""
        return {}

    @torch.no_grad()
    def elbo(self, world: World = ALONE) -> float:
        """The objective over every edge in both orders, the sum over Q draws replaced by Q times a mean."""
        z = self.embeddings().double()
        u, v = torch.from_numpy(self.inputs.graph.edges.T.copy()).to(self.device)
        sample = self._draw(EVALUATION_NEGATIVES, np.random.default_rng(0))
        negative = logsigmoid(-z @ z[torch.from_numpy(sample).to(self.device)].T).mean(-1)  # (n,)
        positive = logsigmoid((z[u] * z[v]).sum(-1)).mean()
        return float(positive + self.n_negatives * 0.5 * (negative[u] + negative[v]).mean())

    @torch.no_grad()
    def embeddings(self) -> Tensor:
        """(n, d) embedding of every vertex."""
        z, local = self.module.embed(self.inputs, np.arange(self.inputs.graph.n_vertices))
        return z[local]

    def posterior(self, world: World = ALONE, *, pairwise: bool = False) -> Posterior:
        """Embeddings as means, with a negligible standard deviation and no correlations."""
        if pairwise:
            raise OptionError("GraphSAGE has no pair network, so pairwise=True does not apply to it.")
        mean = self.embeddings().cpu().numpy()
        return Posterior(mean, np.full_like(mean, EMBEDDING_STD))

    def display(self, figures: dict[str, float]) -> dict[str, str]:
        return {"loss": f"{-figures['elbo']:.3f}"}

    def state(self) -> FamilyState:
        return FamilyState({}, {})

    def restore(self, state: FamilyState) -> None:
        """Nothing to restore."""


def pair_loss(z: Tensor, u: Tensor, v: Tensor, negatives: Tensor) -> Tensor:
    """Mean over the pairs of −log σ(z_u·z_v) − Σ_q log σ(−z_u·z_q); u, v (b,), negatives (Q,) row numbers."""
    positive = logsigmoid((z[u] * z[v]).sum(-1))  # (b,)
    negative = logsigmoid(-z[u] @ z[negatives].T).sum(-1)  # (b,)
    return -(positive + negative).mean()
