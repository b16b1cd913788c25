"""Likelihoods against PyTorch's distributions, on sparse and on dense rows."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import distributions

from acvae.exceptions import FeatureError, OptionError
from acvae.nn import Bernoulli, Gaussian, Likelihood, Multinomial, Poisson, make_likelihood
from acvae.nn.features import DenseFeatures, SparseFeatures


def table(kind):
    """(8, 6) data of the kind, with empty rows at both ends."""
    rng = np.random.default_rng(0)
    x = {
        "ones": lambda: rng.random((8, 6)) < 0.4,
        "counts": lambda: rng.poisson(1.5, (8, 6)),
        "reals": lambda: rng.normal(size=(8, 6)) * (rng.random((8, 6)) < 0.5),
    }[kind]().astype(np.float64)
    x[[0, 7]] = 0
    return x


def reference(likelihood, outputs, x):
    """log p (n,) by PyTorch's own distributions, in float64."""
    if isinstance(likelihood, Multinomial):
        return torch.stack(
            [
                distributions.Multinomial(int(row.sum()), logits=out).log_prob(row)
                for out, row in zip(outputs, x, strict=True)
            ]
        )
    if isinstance(likelihood, Bernoulli):
        return distributions.Bernoulli(logits=outputs).log_prob(x).sum(-1)
    if isinstance(likelihood, Poisson):
        return distributions.Poisson(outputs.exp()).log_prob(x).sum(-1)
    return distributions.Normal(outputs, likelihood.log_std.exp()).log_prob(x).sum(-1)


CASES = [
    ("multinomial", "counts"),
    ("multinomial", "ones"),
    ("bernoulli", "ones"),
    ("poisson", "counts"),
    ("poisson", "ones"),
    ("gaussian", "reals"),
    ("gaussian", "ones"),
]


@pytest.mark.parametrize("storage", [SparseFeatures, DenseFeatures])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_agrees_with_pytorch_in_value_and_gradient(name, kind, storage):
    x = table(kind)
    likelihood = make_likelihood(name, 6).double()
    if name == "gaussian":
        with torch.no_grad():
            likelihood.log_std.copy_(torch.linspace(-1, 1, 6))
    ids = torch.tensor([2, 0, 7, 5, 2])
    rows = storage(sp.csr_array(x) if storage is SparseFeatures else x).rows(ids)
    outputs = 2 * torch.randn((5, 6), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    outputs.requires_grad_()
    picked = torch.from_numpy(x).float().double()[ids]
    upstream = torch.tensor([1.0, 2.0, -1.0, 0.5, 3.0]).double()
    inputs = [outputs, *likelihood.parameters()]
    expected = reference(likelihood, outputs, picked)
    got = likelihood(outputs, rows)
    torch.testing.assert_close(got, expected, rtol=1e-6, atol=2e-6)  # coefficients are kept in float32
    for a, b in zip(
        torch.autograd.grad(got, inputs, upstream),
        torch.autograd.grad(expected, inputs, upstream),
        strict=True,
    ):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["multinomial", "poisson"])
def test_counts_carry_their_coefficient(name):
    # x = (2, 1), equal probabilities: multinomial 3!/(2!·1!)·½³ = 3/8; Poisson(1)²: e⁻²/2.
    rows = DenseFeatures(np.array([[2.0, 1.0]])).rows()
    got = make_likelihood(name, 2)(torch.zeros(1, 2), rows).exp().item()
    assert got == pytest.approx({"multinomial": 3 / 8, "poisson": np.exp(-2) / 2}[name], rel=1e-5)


@pytest.mark.parametrize("storage", [SparseFeatures, DenseFeatures])
def test_multinomial_of_an_empty_row_is_certain(storage):
    x = np.zeros((2, 3))
    rows = storage(sp.csr_array(x) if storage is SparseFeatures else x).rows()
    assert Multinomial()(torch.randn(2, 3), rows).abs().max() < 1e-6


