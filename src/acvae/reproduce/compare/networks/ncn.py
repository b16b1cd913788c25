"""NCN, neural common neighbours (Wang, Yang and Zhang, 2024): "Neural Common Neighbor with Completion".

Embeddings h are projected features, averaged over neighbourhoods; the score of a pair is an MLP of the
product of its ends and of the sum of the embeddings of their common neighbours,

    s_ij = f(φ(h_i ⊙ h_j) + β·ψ(Σ_{u ∈ N(i) ∩ N(j)} g_u)),    g = h + χ(h).

The layers are those that its authors use for citation graphs: convolutions without weights of their own,
whose outputs are weighted and added, and layers normalised inside the small networks. The links of a training
step are taken out of the graph for that step, as theirs are. Their dropout of edges is left out.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch.nn.functional import logsigmoid

from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.reproduce.compare.method import Watch
from acvae.reproduce.compare.networks.common import common_in_row, common_of_pairs
from acvae.reproduce.compare.networks.layers import FeatureLinear
from acvae.reproduce.compare.networks.tensors import Features, adjacency, normalised, product, uniform_pairs
from acvae.reproduce.compare.networks.training import seeded, train
from acvae.reproduce.compare.ranking import IntArray, Scores

__all__ = ["fit_ncn"]

LINKS_A_STEP = 1152
STEPS_AN_EPOCH = 8  # at the most; the links of an epoch are then some, chosen at random
PAIRS_AT_ONCE = 65_536


class NCN(torch.nn.Module):
    """Projection, convolutions, and the four small networks χ, φ, ψ and f."""

    def __init__(self, n_features: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.project = FeatureLinear(n_features, hidden)
        self.mixing = torch.nn.Parameter(torch.ones(layers))
        self.dropout = torch.nn.Dropout(dropout)
        self.chi = torch.nn.Sequential(*_two_layers(hidden, dropout))
        self.phi = torch.nn.Sequential(*_layer(hidden, dropout))
        self.psi = torch.nn.Sequential(*_two_layers(hidden, dropout))
        self.beta = torch.nn.Parameter(torch.ones(1))
        self.head = torch.nn.Sequential(*_layer(hidden, dropout), torch.nn.Linear(hidden, 1))

    def embed(self, features: Features, edges: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """h and g, (n, hidden) each."""
        x = self.dropout(self.project(features))
        h = torch.zeros_like(x)
        for weight in self.mixing:
            x = product(edges, x)
            h = h + weight * x
        h = self.dropout(h)
        return h, h + self.chi(h)

    def forward(self, ends: torch.Tensor, common: torch.Tensor) -> torch.Tensor:
        """Log-odds (k,) from h_i ⊙ h_j and the sums over common neighbours, both (k, hidden)."""
        return self.head(self.phi(ends) + self.beta * self.psi(common)).squeeze(-1)


def _layer(size: int, dropout: float) -> list[torch.nn.Module]:
    return [
        torch.nn.Linear(size, size),
        torch.nn.LayerNorm(size),
        torch.nn.Dropout(dropout),
        torch.nn.ReLU(),
    ]


def _two_layers(size: int, dropout: float) -> list[torch.nn.Module]:
    """The first is not normalised: how large a sum is, is how many neighbours are shared."""
    return [
        torch.nn.Linear(size, size),
        torch.nn.Dropout(dropout),
        torch.nn.ReLU(),
        *_layer(size, dropout),
    ]


def fit_ncn(
    features: Any,
    graph: Graph,
    *,
    seed: int,
    watch: Watch | None = None,
    epochs: int = 30,
    hidden: int = 64,
    layers: int = 1,
    dropout: float = 0.1,
    learning_rate: float = 0.003,
) -> Ranking:
    """Train on links against as many random pairs."""
    with seeded(seed, "NCN") as generator:
        x = Features(features)
        model = NCN(x.shape[1], hidden, layers, dropout)
        whole = normalised(graph)

        def losses() -> Iterator[torch.Tensor]:
            order = torch.randperm(graph.n_edges, generator=generator).numpy()
            for start in range(0, min(graph.n_edges, STEPS_AN_EPOCH * LINKS_A_STEP), LINKS_A_STEP):
                batch = order[start : start + LINKS_A_STEP]
                rest = np.delete(graph.edges, batch, axis=0)
                h, g = model.embed(x, normalised(graph, rest))
                others = uniform_pairs(graph.n_vertices, len(batch), generator)
                pairs = np.concatenate([graph.edges[batch], others.numpy().T])
                score = model(*_inputs(h, g, adjacency(graph.n_vertices, rest), pairs))
                yield -logsigmoid(score[: len(batch)]).mean() - logsigmoid(-score[len(batch) :]).mean()

        def ranking() -> Ranking:
            with torch.no_grad():
                return _Rows(model, *model.embed(x, whole), graph).scores()

        return train(model, losses, ranking, epochs=epochs, watch=watch, learning_rate=learning_rate)


def _inputs(
    h: torch.Tensor, g: torch.Tensor, matrix: Any, pairs: IntArray
) -> tuple[torch.Tensor, torch.Tensor]:
    """h_i ⊙ h_j and the sums of g over common neighbours of pairs (k, 2)."""
    number, vertex = common_of_pairs(matrix.indptr, matrix.indices, pairs)
    common = torch.zeros(len(pairs), g.shape[1])
    common = common.index_add(0, torch.from_numpy(number), g[torch.from_numpy(vertex)])
    i, j = torch.from_numpy(pairs.T.copy())
    return h[i] * h[j], common


class _Rows:
    """Scores of all candidates of a row; most share no neighbour with it, and those have the same ψ."""

    def __init__(self, model: NCN, h: torch.Tensor, g: torch.Tensor, graph: Graph) -> None:
        self._model, self._h, self._graph = model, h, graph
        self._table = g.numpy()
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
                    out[r, part] = self._model.head(both).squeeze(-1).numpy()
        return out
