"""Each equation against PyTorch's distributions, against sampling, and where rounding bites."""

import math

import mpmath
import numpy as np
import pytest
import torch
from torch.distributions import MultivariateNormal, Normal, kl_divergence

from acvae import objectives

D = 3


def random_pair(seed=0, count=5, scale=1.0):
    """Means, standard deviations (count, D) of both ends and pre-activations c (count, D), in float64."""
    generator = torch.Generator().manual_seed(seed)

    def normal():
        return torch.randn((count, D), generator=generator, dtype=torch.float64)

    return scale * normal(), normal().exp(), scale * normal(), normal().exp(), 2 * normal()


def pair_gaussian(mean_i, std_i, mean_j, std_j, rho):
    """One 2-dimensional normal per row and latent dimension: batch shape (count, D)."""
    covariance = torch.stack(
        [
            torch.stack([std_i**2, rho * std_i * std_j], dim=-1),
            torch.stack([rho * std_i * std_j, std_j**2], dim=-1),
        ],
        dim=-2,
    )
    return MultivariateNormal(torch.stack([mean_i, mean_j], dim=-1), covariance)


def pair_prior(like, tau):
    zero, one = torch.zeros_like(like), torch.ones_like(like)
    return pair_gaussian(zero, one, zero, one, torch.full_like(like, tau))


class TestSingletonDivergence:
    def test_is_the_divergence_of_two_normals(self):
        mean, std, *_ = random_pair()
        expected = kl_divergence(Normal(mean, std), Normal(torch.zeros_like(mean), torch.ones_like(std))).sum(
            -1
        )
        torch.testing.assert_close(objectives.singleton_divergence(mean, std), expected, rtol=1e-13, atol=0)

    def test_is_zero_at_the_prior(self):
        assert objectives.singleton_divergence(torch.zeros(4, D), torch.ones(4, D)).abs().max() == 0

    def test_by_sampling(self):
        mean, std = torch.tensor([0.7, -1.2, 0.1]).double(), torch.tensor([0.3, 1.5, 0.9]).double()
        q, p = Normal(mean, std), Normal(torch.zeros(D).double(), torch.ones(D).double())
        z = mean + std * torch.randn((400_000, D), generator=torch.Generator().manual_seed(1)).double()
        draws = (q.log_prob(z) - p.log_prob(z)).sum(-1)
        error = (draws.mean() - objectives.singleton_divergence(mean, std)).abs()
        assert error < 5 * draws.std() / math.sqrt(len(draws))

    @pytest.mark.parametrize("std", [1e-15, 1e-30, 1e15])
    def test_is_finite_with_finite_gradient_in_single_precision(self, std):
        mean = torch.zeros(1, D, requires_grad=True)
        spread = torch.full((1, D), std, requires_grad=True)
        value = objectives.singleton_divergence(mean, spread).sum()
        value.backward()
        assert torch.isfinite(value)
        assert torch.isfinite(spread.grad).all()
        assert torch.isfinite(mean.grad).all()


class TestPairDivergence:
    @pytest.mark.parametrize("tau", [0.0, 0.5, 0.99, -0.7, 0.9999])
    def test_is_the_divergence_of_two_bivariate_normals(self, tau):
        mean_i, std_i, mean_j, std_j, c = random_pair()
        q = pair_gaussian(mean_i, std_i, mean_j, std_j, objectives.correlation(c))
        expected = kl_divergence(q, pair_prior(mean_i, tau)).sum(-1)
        got = objectives.pair_divergence(mean_i, std_i, mean_j, std_j, c, tau)
        # ρ carries the factor 1 − 1e−6 in the covariance but not in log(1 − ρ²), which costs up to
        # ρ²/(1 − ρ²)·1e−6 a dimension.
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)

    def test_is_exact_where_the_bound_on_the_correlation_does_not_matter(self):
        mean_i, std_i, mean_j, std_j, _ = random_pair()
        c = torch.full_like(mean_i, 1e-4)
        q = pair_gaussian(mean_i, std_i, mean_j, std_j, torch.tanh(c / 2))
        expected = kl_divergence(q, pair_prior(mean_i, 0.9)).sum(-1)
        got = objectives.pair_divergence(mean_i, std_i, mean_j, std_j, c, 0.9)
        torch.testing.assert_close(got, expected, rtol=1e-9, atol=1e-9)

    def test_by_sampling(self):
        mean_i, std_i, mean_j, std_j, c = (x[:1] for x in random_pair(3))
        q = pair_gaussian(mean_i, std_i, mean_j, std_j, torch.tanh(c / 2))
        p = pair_prior(mean_i, 0.6)
        noise = torch.randn((200_000, 1, D, 2, 1), generator=torch.Generator().manual_seed(2)).double()
        z = q.loc + (q.scale_tril @ noise).squeeze(-1)
        draws = (q.log_prob(z) - p.log_prob(z)).sum((-1, -2))
        exact = objectives.pair_divergence(mean_i, std_i, mean_j, std_j, c, 0.6)
        assert (draws.mean() - exact).abs().item() < 5 * draws.std().item() / math.sqrt(len(draws))

    def test_is_never_negative(self):
        got = objectives.pair_divergence(*random_pair(4, count=500), tau=0.8)
        assert got.min() > 0


