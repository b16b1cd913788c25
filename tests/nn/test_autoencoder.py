"""The networks of a model together: which there are, and their shapes."""

import pytest
import torch

from acvae.exceptions import OptionError
from acvae.nn.autoencoder import Autoencoder


def made(**options):
    return Autoencoder(5, latent_dim=2, hidden_dim=3, generator=torch.Generator().manual_seed(0), **options)


def test_without_a_pair_network():
    module = made()
    assert module.pair_encoder is None
    shapes = sorted(tuple(p.shape) for p in module.parameters())
    # Encoder 5 → 3 → 2·2, decoder 2 → 3 → 5.
    assert shapes == sorted([(5, 3), (3,), (3, 4), (4,), (2, 3), (3,), (3, 5), (5,)])


def test_with_a_pair_network():
    module = made(pair_hidden_dim=4)
    own = sorted(tuple(p.shape) for p in module.pair_encoder.parameters())
    assert own == sorted([(5, 8), (4,), (4, 2), (2,)])  # both halves of [x_i; x_j] side by side


def test_a_seed_gives_the_same_networks_with_or_without_pairs():
    plain, paired = made(), made(pair_hidden_dim=4)
    for name, value in plain.state_dict().items():
        torch.testing.assert_close(paired.state_dict()[name], value, rtol=0, atol=0)


def test_the_likelihood_is_by_name():
    assert type(made(likelihood="poisson").likelihood).__name__ == "Poisson"
    with pytest.raises(OptionError, match="'normal'"):
        made(likelihood="normal")
