"""Rows through a first layer and back, sparse and dense, in any pieces."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae.engine.kernels.adam import FlatAdam, Learned
from acvae.engine.kernels.first_layer import DenseInput, SparseInput

B, D, H = 6, 9, 4


def table(*, ones=False):
    x = np.random.default_rng(0).poisson(0.7, (B, D)).astype(np.float32)
    x[2], x[:, 3] = 0, 0  # an empty row, and a column that nobody has
    x[:, 5] = 2  # one that all have
    return (x > 0).astype(np.float32) if ones else x


def inputs(x, *, ones):
    rows = sp.csr_array(x)
    columns, offsets = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return {"sparse": SparseInput(columns, offsets, None if ones else rows.data, D), "dense": DenseInput(x)}


@pytest.fixture(params=[("sparse", True), ("sparse", False), ("dense", False)], ids=str)
def given(request):
    kind, ones = request.param
    x = table(ones=ones)
    return inputs(x, ones=ones)[kind], x


def randn(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_products_of_some_rows(given):
    layer, x = given
    weight, out = randn(D, H), np.full((B, H), 9, dtype=np.float32)
    layer.times(weight, 1, 4, out)
    np.testing.assert_allclose(out[1:4], x[1:4] @ weight, rtol=1e-5, atol=1e-6)
    assert (out[[0, 4, 5]] == 9).all()


def learned(width):
    return Learned(*(np.full((D, width), 9, dtype=np.float32) for _ in range(4)))


@pytest.mark.parametrize("rows", [B, 4, 0])
def test_a_part_of_the_gradient_is_written_down(given, rows):
    layer, x = given
    grad, weight = randn(rows, 2), learned(H)
    layer.descend(grad, slice(1, 3), weight, slice(2, 7), ())
    expected = np.full((D, H), 9, dtype=np.float32)
    expected[2:7, 1:3] = x[:rows, 2:7].T @ grad
    np.testing.assert_allclose(weight.gradient, expected, rtol=1e-5, atol=1e-5)
    assert (weight.value == 9).all()


def test_both_halves_of_a_pair_weight(given):
    layer, x = given
    grad, weight = randn(B, 4), learned(2 * H)
    layer.descend(grad, slice(1, 3), weight, slice(0, D), ())
    expected = np.full((D, 2 * H), 9, dtype=np.float32)
    expected[:, 1:3], expected[:, H + 1 : H + 3] = x.T @ grad[:, :2], x.T @ grad[:, 2:]
    np.testing.assert_allclose(weight.gradient, expected, rtol=1e-5, atol=1e-5)


def test_a_step_in_parts_is_adams_step(given):
    layer, x = given
    grad = randn(B, H)
    start = torch.from_numpy(randn(D, H, seed=2))
    expected = torch.nn.Parameter(start.clone())
    expected.grad = torch.from_numpy(x.T @ grad)
    torch.optim.Adam([expected], lr=0.1).step()
    flat = start.clone().reshape(-1)
    adam = FlatAdam(flat, torch.zeros_like(flat), 0.1)
    adam.advance()
    weight = adam.learned(flat.reshape(D, H))
    for columns in (slice(0, 4), slice(4, D)):
        for units in (slice(0, 1), slice(1, H)):
            layer.descend(np.ascontiguousarray(grad[:, units]), units, weight, columns, adam.constants)
    np.testing.assert_allclose(flat.reshape(D, H), expected.detach(), rtol=1e-5, atol=1e-6)
