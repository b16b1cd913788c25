"""The pair layer against plain tensor code, forward and backward, on halves and on bags."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae.nn.kernels.pair_layer import (
    pair_layer,
    pair_layer_backward,
    pair_layer_forward,
    pair_layer_of_bags,
)

H = 3
FIRST, SECOND = np.array([0, 1, 4, 2, 0]), np.array([1, 0, 4, 3, 2])  # both orders, itself, a hub


def randn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_pair_layer_and_its_gradient() -> None:
    halves, bias = randn(5, 6).requires_grad_(), randn(3, seed=1).requires_grad_()
    i, j = torch.tensor([0, 1, 4, 2, 0]), torch.tensor([1, 0, 4, 3, 2])  # both orders, itself, a hub
    first, second = halves[:, :3] + bias, halves[:, 3:]
    expected = torch.relu(first[i] + second[j]) + torch.relu(first[j] + second[i])
    torch.testing.assert_close(pair_layer(halves, bias, i, j), expected)
    assert torch.autograd.gradcheck(lambda h, b: pair_layer(h, b, i, j), (halves, bias))


def test_which_sides_are_on_by_hand() -> None:
    halves = np.array([[1.0, -5.0], [-2.0, 3.0]])  # A_0 = 1, B_0 = −5; A_1 = −2, B_1 = 3
    out, on = np.empty((2, 1)), np.empty((2, 1), dtype=np.uint8)
    pair_layer_forward(halves, np.array([0.5]), np.array([0, 1]), np.array([1, 0]), out, on)
    # A_0 + B_1 + b = 4.5 is on, A_1 + B_0 + b = −6.5 is off: the first of the two, then the second.
    assert out.tolist() == [[4.5], [4.5]]
    assert on.tolist() == [[1], [2]]


@pytest.mark.parametrize("ones", [True, False])
def test_bags_are_halves_made_on_the_way(ones: bool) -> None:
    rng = np.random.default_rng(0)
    x = sp.csr_array(rng.poisson(0.6, (5, 7)).astype(float))
    if ones:
        x.data[:] = 1
    weight, bias = rng.standard_normal((7, 2 * H)), rng.standard_normal(H)
    found, expected = ((np.empty((5, H)), np.empty((5, H), dtype=np.uint8)) for _ in range(2))
    pair_layer_forward(x @ weight, bias, FIRST, SECOND, *expected)
    pair_layer_of_bags(weight, bias, x.indices, x.indptr, x.data, not ones, FIRST, SECOND, *found)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    np.testing.assert_array_equal(found[1], expected[1])


def test_gradients_of_some_units_are_those_of_all() -> None:
    halves, bias, grad = randn(5, 2 * H).numpy(), randn(H, seed=1).numpy(), randn(5, H, seed=2).numpy()
    on = np.empty((5, H), dtype=np.uint8)
    pair_layer_forward(halves, bias, FIRST, SECOND, np.empty((5, H)), on)
    whole, of_bias = np.empty((5, 2 * H)), np.empty(H)
    pair_layer_backward(on, FIRST, SECOND, grad, 0, H, whole, of_bias)
    part, of_some = np.full((5, 4), 9.0), np.full(H, 9.0)
    pair_layer_backward(on, FIRST, SECOND, np.ascontiguousarray(grad[:, 1:]), 1, H, part, of_some)
    np.testing.assert_array_equal(part, whole[:, [1, 2, H + 1, H + 2]])
    np.testing.assert_array_equal(of_some, [9, *of_bias[1:]])


def test_who_is_in_no_pair_has_no_gradient() -> None:
    out = np.full((4, 2), 9.0)
    on, grad = np.full((1, 1), 3, dtype=np.uint8), np.full((1, 1), 5.0)
    pair_layer_backward(on, np.array([0]), np.array([2]), grad, 0, 1, out, np.empty(1))
    assert out.tolist() == [[5, 5], [0, 0], [5, 5], [0, 0]]
