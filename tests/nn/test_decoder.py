"""Decoder: an embedding to the parameters of its features' distribution."""

import torch

from acvae.nn import Decoder


def test_is_two_layers_with_relu_between():
    decoder = Decoder(3, 4, 6, torch.Generator().manual_seed(0))
    z = torch.randn((5, 3), generator=torch.Generator().manual_seed(1))
    hidden = torch.relu(z @ decoder.hidden.weight + decoder.hidden.bias)
    torch.testing.assert_close(decoder(z), hidden @ decoder.output.weight + decoder.output.bias)


def test_shapes_are_latent_to_features():
    decoder = Decoder(latent_dim=3, hidden_dim=4, n_features=6)
    assert decoder.hidden.weight.shape == (3, 4)
    assert decoder(torch.zeros(7, 3)).shape == (7, 6)
