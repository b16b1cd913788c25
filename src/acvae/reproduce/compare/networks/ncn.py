"""NCN, neural common neighbours (Wang, Yang and Zhang, 2024): "Neural Common Neighbor with Completion".

Embeddings h of a graph convolution; the score of a pair is an MLP of the product of its ends and of the sum
of the embeddings of their common neighbours,

    s_ij = f(φ(h_i ⊙ h_j) + β·ψ(Σ_{u ∈ N(i) ∩ N(j)} h_u)).

The links of a training step are taken out of the graph for that step, as its authors do.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch.nn.functional import logsigmoid

from acvae.graph import Graph
from acvae.reproduce.compare.method import Watch
from acvae.reproduce.compare.networks.common import common_in_row, common_of_pairs
from acvae.reproduce.compare.networks.layers import convolution
from acvae.reproduce.compare.networks.tensors import Features, adjacency, normalised, uniform_pairs
from acvae.reproduce.compare.networks.training import seeded, train
from acvae.reproduce.compare.ranking import IntArray, Ranking, Scores

__all__ = ["fit_ncn"]

SHARES = 8  # an epoch takes this many steps, each without an eighth of the links
LINKS_A_STEP = 4_096
PAIRS_AT_ONCE = 65_536


class NCN(torch.nn.Module):
    """One or two convolutions, and the three small networks φ, ψ and f."""

    def __init__(self, n_features: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [n_features] + [hidden] * layers
        self.layers = torch.nn.ModuleList(
            [convolution(a, b, on_features=at == 0) for at, (a, b) in enumerate(pairwise(sizes))]
        )
        self.dropout = torch.nn.Dropout(dropout)
        self.phi = _mlp(hidden, hidden, dropout)
        self.psi = torch.nn.Sequential(torch.nn.LayerNorm(hidden), *_mlp(hidden, hidden, dropout))
        self.beta = torch.nn.Parameter(torch.ones(1))
        self.head = _mlp(hidden, 1, dropout)

    def embed(self, features: Features, edges: torch.Tensor) -> torch.Tensor:
        """(n, hidden)."""
        h: Any = features
        for at, layer in enumerate(self.layers):
            h = layer(h, edges)
            h = h if at + 1 == len(self.layers) else self.dropout(h.relu())
        return h

    def forward(self, ends: torch.Tensor, common: torch.Tensor) -> torch.Tensor:
        """Log-odds (k,) from h_i ⊙ h_j and the sums over common neighbours, both (k, hidden)."""
        return self.head((self.phi(ends) + self.beta * self.psi(common)).relu()).squeeze(-1)


def _mlp(size: int, out: int, dropout: float) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(size, size), torch.nn.ReLU(), torch.nn.Dropout(dropout), torch.nn.Linear(size, out)
    )


def fit_ncn(
    features: Any,
    graph: Graph,
    *,
    seed: int,
    watch: Watch | None = None,
    epochs: int = 30,
    hidden: int = 64,
    layers: int = 1,
    dropout: float = 0.0,
    learning_rate: float = 0.005,
) -> Ranking:
    """Train on links against as many random pairs."""
    with seeded(seed, "NCN") as generator:
        x = Features(features)
        model = NCN(x.shape[1], hidden, layers, dropout)
        whole = normalised(graph)

        def losses() -> Iterator[torch.Tensor]:
            order = torch.randperm(graph.n_edges, generator=generator).numpy()
            count = min(-(-graph.n_edges // SHARES), LINKS_A_STEP)
            for start in range(0, min(graph.n_edges, SHARES * count), count):
                batch = order[start : start + count]
                rest = np.delete(graph.edges, batch, axis=0)
                h = model.embed(x, normalised(graph, rest))
                others = uniform_pairs(graph.n_vertices, len(batch), generator)
                pairs = np.concatenate([graph.edges[batch], others.numpy().T])
                score = model(*_inputs(h, adjacency(graph.n_vertices, rest), pairs))
                yield -logsigmoid(score[: len(batch)]).mean() - logsigmoid(-score[len(batch) :]).mean()

        def ranking() -> Ranking:
            with torch.no_grad():
                return _Rows(model, model.embed(x, whole), graph).scores()

        return train(model, losses, ranking, epochs=epochs, watch=watch, learning_rate=learning_rate)


def _inputs(h: torch.Tensor, matrix: Any, pairs: IntArray) -> tuple[torch.Tensor, torch.Tensor]:
    """h_i ⊙ h_j and the sums over common neighbours of pairs (k, 2)."""
    number, vertex = common_of_pairs(matrix.indptr, matrix.indices, pairs)
    common = torch.zeros(len(pairs), h.shape[1])
    common = common.index_add(0, torch.from_numpy(number), h[torch.from_numpy(vertex)])
    i, j = torch.from_numpy(pairs.T.copy())
    return h[i] * h[j], common


class _Rows:
    """Scores of all candidates of a row; most share no neighbour with it, and those have the same ψ."""

    def __init__(self, model: NCN, h: torch.Tensor, graph: Graph) -> None:
        self._model, self._h, self._graph = model, h, graph
        self._table = h.numpy()
        with torch.no_grad():
            self._none = model.beta * model.psi(torch.zeros(1, h.shape[1]))

    def scores(self) -> Scores:
        return Scores(len(self._table), self._score, random_ties=False)

    def _score(self, rows: IntArray) -> Any:
        n = len(self._table)
        out = np.empty((len(rows), n), dtype=np.float32)
        with torch.no_grad():
            for r, i in enumerate(rows):
                at, common = common_in_row(*self._graph.csr, self._table, i)
                for start in range(0, n, PAIRS_AT_ONCE):
                    part = slice(start, start + PAIRS_AT_ONCE)
                    both = self._model.phi(self._h[part] * self._h[i]) + self._none
                    inside = (at >= start) & (at < start + PAIRS_AT_ONCE)
                    shared = self._model.beta * self._model.psi(torch.from_numpy(common[inside]))
                    both[torch.from_numpy(at[inside] - start)] += shared - self._none
                    out[r, part] = self._model.head(both.relu()).squeeze(-1).numpy()
        return out
