"""Networks with sparse features in: encoder, decoder, pair encoder and likelihoods."""

from acvae.nn.autoencoder import Autoencoder
from acvae.nn.decoder import Decoder
from acvae.nn.encoder import Encoder
from acvae.nn.features import as_features
from acvae.nn.likelihoods import Bernoulli, Gaussian, Likelihood, Multinomial, Poisson, make_likelihood
from acvae.nn.pair_encoder import PairEncoder

__all__ = [
    "Autoencoder",
    "Bernoulli",
    "Decoder",
    "Encoder",
    "Gaussian",
    "Likelihood",
    "Multinomial",
    "PairEncoder",
    "Poisson",
    "as_features",
    "make_likelihood",
]
