"""Amortised inference: what trained networks say of all vertices and of many pairs, in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from acvae import objectives
from acvae._util.options import option
from acvae.engine.batches import compact
from acvae.exceptions import OptionError, TrainingError
from acvae.gaussian.pairwise import PairwiseMarginals
from acvae.gaussian.posterior import Posterior
from acvae.nn import Autoencoder, PairEncoder
from acvae.nn.features import Features, Rows

__all__ = ["AmortizedInference"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = TypeVar("Array", bound=npt.NDArray[Any])

ROWS_AT_A_TIME = 16_384
PAIRS_AT_A_TIME = 65_536
TABLE_BYTES = 1 << 30  # what a table of all vertices may take in the pass over all edges


@dataclass
class AmortizedInference:
    """Networks on the features of n vertices."""

    module: Autoencoder
    features: Features
    device: torch.device

    @property
    def n_vertices(self) -> int:
        return self.features.n_rows

    @property
    def pair_network(self) -> PairEncoder:
        """The pair encoder, of a model that has one."""
        if self.module.pair_encoder is None:
            raise OptionError("correlations need a model with a pair encoder: ACVAE or correlated CVAE.")
        return self.module.pair_encoder

    # ------------------------------------------------------------------ vertices

    @torch.no_grad()
    def marginals(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Mean and std (n, d) of every vertex."""
        chunks = [self.module.encoder(self.features.rows(ids)) for ids in self.row_chunks()]
        mean, std = (torch.cat(part).cpu().numpy() for part in zip(*chunks, strict=True))
        return _finite(mean, "means"), _finite(std, "standard deviations")

    def row_chunks(self) -> Iterator[Tensor]:
        """Ids of all vertices, some at a time."""
        return iter(torch.arange(self.n_vertices, device=self.device).split(ROWS_AT_A_TIME))

    # ------------------------------------------------------------------ pairs

    @torch.no_grad()
    def pair_logits(self, pairs: IntArray) -> npt.NDArray[np.float32]:
        """Pre-activations c (k, d) of the pair encoder for pairs (k, 2) of vertex ids."""
        network = self.pair_network
        out = np.empty((len(pairs), network.output.bias.shape[0]), dtype=np.float32)
        for part, i, j, rows in self._pair_chunks(pairs):
            out[part] = network.pairs(network.halves(rows), i, j).cpu().numpy()
        return out

    def correlations(self, pairs: IntArray) -> FloatArray:
        """ρ (k, d), what the pair encoder says of each pair (k, 2)."""
        c = self.pair_logits(pairs).astype(np.float64)
        return np.asarray(objectives.MAX_CORRELATION * np.tanh(0.5 * c))

    @torch.no_grad()
    def pair_halves(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The pair encoder's first layer on every vertex, as first and as second of a pair; (n, h) each."""
        network = self.pair_network
        halves = torch.cat([network.halves(self.features.rows(ids)) for ids in self.row_chunks()])
        first, second = halves.split(network.hidden_dim, dim=1)
        return (first + network.bias).cpu().numpy(), second.cpu().numpy()

    def pairwise_posterior(self) -> Posterior:
        """The pair network's approximation of each pair, without a joint: CVAE_corr, ACVAE without BP."""
        output = self.pair_network.output
        # Copies: a posterior stays what it was when training goes on.
        weight, bias = (p.detach().cpu().numpy().copy() for p in (output.weight, output.bias))
        marginals = PairwiseMarginals(*self.pair_halves(), weight, bias)
        return Posterior.from_correlations(*self.marginals(), marginals)

    # ------------------------------------------------------------------ edges

    @torch.no_grad()
    def edge_masses(self, edges: IntArray, tau: float) -> FloatArray:
        """m_e (m,) of edges (m, 2) (eq. mass)."""
        out = np.empty(len(edges))
        for part, mean, std, c, i, j in self._edge_chunks(edges):
            out[part] = objectives.edge_mass(mean[i], std[i], mean[j], std[j], c, tau).cpu().numpy()
        return _finite(out, "edge masses")

    def _pair_chunks(self, pairs: IntArray) -> Iterator[tuple[slice, Tensor, Tensor, Rows]]:
        """Chunks of pairs with the distinct feature rows they need: `(part, i, j, rows)`."""
        slot = np.zeros(self.n_vertices, dtype=np.int64)
        nothing = np.empty(0, dtype=np.int64)
        for start in range(0, len(pairs), PAIRS_AT_A_TIME):
            part = slice(start, min(start + PAIRS_AT_A_TIME, len(pairs)))
            ids, _, local = compact(np.ascontiguousarray(pairs[part].T).ravel(), nothing, slot)
            i, j = torch.from_numpy(local).to(self.device).view(2, -1)
            yield part, i, j, self.features.rows(torch.from_numpy(ids).to(self.device))

    def _edge_chunks(
        self, edges: IntArray
    ) -> Iterator[tuple[slice, Tensor, Tensor, Tensor | None, Tensor, Tensor]]:
        network = self.module.pair_encoder
        if isinstance(network, PairEncoder) and self._table_pays(len(edges), 2 * network.hidden_dim):
            yield from self._edge_chunks_by_table(edges, network)
            return
        for part, i, j, rows in self._pair_chunks(edges):
            mean, std = self.module.encoder(rows)
            c = None if network is None else network.pairs(network.halves(rows), i, j)
            yield part, mean, std, c, i, j

    def _table_pays(self, n_edges: int, width: int) -> bool:
        """Whether chunks of edges would meet most vertices many times, and one table of all fits."""
        many = self.n_vertices > PAIRS_AT_A_TIME and 2 * n_edges > self.n_vertices
        return many and 4 * self.n_vertices * width <= TABLE_BYTES

    def _edge_chunks_by_table(
        self, edges: IntArray, network: PairEncoder
    ) -> Iterator[tuple[slice, Tensor, Tensor, Tensor, Tensor, Tensor]]:
        """The same, after all that the networks say of a single vertex has been computed once."""
        latent_dim, kind = len(network.output.bias), network.weight.dtype
        widths = (latent_dim, latent_dim, 2 * network.hidden_dim)
        tables = [torch.empty((self.n_vertices, w), dtype=kind, device=self.device) for w in widths]
        for ids in self.row_chunks():
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
            f"the networks give {what} that are not finite; use a smaller {option('learning_rate')}, "
            "or rescale the features."
        )
    return values
