"""Decoder: an embedding → the parameters of its features' distribution."""

import torch
from torch import Tensor, nn

from acvae.nn.layers import Dense

__all__ = ["Decoder"]


class Decoder(nn.Module):
    """d → h, ReLU, → D."""

    def __init__(
        self, latent_dim: int, hidden_dim: int, n_features: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.hidden = Dense(latent_dim, hidden_dim, generator)
        self.output = Dense(hidden_dim, n_features, generator)

    def forward(self, z: Tensor) -> Tensor:
        """Outputs (b, D), what they mean is the likelihood's business."""
        return self.output(torch.relu(self.hidden(z)))
