"""Problem: what is optimised. Networks, data and the objective's constants, and the objective on a batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from acvae import objectives
from acvae.engine.batches import Batch, compact, random_pairs
from acvae.engine.distributed import ALONE, World
from acvae.engine.kernels import pair_terms
from acvae.exceptions import TrainingError
from acvae.graph import Graph
from acvae.nn import Autoencoder, PairEncoder
from acvae.nn.features import Features, Rows
from acvae.nn.layers import take_rows

__all__ = ["Problem", "StepTerms"]

FloatArray = npt.NDArray[np.float64]
Array = TypeVar("Array", bound=npt.NDArray[Any])

ROWS_AT_A_TIME = 16_384
PAIRS_AT_A_TIME = 65_536
TABLE_BYTES = 1 << 30  # what a table of all vertices may take in the pass over all edges


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
        rows = self.features.rows(batch.rows)
        mean, std = module.encoder(rows.head(batch.n_encoded))
        own_mean, own_std = mean[: batch.n_own], std[: batch.n_own]
        outputs = module.decoder(torch.addcmul(own_mean, own_std, noise))
        likelihood = module.likelihood(outputs, rows.head(batch.n_own)).mean()
        divergence = objectives.singleton_divergence(own_mean, own_std).mean()
        structure = independence = mean_correlation = None
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
        terms = self._elbo(likelihood, divergence, structure, independence)
        return StepTerms(terms, mean.new_zeros(()) if mean_correlation is None else mean_correlation)

    def _elbo(
        self, likelihood: Tensor, divergence: Tensor, structure: Tensor | None, independence: Tensor | None
    ) -> objectives.ElboTerms:
        return objectives.elbo(
            likelihood,
            divergence,
            structure,
            independence if self.draws_pairs else None,
            n_vertices=self.n_vertices,
            n_edges=0 if self.graph is None else self.graph.n_edges,
            gamma=self.gamma,
        )

    # ------------------------------------------------------------------ everything, in chunks

    @torch.no_grad()
    def marginals(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Mean and std (n, d) of every vertex."""
        chunks = [self.module.encoder(self.features.rows(ids)) for ids in self._row_chunks()]
        mean, std = (torch.cat(part).cpu().numpy() for part in zip(*chunks, strict=True))
        return _finite(mean, "means"), _finite(std, "standard deviations")

    @torch.no_grad()
    def edge_masses(self, own: range | None = None) -> FloatArray:
        """m_e (m,) of every edge of the graph (eq. mass), or of those numbered `own`."""
        assert self.graph is not None
        edges = self.graph.edges if own is None else self.graph.edges[own.start : own.stop]
        out = np.empty(len(edges))
        for part, mean, std, c, i, j in self._edge_chunks(edges):
            mass = objectives.edge_mass(mean[i], std[i], mean[j], std[j], c, self.tau)
            out[part] = mass.cpu().numpy()
        return _finite(out, "edge masses")

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
        halves = torch.cat(chunks)
        first, second = halves.split(self.module.pair_encoder.hidden_dim, dim=1)
        return (first + self.module.pair_encoder.bias).cpu().numpy(), second.cpu().numpy()

    @torch.no_grad()
    def full_elbo(
        self, weights: FloatArray | None, seed: int = 0, n_pairs: int = 20_000, world: World = ALONE
    ) -> float:
        """ELBO per vertex over all vertices and edges, and over a fixed random sample of pairs.

        The same seed gives the same noise and the same pairs, so that values are comparable over epochs.
        Processes of a world share the rows and the edges, and all are given the same value.
        """
        generator = torch.Generator(device=self.device).manual_seed(seed)
        latent_dim = self.module.decoder.hidden.weight.shape[0]
        nothing = torch.empty(0, device=self.device)
        likelihood, divergence = [nothing], [nothing]
        for number, ids in enumerate(self._row_chunks()):
            noise = torch.randn((len(ids), latent_dim), generator=generator, device=self.device)
            if number % world.size == world.rank:
                rows = self.features.rows(ids)
                mean, std = self.module.encoder(rows)
                likelihood.append(self.module.likelihood(self.module.decoder(mean + std * noise), rows))
                divergence.append(objectives.singleton_divergence(mean, std))
        structure = independence = None
        if self.graph is not None and weights is not None:
            own = world.share(self.graph.n_edges).own
            masses = self.edge_masses(own)
            structure = _mean(world, weights[own.start : own.stop] * masses, self.graph.n_edges)
            if self.draws_pairs:
                pairs = random_pairs(self.n_vertices, n_pairs, np.random.default_rng(seed)).T
                logits = torch.from_numpy(self.pair_logits(pairs)).double()
                independence = objectives.independence_divergence(logits).mean()
        mean_likelihood, mean_divergence = (
            _mean(world, torch.cat(part).cpu().double(), self.n_vertices) for part in (likelihood, divergence)
        )
        value = float(self._elbo(mean_likelihood, mean_divergence, structure, independence).value)
        return world.from_first(value)

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
        network = self.module.pair_encoder
        if isinstance(network, PairEncoder) and self._table_pays(2 * network.hidden_dim):
            yield from self._edge_chunks_by_table(edges, network)
            return
        for part, i, j, rows in self._pair_chunks(edges):
            mean, std = self.module.encoder(rows)
            c = None if network is None else network.pairs(network.halves(rows), i, j)
            yield part, mean, std, c, i, j

    def _table_pays(self, width: int) -> bool:
        """Whether chunks of edges would meet most vertices many times, and one table of all fits."""
        assert self.graph is not None
        many = self.n_vertices > PAIRS_AT_A_TIME and 2 * self.graph.n_edges > self.n_vertices
        return many and 4 * self.n_vertices * width <= TABLE_BYTES

    def _edge_chunks_by_table(
        self, edges: npt.NDArray[np.int64], network: PairEncoder
    ) -> Iterator[tuple[slice, Tensor, Tensor, Tensor, Tensor, Tensor]]:
        """The same, after all that the networks say of a single vertex has been computed once."""
        latent_dim, kind = len(network.output.bias), network.weight.dtype
        widths = (latent_dim, latent_dim, 2 * network.hidden_dim)
        tables = [torch.empty((self.n_vertices, w), dtype=kind, device=self.device) for w in widths]
        for ids in self._row_chunks():
            rows = self.features.rows(ids)
            for table, values in zip(tables, (*self.module.encoder(rows), network.halves(rows)), strict=True):
                table[ids[0] : ids[-1] + 1] = values
        mean, std, halves = tables
        for start in range(0, len(edges), PAIRS_AT_A_TIME):
            part = slice(start, min(start + PAIRS_AT_A_TIME, len(edges)))
            i, j = torch.from_numpy(np.ascontiguousarray(edges[part].T)).to(self.device)
            yield part, mean, std, network.pairs(halves, i, j), i, j


def _finite(values: Array, what: str) -> Array:
    if not np.isfinite(values).all():
        raise TrainingError(
            f"the networks give {what} that are not finite; use a smaller learning_rate, "
            "or rescale the features."
        )
    return values


def _mean(world: World, values: Tensor | FloatArray, count: int) -> Tensor:
    """The mean of `count` values, of which a process has its own."""
    if world.size == 1:
        return torch.as_tensor(values.mean())
    return torch.as_tensor(world.total(np.array([float(values.sum())]))[0] / count)
