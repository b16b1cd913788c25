"""What the auto-encoding families share: the ELBO on a batch and on all data, and its compiled gradient."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from acvae import objectives
from acvae.engine.batches import Batch, BatchSizes, edge_batches, random_pairs, vertex_batches
from acvae.engine.distributed import ALONE, World
from acvae.engine.fused import FusedGradient
from acvae.engine.kernels import FlatAdam, pair_terms
from acvae.engine.step import CompiledStep
from acvae.engine.threads import step_threads
from acvae.exceptions import GraphError
from acvae.families.amortized import AmortizedInference
from acvae.families.base import FamilyState, Terms
from acvae.forests.weights import settled_share
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.nn import Autoencoder
from acvae.nn.features import Features
from acvae.nn.layers import take_rows

__all__ = ["AutoencodingFamily"]

FloatArray = npt.NDArray[np.float64]

ELBO_PAIRS = 20_000  # random pairs of the ELBO over all data


class AutoencodingFamily:
    """Networks on features, with edge weights `weights` (m,) of the prior; without a graph, a plain VAE.

    Without a pair encoder, edges count with ρ = 0 (CVAE_ind), and γ has no part.
    """

    figures = ("elbo", "log_likelihood", "kl", "structure", "regularizer", "mean_correlation")

    def __init__(
        self,
        module: Autoencoder,
        features: Features,
        graph: Graph | None = None,
        weights: FloatArray | None = None,
        *,
        tau: float = 0.99,
        gamma: float = 0.0,
        sizes: BatchSizes | None = None,
        device: torch.device | None = None,
        name: str = "training",
    ) -> None:
        if (graph is None) != (weights is None):
            raise GraphError("a graph and the weights of its edges belong together: give both or neither.")
        if graph is not None and weights is not None and weights.shape != (graph.n_edges,):
            raise GraphError(f"{graph.n_edges} edges need as many weights, got shape {weights.shape}.")
        self.module, self.features, self.graph, self.weights = module, features, graph, weights
        self.tau, self.gamma, self.name = tau, gamma, name
        self.sizes = BatchSizes() if sizes is None else sizes
        self.device = torch.device("cpu") if device is None else device

    @cached_property
    def inference(self) -> AmortizedInference:
        """The networks on all data."""
        return AmortizedInference(self.module, self.features, self.device)

    @property
    def n_vertices(self) -> int:
        return self.features.n_rows

    @property
    def draws_pairs(self) -> bool:
        """Whether the negative-sampling term is part of the objective."""
        return self.module.pair_encoder is not None and self.gamma > 0

    @property
    def settled(self) -> float:
        """Share of the weights at 0 or 1."""
        assert self.weights is not None
        return settled_share(self.weights)

    @property
    def size(self) -> int:
        return self.n_vertices if self.graph is None else self.graph.n_edges

    @property
    def same_order(self) -> bool:
        return self.graph is None

    @property
    def threads(self) -> int:
        return step_threads(self.module, self.sizes, self.features.row_size)

    def identity(self) -> dict[str, Any]:
        return {
            "batch_sizes": list(self.sizes),
            "tau": self.tau,
            "gamma": self.gamma,
            "likelihood": type(self.module.likelihood).__name__,
            "n_vertices": self.n_vertices,
            "n_edges": None if self.graph is None else self.graph.n_edges,
        }

    # ------------------------------------------------------------------ one batch

    def batches(
        self, rng: np.random.Generator, noise: torch.Generator, world: World = ALONE
    ) -> Iterable[Batch]:
        """A pass over the edges; over the vertices, where there is no graph."""
        latent_dim = self.module.decoder.hidden.weight.shape[0]
        drawn: Iterable[Batch]
        if self.graph is None or self.weights is None:
            drawn = vertex_batches(self.n_vertices, self.sizes, rng, world.share(self.n_vertices))
        else:
            share = world.share(self.graph.n_edges)
            drawn = edge_batches(self.graph, self.weights, self.sizes, rng, self.draws_pairs, share)
        return (batch.ready(noise, latent_dim) for batch in drawn)

    def objective(self, batch: Batch) -> Terms:
        """The ELBO estimated on one batch, its terms, and the mean correlation of the batch's edges."""
        module = self.module
        rows = self.features.rows(batch.rows)
        mean, std = module.encoder(rows.head(batch.n_encoded))
        own_mean, own_std = mean[: batch.n_own], std[: batch.n_own]
        assert batch.noise is not None
        outputs = module.decoder(torch.addcmul(own_mean, own_std, batch.noise))
        likelihood = module.likelihood(outputs, rows.head(batch.n_own)).mean()
        divergence = objectives.singleton_divergence(own_mean, own_std).mean()
        structure = independence = None
        mean_correlation = mean.new_zeros(())
        n_edges = batch.edges.shape[1]
        if module.pair_encoder is not None and self.graph is not None:
            logits = module.pair_encoder.pairs(module.pair_encoder.halves(rows), *batch.pairs)
            structure, independence = pair_terms(mean, std, logits, batch.edges, batch.weights, self.tau)
            structure = structure / n_edges
            independence = independence / max(len(logits) - n_edges, 1)
            mean_correlation = objectives.correlation(logits[:n_edges].detach()).mean()
        elif self.graph is not None:
            i, j = batch.edges
            ends = [take_rows(table, rows_of) for rows_of in (i, j) for table in (mean, std)]
            mass = objectives.edge_mass(ends[0], ends[1], ends[2], ends[3], None, self.tau)
            structure = (batch.weights * mass).mean()
        terms = _elbo(self, likelihood, divergence, structure, independence)
        return Terms(terms.value, (*terms, mean_correlation))

    def compiled_step(self, adam: FlatAdam, threads: int) -> CompiledStep | None:
        """The same gradient without autograd, for the standard networks."""
        return FusedGradient(self, adam, threads) if FusedGradient.fits(self) else None

    # ------------------------------------------------------------------ all data

    def edge_masses(self, world: World = ALONE) -> FloatArray:
        """m_e of the edges that are this process's share."""
        assert self.graph is not None
        own = world.share(self.graph.n_edges).own
        return self.inference.edge_masses(self.graph.edges[own.start : own.stop], self.tau)

    @torch.no_grad()
    def elbo(self, world: World = ALONE, *, seed: int = 0, n_pairs: int = ELBO_PAIRS) -> float:
        """ELBO per vertex over all vertices and edges, and over a fixed random sample of pairs.

        The same seed gives the same noise and the same pairs, so that values are comparable over epochs.
        Processes of a world share the rows and the edges, and all are given the same value.
        """
        likelihood, divergence = self._vertex_terms(world, seed)
        structure = independence = None
        if self.graph is not None and self.weights is not None:
            own = world.share(self.graph.n_edges).own
            masses = self.edge_masses(world)
            structure = _mean(world, self.weights[own.start : own.stop] * masses, self.graph.n_edges)
            if self.draws_pairs:
                pairs = random_pairs(self.n_vertices, n_pairs, np.random.default_rng(seed)).T
                logits = torch.from_numpy(self.inference.pair_logits(pairs)).double()
                independence = objectives.independence_divergence(logits).mean()
        value = float(_elbo(self, likelihood, divergence, structure, independence).value)
        return world.from_first(value)

    def _vertex_terms(self, world: World, seed: int) -> tuple[Tensor, Tensor]:
        """Mean log-likelihood, with one draw of the noise, and mean KL over all vertices."""
        generator = torch.Generator(device=self.device).manual_seed(seed)
        latent_dim = self.module.decoder.hidden.weight.shape[0]
        nothing = torch.empty(0, device=self.device)
        likelihood, divergence = [nothing], [nothing]
        for number, ids in enumerate(self.inference.row_chunks()):
            noise = torch.randn((len(ids), latent_dim), generator=generator, device=self.device)
            if number % world.size == world.rank:
                rows = self.features.rows(ids)
                mean, std = self.module.encoder(rows)
                likelihood.append(self.module.likelihood(self.module.decoder(mean + std * noise), rows))
                divergence.append(objectives.singleton_divergence(mean, std))
        means = [
            _mean(world, torch.cat(part).cpu().double(), self.n_vertices) for part in (likelihood, divergence)
        ]
        return means[0], means[1]

    # ------------------------------------------------------------------ what a family may say otherwise

    def after_epoch(self, world: World = ALONE) -> dict[str, float]:
        """Weights that stay."""
        return {} if self.weights is None else {"settled": self.settled}

    def posterior(self, world: World = ALONE, *, pairwise: bool = False) -> Posterior:
        """Every vertex on its own."""
        if pairwise:
            return self.inference.pairwise_posterior()
        return Posterior(*self.inference.marginals())

    def display(self, figures: dict[str, float]) -> dict[str, str]:
        shown = {"ELBO": f"{figures['elbo']:.2f}", "KL": f"{figures['kl']:.3g}"}
        if self.graph is not None:
            if self.module.pair_encoder is not None:
                shown["mean ρ"] = f"{figures['mean_correlation']:.3f}"
            shown["settled"] = f"{figures['settled']:.0%}"
            shown["edges/s"] = f"{self.graph.n_edges / figures['seconds']:,.0f}"
        return shown

    def state(self) -> FamilyState:
        """Nothing but the networks changes."""
        return FamilyState({}, {})

    def restore(self, state: FamilyState) -> None:
        """Nothing to restore."""


def _elbo(
    family: AutoencodingFamily,
    likelihood: Tensor,
    divergence: Tensor,
    structure: Tensor | None,
    independence: Tensor | None,
) -> objectives.ElboTerms:
    """A function and no method: the compiled step holds for this sum, so it cannot be another's."""
    return objectives.elbo(
        likelihood,
        divergence,
        structure,
        independence if family.draws_pairs else None,
        n_vertices=family.n_vertices,
        n_edges=0 if family.graph is None else family.graph.n_edges,
        gamma=family.gamma,
    )


def _mean(world: World, values: Tensor | FloatArray, count: int) -> Tensor:
    """The mean of `count` values, of which a process has its own."""
    if world.size == 1:
        return torch.as_tensor(values.mean())
    return torch.as_tensor(world.total(np.array([float(values.sum())]))[0] / count)
