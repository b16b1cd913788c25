"""Pair encoder: features of two vertices → the correlation of their embeddings, per dimension."""

import torch
from torch import Tensor, nn

from acvae.nn.features import Rows
from acvae.nn.kernels import pair_layer
from acvae.nn.layers import Dense, draw_initial

__all__ = ["PairEncoder"]


class PairEncoder(nn.Module):
    """[x_i; x_j]: 2D → h, ReLU, → d, symmetric: both orders are run and their outputs averaged.

    The first layer on [x_i; x_j] is x_i·W_a + x_j·W_b + b, so `halves` applies it once per vertex, whatever
    the number of pairs the vertex is in; and as the mean of two linear maps is one, `pairs` adds the two
    orders' activations before a single second layer.
    """

    def __init__(
        self, n_features: int, hidden_dim: int, latent_dim: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.weight = draw_initial(n_features, 2 * hidden_dim, generator=generator)  # [W_a, W_b]
        self.bias = draw_initial(hidden_dim, generator=generator)
        self.output = Dense(hidden_dim, latent_dim, generator)

    def halves(self, rows: Rows) -> Tensor:
        """[x·W_a, x·W_b], (b, 2h)."""
        return rows.times(self.weight)

    def pairs(self, halves: Tensor, i: Tensor, j: Tensor) -> Tensor:
        """Pre-activation c (k, d) of pairs, given by row numbers (k,) into the halves; ρ = tanh(c/2)."""
        both = pair_layer(halves, self.bias, i, j)
        return torch.addmm(self.output.bias, both, self.output.weight, alpha=0.5)