@pytest.mark.parametrize("name", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("size", [60.0, 1e4])
def test_large_logits_have_a_finite_value_and_gradient(name, size):
    x = table("ones")
    rows = SparseFeatures(sp.csr_array(x)).rows()
    signs = torch.from_numpy(np.random.default_rng(2).choice([-1.0, 1.0], (8, 6))).float()
    outputs = (size * signs).requires_grad_()
    likelihood = make_likelihood(name, 6)
    got = likelihood(outputs, rows)
    got.sum().backward()
    assert torch.isfinite(got).all()
    assert torch.isfinite(outputs.grad).all()
    expected = reference(likelihood, outputs.detach().double(), torch.from_numpy(x))
    torch.testing.assert_close(got.double(), expected, rtol=1e-5, atol=1e-6 * size)


@pytest.mark.parametrize("storage", [SparseFeatures, DenseFeatures])
def test_gaussian_is_exact_far_from_zero(storage):
    # x² − 2xo + o² would lose a difference of 0.5 beside 4096 in float32 arithmetic.
    x = np.full((3, 4), 4096.0)
    rows = storage(sp.csr_array(x) if storage is SparseFeatures else x).rows()
    likelihood = Gaussian(4)
    with torch.no_grad():
        likelihood.log_std.fill_(-2.0)
    outputs = torch.full((3, 4), 4096.5, requires_grad=True)
    got = likelihood(outputs, rows)
    expected = distributions.Normal(4096.5, np.exp(-2.0)).log_prob(torch.tensor(4096.0)).item() * 4
    assert got.tolist() == pytest.approx([expected] * 3, rel=1e-4)
    got.sum().backward()
    assert likelihood.log_std.grad.tolist() == pytest.approx([3 * (0.25 * np.exp(4.0) - 1)] * 4, rel=1e-4)


class TestCheck:
    @pytest.mark.parametrize("storage", [SparseFeatures, DenseFeatures])
    @pytest.mark.parametrize("name", ["multinomial", "poisson"])
    def test_negative_counts_are_refused(self, name, storage):
        x = table("counts")
        x[3, 2] = -2
        features = storage(sp.csr_array(x) if storage is SparseFeatures else x)
        with pytest.raises(FeatureError, match=rf"{name} .* is -2.*gaussian"):
            make_likelihood(name, 6).check(features)

    @pytest.mark.parametrize("bad", [2.0, -1.0, 0.5])
    def test_bernoulli_takes_zeros_and_ones_only(self, bad):
        x = table("ones")
        x[3, 2] = bad
        with pytest.raises(FeatureError, match=f"0 and 1, but one is {bad:g}"):
            Bernoulli().check(SparseFeatures(sp.csr_array(x)))

    @pytest.mark.parametrize(("name", "kind"), CASES)
    def test_data_of_the_right_kind_pass(self, name, kind):
        assert make_likelihood(name, 6).check(DenseFeatures(table(kind))) is None

    def test_gaussian_takes_any_real_number(self):
        assert Gaussian(6).check(DenseFeatures(table("reals"))) is None


class TestMakeLikelihood:
    def test_unknown_names_list_the_known_ones(self):
        with pytest.raises(
            OptionError, match=r"'binomial'.*'multinomial', 'bernoulli', 'poisson', 'gaussian'"
        ):
            make_likelihood("binomial", 3)

    @pytest.mark.parametrize("bad", [None, 3, Multinomial])
    def test_what_is_neither_name_nor_module_is_refused(self, bad):
        with pytest.raises(OptionError, match="likelihood="):
            make_likelihood(bad, 3)

    def test_a_users_own_is_copied_so_that_training_leaves_it_alone(self):
        own = Gaussian(3)
        made = make_likelihood(own, 3)
        assert type(made) is Gaussian
        with torch.no_grad():
            made.log_std.fill_(5)
        assert own.log_std.tolist() == [0, 0, 0]

    def test_the_base_class_says_what_is_missing(self):
        with pytest.raises(TypeError, match="forward"):
            Likelihood()(torch.zeros(1, 1), DenseFeatures(np.zeros((1, 1))).rows())
