"""Sparse tensors and products, against dense algebra."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import acvae
from acvae.reproduce.compare.networks import tensors


@pytest.mark.parametrize("density", [0.01, 0.5])
def test_features_are_rows_of_length_one_and_their_gradient_is_right(density: float) -> None:
    x = sp.random_array((30, 50), density=density, random_state=np.random.default_rng(0), format="csr")
    full = x.toarray()
    full /= np.maximum(np.linalg.norm(full, axis=1, keepdims=True), 1e-12)
    weight = torch.randn(50, 4, generator=torch.Generator().manual_seed(0), requires_grad=True)
    features, order = tensors.Features(x), torch.randperm(30, generator=torch.Generator().manual_seed(1))
    for found, table in ((features, full), (features.shuffled(order), full[order])):
        out = found.times(weight)
        np.testing.assert_allclose(out.detach(), table @ weight.detach().numpy(), atol=1e-5)
        (grad,) = torch.autograd.grad(out.square().sum(), weight)
        np.testing.assert_allclose(grad, 2 * table.T @ (table @ weight.detach().numpy()), atol=1e-4)


GRAPH = acvae.Graph(4, [[0, 1], [1, 2]])  # 3 is alone


def test_adjacency_by_hand() -> None:
    found = tensors.adjacency(4, GRAPH.edges).toarray()
    assert found.tolist() == [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert tensors.adjacency(4, np.empty((0, 2), dtype=np.int64)).nnz == 0


def test_normalised_by_hand() -> None:
    # Degrees with a loop each: 2, 3, 2, 1.
    side = 1 / np.sqrt(6)
    expected = [[1 / 2, side, 0, 0], [side, 1 / 3, side, 0], [0, side, 1 / 2, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(tensors.normalised(GRAPH).to_dense(), expected, rtol=1e-6)
    some = tensors.normalised(GRAPH, GRAPH.edges[:1]).to_dense()
    np.testing.assert_allclose(some.diagonal(), [1 / 2, 1 / 2, 1, 1], rtol=1e-6)


@pytest.mark.parametrize("symmetric", [True, False])
def test_products_and_their_gradient(symmetric: bool) -> None:
    table = np.random.default_rng(0).poisson(0.5, (5, 5)).astype(np.float32)
    table = table + table.T if symmetric else table
    x = torch.randn(5, 2, generator=torch.Generator().manual_seed(0), requires_grad=True)
    back = None if symmetric else tensors.sparse_tensor(table.T)
    found = tensors.product(tensors.sparse_tensor(table), x, back)
    torch.testing.assert_close(found, torch.from_numpy(table) @ x)
    (grad,) = torch.autograd.grad(found.square().sum(), x)
    torch.testing.assert_close(grad, 2 * torch.from_numpy(table.T @ table) @ x.detach())


def test_random_pairs_are_of_the_vertices_and_from_the_seed() -> None:
    found = tensors.uniform_pairs(7, 500, torch.Generator().manual_seed(0))
    assert found.shape == (2, 500)
    assert set(found.ravel().tolist()) == set(range(7))
    assert torch.equal(found, tensors.uniform_pairs(7, 500, torch.Generator().manual_seed(0)))