class TestEdgeMass:
    @pytest.mark.parametrize("tau", [0.0, 0.3, 0.99, -0.5])
    def test_is_pair_divergence_minus_both_singletons(self, tau):
        mean_i, std_i, mean_j, std_j, c = random_pair(5)
        q = pair_gaussian(mean_i, std_i, mean_j, std_j, objectives.correlation(c))
        standard = Normal(torch.zeros_like(mean_i), torch.ones_like(std_i))
        expected = (
            kl_divergence(q, pair_prior(mean_i, tau))
            - kl_divergence(Normal(mean_i, std_i), standard)
            - kl_divergence(Normal(mean_j, std_j), standard)
        ).sum(-1)
        got = objectives.edge_mass(mean_i, std_i, mean_j, std_j, c, tau)
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)

    def test_without_correlation_is_the_mass_at_zero_correlation(self):
        mean_i, std_i, mean_j, std_j, c = random_pair(6)
        at_zero = objectives.edge_mass(mean_i, std_i, mean_j, std_j, torch.zeros_like(c), 0.99)
        without = objectives.edge_mass(mean_i, std_i, mean_j, std_j, None, 0.99)
        torch.testing.assert_close(without, at_zero, rtol=1e-12, atol=1e-12)

    def test_hand_computed(self):
        # μ = 0, σ = 1, ρ = τ: q is the prior pair, so its divergence is 0 and so are the singletons'.
        tau = 0.8
        zero, one = torch.zeros(1, 1).double(), torch.ones(1, 1).double()
        c = torch.full((1, 1), 2 * math.atanh(tau), dtype=torch.float64)
        assert abs(objectives.edge_mass(zero, one, zero, one, c, tau).item()) < 1e-5
        # τ = 0: only −½·log(1 − ρ²) is left, ρ = 0.6 → −½·log 0.64.
        c = torch.full((1, 1), 2 * math.atanh(0.6), dtype=torch.float64)
        got = objectives.edge_mass(zero, one, zero, one, c, 0.0).item()
        assert got == pytest.approx(-0.5 * math.log(0.64), abs=1e-12)

    def test_is_symmetric(self):
        mean_i, std_i, mean_j, std_j, c = random_pair(7)
        there = objectives.edge_mass(mean_i, std_i, mean_j, std_j, c, 0.9)
        back = objectives.edge_mass(mean_j, std_j, mean_i, std_i, c, 0.9)
        torch.testing.assert_close(there, back, rtol=1e-13, atol=1e-13)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("std", [1e-15, 1.0])
    @pytest.mark.parametrize("c", [0.0, 60.0, -60.0, 1e4, -1e4])
    def test_extremes_have_a_finite_value_and_gradient(self, c, std, dtype):
        inputs = [
            torch.full((2, D), value, dtype=dtype, requires_grad=True) for value in (0.3, std, -0.2, std, c)
        ]
        value = objectives.edge_mass(*inputs, tau=0.99).sum()
        value.backward()
        assert torch.isfinite(value)
        for x in inputs:
            assert torch.isfinite(x.grad).all()

    def test_grows_linearly_in_a_huge_pre_activation(self):
        # −½·log(1 − ρ²) → |c|/2 − log 2 a dimension; a rounded ρ would stop growing at |c| ≈ 17 in float32.
        zero, one = torch.zeros(1, 1), torch.ones(1, 1)
        values = [
            objectives.edge_mass(zero, one, zero, one, torch.full((1, 1), c), 0.0).item()
            for c in (40.0, 60.0)
        ]
        assert values[1] - values[0] == pytest.approx(10, abs=1e-4)


class TestLogOneMinusSquare:
    @pytest.mark.parametrize("c", [0.0, 1e-8, 1e-3, 0.5, -2.0, 10.0, 40.0, -60.0, 700.0, 1e4, -1e4])
    def test_against_arbitrary_precision(self, c):
        with mpmath.workdps(60 + int(abs(c))):
            exact = float(mpmath.log(1 - mpmath.tanh(mpmath.mpf(c) / 2) ** 2))
        got = objectives.log_one_minus_square(torch.tensor(c, dtype=torch.float64)).item()
        assert got == pytest.approx(exact, rel=1e-14, abs=1e-15)
        single = objectives.log_one_minus_square(torch.tensor(c, dtype=torch.float32)).item()
        assert single == pytest.approx(exact, rel=1e-6, abs=3e-7)

    @pytest.mark.parametrize("c", [0.0, 60.0, -60.0, 1e4, -1e4, 1e30])
    def test_gradient_is_minus_the_correlation(self, c):
        # d/dc log(1 − tanh²(c/2)) = −tanh(c/2).
        x = torch.tensor(c, requires_grad=True)
        objectives.log_one_minus_square(x).backward()
        assert x.grad.item() == pytest.approx(-math.tanh(c / 2), abs=1e-6)


