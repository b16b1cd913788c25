"""The multinomial's value and gradient, against SciPy and torch."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.stats import multinomial

from acvae.nn.kernels.multinomial import multinomial_gradient

X = np.array([[2.0, 0, 1, 0], [0, 0, 0, 0], [0, 3, 0, 1]])


def found(x, outputs, scale, *, ones=False):
    rows = sp.csr_array(x)
    log_p = torch.log_softmax(torch.from_numpy(outputs), 1).numpy()
    out = np.exp(log_p)
    values = None if ones else rows.data
    return multinomial_gradient(log_p, rows.indices, rows.indptr, values, scale, out), out


@pytest.mark.parametrize("ones", [False, True])
def test_value_and_gradient(ones):
    x = (X > 0).astype(float) if ones else X
    outputs = np.random.default_rng(0).standard_normal(x.shape)
    value, gradient = found(x, outputs, 0.5, ones=ones)
    p = torch.softmax(torch.from_numpy(outputs), 1).numpy()
    assert value == pytest.approx(
        sum(multinomial.logpmf(row, row.sum(), q) for row, q in zip(x, p, strict=True))
    )
    leaf = torch.from_numpy(outputs).requires_grad_()
    (0.5 * (torch.from_numpy(x) * torch.log_softmax(leaf, 1)).sum()).backward()
    np.testing.assert_allclose(gradient, leaf.grad.numpy(), atol=1e-12)


def test_by_hand():
    # x = (2, 1) of probabilities ½: 3!/(2!·1!)·½³ = 3/8, and x − 3·p = (½, −½).
    value, gradient = found(np.array([[2.0, 1]]), np.zeros((1, 2)), 1.0)
    assert value == pytest.approx(np.log(3 / 8))
    np.testing.assert_allclose(gradient, [[0.5, -0.5]])


def test_an_empty_row_is_certain():
    value, gradient = found(np.zeros((2, 3)), np.ones((2, 3)), 2.0)
    assert value == 0
    assert not gradient.any()


def test_single_precision_stays_so():
    value, gradient = found(X.astype(np.float32), np.zeros(X.shape, dtype=np.float32), 1.0)
    assert gradient.dtype == np.float32
    assert value == pytest.approx(found(X, np.zeros(X.shape), 1.0)[0], rel=1e-6)
