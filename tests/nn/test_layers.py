"""Layers: initial values, and the same product on sparse and dense rows."""

import pytest
import scipy.sparse as sp
import torch

from acvae.nn import as_features
from acvae.nn.layers import INITIAL_STD, Dense, FeatureLinear, draw_initial, take_rows


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_initial_values_are_within_two_std_and_from_the_seed():
    values = draw_initial(200, 100, generator=generator()).detach()
    assert values.abs().max() <= 2 * INITIAL_STD
    # A normal truncated at two std has the std 0.8796 of it; of 20,000 draws it is known to 0.5 %.
    assert float(values.std()) == pytest.approx(0.8796 * INITIAL_STD, rel=0.03)
    assert float(values.mean()) == pytest.approx(0, abs=0.003)
    torch.testing.assert_close(values, draw_initial(200, 100, generator=generator()).detach(), rtol=0, atol=0)
    assert not torch.equal(values, draw_initial(200, 100, generator=generator(1)).detach())


@pytest.mark.parametrize("layer", [Dense, FeatureLinear])
def test_biases_are_drawn_like_weights(layer):
    made = layer(3, 50, generator())
    assert made.bias.std() > 0.3 * INITIAL_STD
    assert [tuple(p.shape) for p in made.parameters()] == [(3, 50), (50,)]


def test_dense_by_hand():
    layer = Dense(2, 3)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 2, 3], [4, 5, 6]]))
        layer.bias.copy_(torch.tensor([0.5, 0, -1]))
    assert layer(torch.tensor([[1.0, 2], [0, 0]])).tolist() == [[9.5, 12, 14], [0.5, 0, -1]]


def test_rows_of_features_sparse_or_dense():
    layer = FeatureLinear(4, 3, generator())
    table = torch.tensor([[0.0, 2, 0, 0], [1, 0, 0, 3], [0, 0, 0, 0]])
    expected = table @ layer.weight + layer.bias
    for given in (table, sp.csr_array(table.numpy())):
        torch.testing.assert_close(layer(as_features(given).rows()), expected)


def test_rows_that_are_taken_twice_get_both_gradients():
    table = torch.arange(6.0).reshape(3, 2).requires_grad_()
    found = take_rows(table, torch.tensor([2, 0, 2]))
    assert found.tolist() == [[4, 5], [0, 1], [4, 5]]
    found.backward(torch.tensor([[1.0, 2], [3, 4], [10, 20]]))
    assert table.grad.tolist() == [[3, 4], [0, 0], [11, 22]]
