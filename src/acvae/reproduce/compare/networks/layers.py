"""PyTorch Geometric's convolutions, with quicker products and a first layer for sparse features."""

import warnings
from typing import Any

import torch

from acvae._util.checks import optional_import
from acvae.reproduce.compare.networks.tensors import product

__all__ = ["FeatureLinear", "convolution", "geometric", "sage"]


def geometric(module: str = "torch_geometric.nn") -> Any:
    """A module of PyTorch Geometric, or a typed error that says how to get it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # raised inside its own modules
        return optional_import(module, needed_for="a graph network", install="'acvae[baselines]'")


class FeatureLinear(torch.nn.Module):
    """X·W for `Features`, in the place of the linear map inside a convolution."""

    def __init__(self, n_features: int, size: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(n_features, size))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """As the convolution's own map begins."""
        torch.nn.init.xavier_uniform_(self.weight)

    def forward(self, features: Any) -> torch.Tensor:
        """(n, size)."""
        return features.times(self.weight)


def convolution(size_in: int, size_out: int, *, on_features: bool = False) -> Any:
    """A `GCNConv` that is given the normalised adjacency, which is symmetric."""
    conv = _classes()[0](size_in, size_out, normalize=False)
    if on_features:
        conv.lin = FeatureLinear(size_in, size_out)
    return conv


def sage(size_in: int, size_out: int) -> Any:
    """A `SAGEConv` with the mean of the neighbours, given the adjacency of zeros and ones."""
    return _classes()[1](size_in, size_out)


_made: list[Any] = []
Both = tuple[torch.Tensor, torch.Tensor]


def _classes() -> list[Any]:
    """Made when first needed: the base classes are in an optional package."""
    if not _made:
        nn: Any = geometric()

        class Convolution(nn.GCNConv):
            def message_and_aggregate(self, adj_t: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
                return product(adj_t, x)

        class Sage(nn.SAGEConv):
            def message_and_aggregate(self, adj_t: torch.Tensor, x: Both) -> torch.Tensor:
                degree = adj_t.crow_indices().diff().clamp(min=1)
                return product(adj_t, x[0]) / degree[:, None]

        _made.extend([Convolution, Sage])
    return _made
