"""Small loops of the fused gradient, each against the expression that it stands for."""

import numpy as np
import pytest

from acvae.engine.kernels import elementwise as kernels


def randn(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def test_bias_relu():
    x, bias = np.array([[1.0, -2], [-1, 3]]), np.array([0.5, 1])
    kernels.bias_relu(x, bias)
    assert x.tolist() == [[1.5, 0], [0, 4]]


def test_relu_backward_of_some_units():
    grad, activation = np.array([[1.0, 2], [3, 4]]), np.array([[9.0, 0, 5, 9], [9, 7, 0, 9]])
    sums = np.full(4, -1.0)
    kernels.relu_backward(grad, activation, 1, 3, sums)
    assert grad.tolist() == [[0, 2], [3, 0]]
    assert sums.tolist() == [-1, 3, 2, -1]


def test_halves_are_split_and_joined():
    out, bias = np.array([[1.0, 2, 3, 4]]), np.array([10.0, 20, 30, 40])
    mean, spread = np.empty((1, 2)), np.empty((1, 2))
    kernels.split_halves(out, bias, mean, spread)
    assert mean.tolist() == [[11, 22]]
    assert spread.tolist() == [[33, 44]]
    d_std, slope, std = np.array([[2.0, 3]]), np.array([[0.5, 0.5]]), np.array([[1.0, 0.1]])
    kernels.join_halves(mean, d_std, slope, std, 0.1, out)
    assert out.tolist() == [[11, 22, 1, 0]]  # the second stands at its smallest value


def test_half_plus():
    x = np.array([[2.0, 4]])
    kernels.half_plus(x, np.array([1.0, -1]))
    assert x.tolist() == [[2, 1]]


def test_column_sums():
    x, out = randn(7, 3), np.full(3, 9, dtype=np.float32)
    kernels.column_sums(x, out)
    np.testing.assert_allclose(out, x.sum(axis=0), rtol=1e-5)
    kernels.column_sums(x[:0], out)
    assert out.tolist() == [0, 0, 0]


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 1e-4), (np.float64, 1e-6)])
def test_singleton_terms_against_differences(dtype, rtol):
    mean, log_std, noise, d_z = (randn(3, 2, seed=k, dtype=dtype) for k in range(4))
    scale, std = 0.7, np.exp(log_std)

    def objective(m, s):
        """scale·Σ KL(N(m, s²) ‖ N(0, 1)) + d_z·z in double precision."""
        m, s = m.astype(float), s.astype(float)
        divergence = 0.5 * (m**2 + s**2 - 1) - np.log(s)
        return scale * divergence.sum() + (d_z * (m + s * noise)).sum()

    d_mean, d_std = np.full((4, 2), 9, dtype=dtype), np.full((4, 2), 9, dtype=dtype)
    total = kernels.singleton_terms(mean, std, log_std, noise, d_z, scale, d_mean, d_std)
    zero = np.zeros((3, 2))
    divergence = 0.5 * (mean.astype(float) ** 2 + std.astype(float) ** 2 - 1) - log_std
    assert total == pytest.approx(divergence.sum(), rel=1e-5)
    for found, of_mean in ((d_mean, True), (d_std, False)):
        for at in np.ndindex(3, 2):
            step = zero.copy()
            step[at] = 1e-5
            change = (step, zero) if of_mean else (zero, step)
            ahead = objective(mean + change[0], std + change[1])
            back = objective(mean - change[0], std - change[1])
            assert found[at] == pytest.approx((ahead - back) / 2e-5, rel=rtol, abs=rtol)
        assert (found[3] == 9).all()  # only the first rows are written
