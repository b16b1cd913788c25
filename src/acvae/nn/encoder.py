"""Encoder: features of a vertex → mean and standard deviation of its embedding."""

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from acvae.nn.features import Rows
from acvae.nn.layers import Dense, FeatureLinear

__all__ = ["Encoder"]

SMALLEST_STD = 1e-15  # softplus underflows to zero far below any useful standard deviation


class Encoder(nn.Module):
    """D → h, ReLU, → 2d; mean = first half, standard deviation = softplus(second half)."""

    def __init__(
        self, n_features: int, hidden_dim: int, latent_dim: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.hidden = FeatureLinear(n_features, hidden_dim, generator)
        self.output = Dense(hidden_dim, 2 * latent_dim, generator)

    def forward(self, rows: Rows) -> tuple[Tensor, Tensor]:
        """Mean (b, d) and std (b, d)."""
        # Contiguous halves: elementwise code is far slower on rows of a few numbers with gaps between.
        mean, spread = (x.contiguous() for x in self.output(torch.relu(self.hidden(rows))).chunk(2, dim=-1))
        return mean, softplus(spread).clamp_min(SMALLEST_STD)
