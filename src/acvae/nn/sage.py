"""GraphSAGE's network on PyTorch Geometric's operator, and the graph as it reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from acvae._util.checks import optional_import
from acvae._util.matrices import as_matrix
from acvae.exceptions import FeatureError
from acvae.graph import Graph
from acvae.nn.features import as_features

__all__ = ["SageGraph", "SageNetwork"]

IntArray = npt.NDArray[np.int64]

NEGATIVE_POWER = 0.75  # negatives are drawn ∝ degree^0.75


class SageGraph:
    """Features, the means of the neighbours' features, and who the neighbours are.

    The first layer's averages are of raw features; they never change and are computed once, sparse where
    the features are.
    """

    def __init__(self, features: Any, graph: Graph, device: torch.device) -> None:
        self.graph, self.device = graph, device
        self.own = as_features(features, device)
        self.n_features = self.own.n_columns
        if self.own.n_rows < 2 or self.n_features == 0:
            raise FeatureError(
                f"at least two data points with one feature are needed, got a matrix of "
                f"{self.own.n_rows} rows and {self.n_features} columns."
            )
        if graph.n_vertices != self.own.n_rows:
            raise FeatureError(
                f"there are {self.own.n_rows} rows of features but {graph.n_vertices} vertices; "
                "row i must describe vertex i."
            )
        self.neighbour_means = as_features(_neighbour_means(features, graph), device)

    def neighbourhoods(self, vertices: IntArray) -> tuple[IntArray, IntArray]:
        """All neighbours of the given vertices, one after the other, and the position of whose they are."""
        start, neighbour = self.graph.csr
        length = start[vertices + 1] - start[vertices]
        whose = np.repeat(np.arange(len(vertices)), length)
        first = np.cumsum(length) - length
        return neighbour[np.arange(len(whose)) + (start[vertices] - first)[whose]], whose

    def negative_sampler(self) -> Callable[[int, np.random.Generator], IntArray]:
        """A function that draws so many vertices ∝ degree^0.75."""
        cumulative = np.cumsum(self.graph.degrees.astype(np.float64) ** NEGATIVE_POWER)

        def draw(count: int, rng: np.random.Generator) -> IntArray:
            return np.searchsorted(cumulative, rng.random(count) * cumulative[-1], side="right")

        return draw


class SageNetwork(nn.Module):
    """Two `SAGEConv` layers with mean aggregators, ReLU between, output of length one."""

    def __init__(self, n_features: int, hidden_dim: int, latent_dim: int, seed: int = 0) -> None:
        super().__init__()
        geometric = optional_import(
            "torch_geometric.nn", needed_for="GraphSAGE", install="'acvae[baselines]'"
        )
        with torch.random.fork_rng(devices=[]):  # the operator draws from the global state
            torch.default_generator.manual_seed(seed)
            self.first = geometric.SAGEConv(n_features, hidden_dim, aggr="mean")
            self.second = geometric.SAGEConv(hidden_dim, latent_dim, aggr="mean")

    def embed(self, graph: SageGraph, vertices: IntArray) -> tuple[Tensor, Tensor]:
        """Embeddings (t, d) of the distinct among `vertices`, and the row of each of `vertices` in them."""
        targets, place = np.unique(vertices, return_inverse=True)
        neighbours, whose = graph.neighbourhoods(targets)
        rows, inverse = np.unique(np.concatenate([targets, neighbours]), return_inverse=True)
        local = torch.from_numpy(inverse).to(graph.device)
        hidden = self._first_layer(graph, torch.from_numpy(rows).to(graph.device)).relu()
        own = hidden[local[: len(targets)]]
        edges = torch.stack([local[len(targets) :], torch.from_numpy(whose).to(graph.device)])
        z = self.second((hidden, own), edges)
        return normalize(z, dim=-1), torch.from_numpy(place).to(graph.device)

    def _first_layer(self, graph: SageGraph, rows: Tensor) -> Tensor:
        """What `self.first` gives for these rows, from the averages at hand: W_l·mean + b + W_r·x."""
        of_means, of_own = self.first.lin_l, self.first.lin_r
        from_means = graph.neighbour_means.rows(rows).times(of_means.weight.t().contiguous())
        return from_means + of_means.bias + graph.own.rows(rows).times(of_own.weight.t().contiguous())


def _neighbour_means(features: Any, graph: Graph) -> Any:
    """(n, D) mean of the neighbours' features; zero without neighbours."""
    features = as_matrix(features)
    share = 1 / np.maximum(graph.degrees, 1)
    averaging = sp.diags_array(share) @ graph.to_scipy(weighted=False).astype(np.float64)
    means = averaging @ features.astype(np.float64)
    return sp.csr_array(means) if sp.issparse(means) else means
