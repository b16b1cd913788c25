"""Problem: what is optimised. Networks, data and the objective's constants, and the objective on a batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from acvae import objectives
from acvae.graph import Graph
from acvae.nn import Autoencoder
from acvae.nn.features import Features, Rows
from acvae.training.batches import Batch, compact, random_pairs

__all__ = ["Problem", "StepTerms"]

FloatArray = npt.NDArray[np.float64]

ROWS_AT_A_TIME = 16_384
PAIRS_AT_A_TIME = 65_536


class StepTerms(NamedTuple):
    """The ELBO's terms on a batch, and the mean correlation of its edges."""

    elbo: objectives.ElboTerms
    mean_correlation: Tensor


@dataclass
class Problem:
    """A model's networks on its data.

    `graph` is None for a plain VAE; then only vertices are sampled. Without a pair encoder, edges count
    with ρ = 0 (CVAE_ind).
    """

    module: Autoencoder
    features: Features
    graph: Graph | None
    tau: float
    gamma: float
    device: torch.device

    @property
    def n_vertices(self) -> int:
        return self.features.n_rows

    @property
    def draws_pairs(self) -> bool:
        """Whether the negative-sampling term is part of the objective."""
        return self.module.pair_encoder is not None and self.gamma > 0

    # ------------------------------------------------------------------ one batch

    def step_terms(self, batch: Batch, noise: Tensor) -> StepTerms:
        """The ELBO estimated on one batch, with reparametrisation noise (b, d) for its vertices."""
        module = self.module
        encoded = batch.rows[: batch.n_encoded]
        mean, std = module.encoder(self.features.rows(encoded))
        own_mean, own_std = mean[batch.vertices], std[batch.vertices]
        own_rows = self.features.rows(batch.rows[batch.vertices])
        outputs = module.decoder(own_mean + own_std * noise)
        masses = independence = None
        mean_correlation = mean.new_zeros(())
        if self.graph is not None:
            i, j = batch.edges
            c = None
            if module.pair_encoder is not None:
                halves = module.pair_encoder.halves(self.features.rows(batch.rows))
                both = torch.cat([batch.edges, batch.pairs], dim=1)
                logits = module.pair_encoder.pairs(halves, both[0], both[1])
                c = logits[: len(i)]
                independence = objectives.independence_divergence(logits[len(i) :])
                mean_correlation = objectives.correlation(c.detach()).mean()
            masses = objectives.edge_mass(mean[i], std[i], mean[j], std[j], c, self.tau)
        terms = objectives.elbo(
            module.likelihood(outputs, own_rows),
            objectives.singleton_divergence(own_mean, own_std),
            n_vertices=self.n_vertices,
            n_edges=0 if self.graph is None else self.graph.n_edges,
            masses=masses,
            weights=batch.weights,
            gamma=self.gamma,
            independence=independence,
        )
        return StepTerms(terms, mean_correlation)

    # ------------------------------------------------------------------ everything, in chunks

    @torch.no_grad()
    def marginals(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Mean and std (n, d) of every vertex."""
        chunks = [self.module.encoder(self.features.rows(ids)) for ids in self._row_chunks()]
        mean, std = (torch.cat(part).cpu().numpy() for part in zip(*chunks, strict=True))
        return mean, std

    @torch.no_grad()
    def edge_masses(self) -> FloatArray:
        """m_e (m,) of every edge of the graph (eq. mass)."""
        assert self.graph is not None
        out = np.empty(self.graph.n_edges)
        for part, mean, std, c, i, j in self._edge_chunks(self.graph.edges):
            mass = objectives.edge_mass(mean[i], std[i], mean[j], std[j], c, self.tau)
            out[part] = mass.cpu().numpy()
        return out

    @torch.no_grad()
    def pair_logits(self, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Pre-activations c (k, d) of the pair encoder for pairs (k, 2) of vertex ids."""
        assert self.module.pair_encoder is not None
        out = np.empty((len(pairs), self.module.pair_encoder.output.bias.shape[0]), dtype=np.float32)
        for part, i, j, rows in self._pair_chunks(pairs):
            halves = self.module.pair_encoder.halves(rows)
            out[part] = self.module.pair_encoder.pairs(halves, i, j).cpu().numpy()
        return out

    @torch.no_grad()
    def pair_halves(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The pair encoder's first layer on every vertex, as first and as second of a pair; (n, h) each."""
        assert self.module.pair_encoder is not None
        chunks = [self.module.pair_encoder.halves(self.features.rows(ids)) for ids in self._row_chunks()]
        first, second = (torch.cat(part).cpu().numpy() for part in zip(*chunks, strict=True))
        return first, second

    @torch.no_grad()
    def full_elbo(self, weights: FloatArray | None, seed: int = 0, n_pairs: int = 20_000) -> float:
        """ELBO per vertex over all vertices and edges, and over a fixed random sample of pairs.

        The same seed gives the same noise and the same pairs, so that values are comparable over epochs.
        """
        generator = torch.Generator(device=self.device).manual_seed(seed)
        likelihood, divergence = [], []
        for ids in self._row_chunks():
            rows = self.features.rows(ids)
            mean, std = self.module.encoder(rows)
            noise = torch.randn(mean.shape, generator=generator, device=self.device)
            likelihood.append(self.module.likelihood(self.module.decoder(mean + std * noise), rows))
            divergence.append(objectives.singleton_divergence(mean, std))
        masses = weight = independence = None
        if self.graph is not None and weights is not None:
            masses, weight = torch.from_numpy(self.edge_masses()), torch.from_numpy(weights)
            if self.draws_pairs:
                pairs = random_pairs(self.n_vertices, n_pairs, np.random.default_rng(seed)).T
                independence = objectives.independence_divergence(torch.from_numpy(self.pair_logits(pairs)))
        terms = objectives.elbo(
            torch.cat(likelihood).cpu().double(),
            torch.cat(divergence).cpu().double(),
            n_vertices=self.n_vertices,
            n_edges=0 if self.graph is None else self.graph.n_edges,
            masses=masses,
            weights=weight,
            gamma=self.gamma,
            independence=None if independence is None else independence.double(),
        )
        return float(terms.value)

    def _row_chunks(self) -> Iterator[Tensor]:
        return iter(torch.arange(self.n_vertices, device=self.device).split(ROWS_AT_A_TIME))

    def _pair_chunks(self, pairs: npt.NDArray[np.int64]) -> Iterator[tuple[slice, Tensor, Tensor, Rows]]:
        """Chunks of pairs with the distinct feature rows they need: `(part, i, j, rows)`."""
        slot = np.zeros(self.n_vertices, dtype=np.int64)
        nothing = np.empty(0, dtype=np.int64)
        for start in range(0, len(pairs), PAIRS_AT_A_TIME):
            part = slice(start, min(start + PAIRS_AT_A_TIME, len(pairs)))
            ids, _, local = compact(np.ascontiguousarray(pairs[part].T).ravel(), nothing, slot)
            i, j = torch.from_numpy(local).to(self.device).view(2, -1)
            yield part, i, j, self.features.rows(torch.from_numpy(ids).to(self.device))

    def _edge_chunks(
        self, edges: npt.NDArray[np.int64]
    ) -> Iterator[tuple[slice, Tensor, Tensor, Tensor | None, Tensor, Tensor]]:
        for part, i, j, rows in self._pair_chunks(edges):
            mean, std = self.module.encoder(rows)
            c = None
            if self.module.pair_encoder is not None:
                c = self.module.pair_encoder.pairs(self.module.pair_encoder.halves(rows), i, j)
            yield part, mean, std, c, i, j