class TestCorrelation:
    def test_is_the_protocols_formula(self):
        c = torch.linspace(-8, 8, 101, dtype=torch.float64)
        torch.testing.assert_close(objectives.correlation(c), (1 - 1e-6) * (2 * torch.sigmoid(c) - 1))

    @pytest.mark.parametrize("c", [60.0, -60.0, 1e4, -1e4, math.inf])
    def test_stays_inside_the_open_interval_in_single_precision(self, c):
        assert abs(objectives.correlation(torch.tensor(c)).item()) < 1

    def test_both_signs_occur(self):
        assert objectives.correlation(torch.tensor(-1.0)) < 0 < objectives.correlation(torch.tensor(1.0))


class TestIndependenceDivergence:
    def test_is_the_divergence_of_a_pair_from_its_own_marginals(self):
        mean_i, std_i, mean_j, std_j, c = random_pair(8)
        q = pair_gaussian(mean_i, std_i, mean_j, std_j, torch.tanh(c / 2))
        product = pair_gaussian(mean_i, std_i, mean_j, std_j, torch.zeros_like(c))
        expected = kl_divergence(q, product).sum(-1)
        torch.testing.assert_close(objectives.independence_divergence(c), expected, rtol=1e-10, atol=1e-10)


def dense_covariance(std, edges, rho):
    """Covariance (n, n) of one dimension on a tree: products of ρ along paths, by a walk from each vertex."""
    n = len(std)
    neighbours = {v: [] for v in range(n)}
    for (u, v), r in zip(edges, rho, strict=True):
        neighbours[u].append((v, r))
        neighbours[v].append((u, r))
    corr = np.zeros((n, n))
    for root in range(n):
        corr[root, root] = 1
        stack = [(root, -1)]
        while stack:
            at, origin = stack.pop()
            for to, r in neighbours[at]:
                if to != origin:
                    corr[root, to] = corr[root, at] * r
                    stack.append((to, at))
    return torch.from_numpy(corr * np.outer(std, std))


class TestElbo:
    def test_on_a_forest_is_the_divergence_of_the_two_joints(self):
        # With w = 1 on a forest, Σ KL_i + Σ m_e is KL(q ‖ p) of the dense joints: what eq. mass is for.
        rng = np.random.default_rng(0)
        n, tau = 7, 0.7
        edges = [(0, 1), (1, 2), (1, 3), (4, 5)]  # two trees and an isolated vertex
        mean, std = rng.normal(size=(n, D)), rng.uniform(0.4, 1.6, (n, D))
        c = rng.normal(0, 1.5, (len(edges), D))
        expected = 0.0
        for k in range(D):
            q = MultivariateNormal(
                torch.from_numpy(mean[:, k]), dense_covariance(std[:, k], edges, np.tanh(c[:, k] / 2))
            )
            prior = dense_covariance(np.ones(n), edges, np.full(len(edges), tau))
            expected += kl_divergence(q, MultivariateNormal(torch.zeros(n).double(), prior)).item()
        m, s = torch.from_numpy(mean), torch.from_numpy(std)
        i, j = torch.tensor(edges).T
        masses = objectives.edge_mass(m[i], s[i], m[j], s[j], torch.from_numpy(c), tau)
        terms = objectives.elbo(
            torch.zeros(()).double(),
            objectives.singleton_divergence(m, s).mean(),
            masses.mean(),
            n_vertices=n,
            n_edges=len(edges),
        )
        assert -n * terms.value.item() == pytest.approx(expected, rel=1e-5)

    def test_regularizer_is_the_papers_sum_over_unordered_pairs(self):
        # γ/n·(Σ_i KL_i + 2/n·Σ_{i<j} t_ij), t symmetric, from means over vertices and over ordered pairs.
        rng = np.random.default_rng(1)
        n, gamma = 6, 0.3
        kl, table = rng.random(n), rng.random((n, n))
        table = table + table.T
        paper = gamma / n * (kl.sum() + 2 / n * table[np.triu_indices(n, 1)].sum())
        ordered = table[~np.eye(n, dtype=bool)].mean()
        terms = objectives.elbo(
            torch.tensor(-3.0).double(),
            torch.tensor(kl.mean()),
            torch.tensor(0.5).double(),
            torch.tensor(ordered),
            n_vertices=n,
            n_edges=9,
            gamma=gamma,
        )
        assert terms.regularizer.item() == pytest.approx(paper, rel=1e-12)
        assert terms.structure.item() == pytest.approx(9 / n * 0.5)
        assert terms.value.item() == pytest.approx(-3 - kl.mean() - 9 / n * 0.5 - paper)

    def test_without_correlations_gamma_has_no_part(self):
        terms = objectives.elbo(
            torch.tensor(-2.0), torch.tensor(0.5), torch.tensor(1.0), n_vertices=4, n_edges=2, gamma=1000.0
        )
        assert terms.regularizer == 0
        assert terms.value.item() == pytest.approx(-2 - 0.5 - 2 / 4 * 1.0)

    def test_without_a_graph_is_the_elbo_of_a_vae(self):
        terms = objectives.elbo(torch.tensor(-2.0), torch.tensor(0.5), n_vertices=4)
        assert terms.value.item() == pytest.approx(-2.5)
        assert terms.structure == 0
