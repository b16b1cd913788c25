"""Pair encoder: the same as the paper's network on [x_i; x_j], run in both orders."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae.nn import PairEncoder, as_features
from acvae.nn.features import DenseFeatures


@pytest.fixture
def encoder():
    return PairEncoder(6, 5, 3, torch.Generator().manual_seed(0)).double()


@pytest.fixture
def x():
    table = np.random.default_rng(0).poisson(0.7, (8, 6)).astype(np.float64)
    table[4] = 0
    return table


def naive(encoder, x, i, j):
    """Both orders of the concatenation through the whole network, outputs averaged."""
    h = encoder.output.weight.shape[0]
    weight = torch.cat([encoder.weight[:, :h], encoder.weight[:, h:]])  # (2D, h)

    def network(pair):
        return torch.relu(pair @ weight + encoder.bias) @ encoder.output.weight + encoder.output.bias

    x = torch.from_numpy(x)
    return 0.5 * (network(torch.cat([x[i], x[j]], dim=1)) + network(torch.cat([x[j], x[i]], dim=1)))


def all_pairs(n):
    return torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")


def test_equals_the_network_on_concatenated_features_with_its_gradients(encoder, x):
    i, j = (a.flatten() for a in all_pairs(8))
    upstream = torch.randn((64, 3), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    naive(encoder, x, i, j).backward(upstream)
    expected = [p.grad.clone() for p in encoder.parameters()]
    encoder.zero_grad()
    got = encoder.pairs(encoder.halves(as_features(sp.csr_array(x)).rows()), i, j)
    torch.testing.assert_close(got, naive(encoder, x, i, j), rtol=1e-12, atol=1e-12)
    got.backward(upstream)
    for p, grad in zip(encoder.parameters(), expected, strict=True):
        torch.testing.assert_close(p.grad, grad, rtol=1e-10, atol=1e-12)


def test_is_symmetric_to_the_bit(encoder, x):
    halves = encoder.halves(as_features(x).rows())
    i, j = (a.flatten() for a in all_pairs(8))
    assert torch.equal(encoder.pairs(halves, i, j), encoder.pairs(halves, j, i))


def test_depends_on_both_ends(encoder, x):
    halves = encoder.halves(as_features(x).rows())
    c = encoder.pairs(halves, torch.tensor([0, 0, 1]), torch.tensor([1, 2, 2]))
    assert len({tuple(row.tolist()) for row in c}) == 3


def test_sparse_and_dense_rows_give_the_same():
    encoder = PairEncoder(50, 5, 3)
    x = sp.random_array((10, 50), density=0.1, random_state=np.random.default_rng(0), format="csr")
    i, j = torch.tensor([0, 3, 9]), torch.tensor([5, 4, 1])
    sparse = encoder.pairs(encoder.halves(as_features(x).rows()), i, j)
    dense = encoder.pairs(encoder.halves(DenseFeatures(x.toarray()).rows()), i, j)
    torch.testing.assert_close(sparse, dense)


def test_large_batches_have_the_same_gradient_every_time():
    # Plain indexing adds gradients in the order threads come by, once there are more than 32,768 numbers.
    encoder = PairEncoder(20, 100, 4, torch.Generator().manual_seed(0))
    rng = np.random.default_rng(0)
    rows = as_features(rng.poisson(0.3, (50, 20))).rows()
    i, j = torch.from_numpy(rng.integers(0, 50, (2, 2000)))
    gradients = []
    for _ in range(10):
        encoder.zero_grad()
        encoder.pairs(encoder.halves(rows), i, j).square().sum().backward()
        gradients.append([p.grad.clone() for p in encoder.parameters()])
    for other in gradients[1:]:
        assert all(torch.equal(a, b) for a, b in zip(gradients[0], other, strict=True))
