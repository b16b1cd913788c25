"""Autoencoder: the networks of one model together, nothing more."""

import torch
from torch import nn

from acvae.nn.decoder import Decoder
from acvae.nn.encoder import Encoder
from acvae.nn.likelihoods import Likelihood, make_likelihood
from acvae.nn.pair_encoder import PairEncoder

__all__ = ["Autoencoder"]


class Autoencoder(nn.Module):
    """Encoder, decoder and likelihood, and a pair encoder where embeddings are correlated."""

    pair_encoder: PairEncoder | None

    def __init__(
        self,
        n_features: int,
        *,
        latent_dim: int,
        hidden_dim: int,
        pair_hidden_dim: int | None = None,
        likelihood: str | Likelihood = "multinomial",
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.encoder = Encoder(n_features, hidden_dim, latent_dim, generator)
        self.decoder = Decoder(latent_dim, hidden_dim, n_features, generator)
        self.likelihood = make_likelihood(likelihood, n_features)
        self.pair_encoder = (
            None
            if pair_hidden_dim is None
            else PairEncoder(n_features, pair_hidden_dim, latent_dim, generator)
        )
