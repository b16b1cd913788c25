import numpy as np
import pytest
import torch
from torch.distributions import Independent, MultivariateNormal, Normal, kl_divergence

import oracles
from acvae import Posterior
from acvae.exceptions import PosteriorError
from acvae.gaussian.forest.torch_distribution import ForestNormal


def parts(shape, n, d=2, *, seed=0):
    rng = np.random.default_rng(seed)
    edges = oracles.forest_edges(shape, n, rng)
    return (
        torch.tensor(rng.normal(size=(n, d))),
        torch.tensor(rng.uniform(0.3, 2, size=(n, d))),
        edges,
        torch.tensor(oracles.random_correlations(rng, len(edges), d)),
    )


def dense(q):
    """The same as d independent dense Gaussians: event (n,), batch (d,)."""
    correlation = oracles.dense_correlation(*q.event_shape[:1], q.forest, q.correlation.detach().numpy())
    scale = q.scale.detach().numpy()
    covariance = np.einsum("ik,jk,ijk->kij", scale, scale, correlation)
    return MultivariateNormal(q.loc.detach().T, torch.tensor(covariance))


@pytest.mark.parametrize("shape", oracles.SHAPES)
class TestAgainstMultivariateNormal:
    def test_log_prob_and_entropy(self, shape):
        q = ForestNormal(*parts(shape, 20))
        z = torch.randn(5, 20, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        expected = dense(q).log_prob(z.mT).sum(-1)
        torch.testing.assert_close(q.log_prob(z), expected, rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(q.entropy(), dense(q).entropy().sum(), rtol=1e-9, atol=1e-9)

    def test_samples_are_the_right_linear_map_of_the_noise(self, shape):
        q = ForestNormal(*parts(shape, 20))
        unit = torch.eye(20, dtype=torch.float64)[:, :, None].expand(20, 20, 2)
        columns = q.scale * q._correlate(unit)  # (noise, vertex, dimension)
        covariance = torch.einsum("sik,sjk->kij", columns, columns)
        torch.testing.assert_close(covariance, dense(q).covariance_matrix, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("other", ["same", "path", "random", "many trees", "isolated"])
    def test_divergence_on_any_two_forests(self, shape, other):
        q = ForestNormal(*parts(shape, 20))
        loc, scale, edges, rho = parts("random" if other == "same" else other, 20, seed=1)
        if other == "same":
            edges, rho = q.forest, rho[: len(q.forest)]
        p = ForestNormal(loc, scale, edges, rho)
        expected = kl_divergence(dense(q), dense(p)).sum()
        torch.testing.assert_close(kl_divergence(q, p), expected, rtol=1e-8, atol=1e-8)
        assert kl_divergence(q, q).abs() <= 1e-10


class TestGradients:
    def parameters(self):
        loc, scale, edges, rho = parts("many trees", 7)
        return [x.requires_grad_() for x in (loc, scale, rho)], edges

    def test_log_prob_entropy_and_divergence(self):
        (loc, scale, rho), edges = self.parameters()
        z = torch.randn(3, 7, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        p = ForestNormal(*parts("path", 7, seed=1))

        def figures(loc, scale, rho):
            q = ForestNormal(loc, scale, edges, rho)
            return q.log_prob(z), q.entropy(), kl_divergence(q, p), kl_divergence(p, q)

        assert torch.autograd.gradcheck(figures, (loc, scale, rho))

    def test_samples(self):
        (loc, scale, rho), edges = self.parameters()

        def draw(loc, scale, rho):
            torch.manual_seed(0)
            return ForestNormal(loc, scale, edges, rho).rsample((2,))

        assert torch.autograd.gradcheck(draw, (loc, scale, rho))
        assert not ForestNormal(loc, scale, edges, rho).sample().requires_grad

    def test_gradient_of_a_path_through_a_correlation_of_zero(self):
        rho = torch.zeros(2, 1, dtype=torch.float64, requires_grad=True)
        q = ForestNormal(torch.zeros(3, 1).double(), torch.ones(3, 1).double(), [[0, 1], [1, 2]], rho)
        assert q._pair_correlation(np.array([[0, 2]])).item() == 0
        (gradient,) = torch.autograd.grad(q._pair_correlation(np.array([[0, 1]])).sum(), rho)
        assert gradient.flatten().tolist() == [1, 0]


class TestAsAPyTorchDistribution:
    def test_shapes(self):
        q = ForestNormal(*parts("random", 6, d=3))
        assert (q.batch_shape, q.event_shape) == ((), (6, 3))
        assert q.rsample().shape == (6, 3)
        assert q.sample((4, 5)).shape == (4, 5, 6, 3)
        assert q.log_prob(q.sample((4, 5))).shape == (4, 5)
        assert q.mean.shape == q.variance.shape == q.stddev.shape == q.mode.shape == (6, 3)
        assert "ForestNormal" in repr(q)

    def test_batches_of_parameters(self):
        loc, scale, edges, rho = parts("random", 6)
        many = ForestNormal(torch.stack([loc, loc + 1, loc * 2]), scale, edges, rho)
        assert many.batch_shape == (3,)
        z = many.sample((5,))
        assert z.shape == (5, 3, 6, 2)
        one = ForestNormal(loc + 1, scale, edges, rho)
        torch.testing.assert_close(many.log_prob(z)[:, 1], one.log_prob(z[:, 1]))
        assert many.entropy().shape == (3,)
        torch.testing.assert_close(kl_divergence(many, one)[1], torch.zeros((), dtype=loc.dtype))
        wide = one.expand((2, 3))
        assert wide.batch_shape == (2, 3)
        torch.testing.assert_close(wide.log_prob(z[0]), one.log_prob(z[0]).expand(2, 3))

    def test_without_edges_it_is_independent_normals(self):
        loc, scale, _, _ = parts("isolated", 5)
        q = ForestNormal(loc, scale, [], torch.empty(0, 2))
        plain = Independent(Normal(loc, scale), 2)
        z = plain.sample((3,))
        torch.testing.assert_close(q.log_prob(z), plain.log_prob(z))
        torch.testing.assert_close(q.entropy(), plain.entropy())

    def test_many_samples_have_the_moments(self):
        q = ForestNormal(*parts("random", 5))
        torch.manual_seed(0)
        size = 40_000
        standard = ((q.sample((size,)) - q.loc) / q.scale).numpy()
        exact = oracles.dense_correlation(5, q.forest, q.correlation.numpy())
        found = np.einsum("sik,sjk->ijk", standard, standard) / size
        assert (np.abs(found - exact) / np.sqrt((1 + exact**2) / size)).max() <= 5

    def test_no_loop_over_vertices(self, monkeypatch):
        """A star is two levels deep, however many vertices it has, so sampling takes as many steps."""
        calls = []
        index = ForestNormal._index
        monkeypatch.setattr(ForestNormal, "_index", lambda self, a: calls.append(1) or index(self, a))
        counts = []
        for n in (20, 2000):
            edges = np.stack([np.zeros(n - 1, dtype=np.int64), np.arange(1, n)], axis=1)
            q = ForestNormal(torch.zeros(n, 2), torch.ones(n, 2), edges, torch.full((n - 1, 2), 0.5))
            calls.clear()
            q.rsample()
            counts.append(len(calls))
        assert counts[0] == counts[1]


class TestFromAPosterior:
    def test_same_distribution(self):
        loc, scale, edges, rho = parts("random", 12)
        posterior = Posterior(loc, scale, edges, rho, dtype="float64")
        q = posterior.to_torch()
        z = posterior.sample(4)
        np.testing.assert_allclose(q.log_prob(torch.from_numpy(z)).numpy(), posterior.log_prob(z), rtol=1e-12)
        assert float(q.entropy()) == pytest.approx(posterior.entropy(), rel=1e-12)
        q.loc.zero_()  # a copy
        assert np.array_equal(posterior.mean, loc)

    def test_float32_stays_float32(self):
        q = Posterior(*parts("random", 12)).to_torch()
        assert q.rsample().dtype == torch.float32


LOC, ONE = torch.zeros(3, 2), torch.ones(3, 2)
PATH, HALF = [[0, 1], [1, 2]], torch.full((2, 2), 0.5)


@pytest.mark.parametrize(
    ("arguments", "telling"),
    [
        (
            (LOC, torch.ones(4, 2), PATH, HALF),
            r"tensors \(..., n, d\), got \(3, 2\) torch.float32 and \(4, 2\)",
        ),
        ((LOC.long(), ONE, PATH, HALF), "floating-point"),
        ((LOC, ONE, PATH, HALF[:1]), r"correlation must have shape \(..., 2, 2\), got \(1, 2\)"),
        ((LOC, ONE, [[0, 1], [1, 0]], HALF), "cycle"),
        ((LOC, ONE, [[0, 1], [1, 7]], HALF), "must lie in 0…2"),
        ((LOC, -ONE, PATH, HALF), "scale"),
        ((LOC, ONE, PATH, 2 * HALF), "correlation"),
    ],
)
def test_bad_parts(arguments, telling):
    with pytest.raises(ValueError, match=telling):
        ForestNormal(*arguments)


def test_divergence_of_different_sizes():
    with pytest.raises(PosteriorError, match=r"same event shape, got \(3, 2\) and \(2, 2\)"):
        kl_divergence(ForestNormal(LOC, ONE, PATH, HALF), ForestNormal(LOC[:2], ONE[:2], PATH[:1], HALF[:1]))
