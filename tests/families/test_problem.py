"""The objective on a batch against the paper's formulas on dense matrices, and its gradient numerically."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import distributions
from torch.distributions import MultivariateNormal, Normal, kl_divergence
from torch.nn.functional import softplus

from acvae import Graph
from acvae.engine.batches import edge_batches, random_pairs, vertex_batches
from acvae.exceptions import TrainingError
from acvae.nn import Autoencoder, as_features
from acvae.training import BatchSizes, Problem

CPU = torch.device("cpu")


def make_data(kind="counts", n=12, n_features=6, seed=0):
    rng = np.random.default_rng(seed)
    x = {
        "counts": lambda: rng.poisson(0.6, (n, n_features)),
        "ones": lambda: rng.random((n, n_features)) < 0.2,
        "reals": lambda: rng.normal(size=(n, n_features)),
    }[kind]().astype(np.float64)
    x[3] = 0
    path = [(i, i + 1) for i in range(n - 3)]  # the last vertices are a pair and an isolated one apart
    extra = [(0, 4), (1, 5), (0, 8), (n - 3, n - 2)]
    return x, Graph(n, [*path[:-1], *extra])


def make_problem(
    likelihood="multinomial", kind="counts", pairs=True, gamma=0.3, dtype=torch.float64, graph=True, tau=0.9
):
    x, edges = make_data(kind)
    module = Autoencoder(
        x.shape[1],
        latent_dim=2,
        hidden_dim=4,
        pair_hidden_dim=5 if pairs else None,
        likelihood=likelihood,
        generator=torch.Generator().manual_seed(0),
    ).to(dtype)
    with torch.no_grad():  # livelier than the initial values, so that no term is negligible
        for p in module.parameters():
            p.mul_(4)
    features = as_features(x if kind == "reals" else sp.csr_array(x))
    return Problem(module, features, edges if graph else None, tau, gamma, CPU), x


def one_batch(problem, sizes, seed=0):
    weights = np.random.default_rng(seed).random(problem.graph.n_edges)
    batches = edge_batches(problem.graph, weights, sizes, np.random.default_rng(seed), problem.draws_pairs)
    return next(iter(batches))


def ids_of(batch):
    """Vertex ids of the own vertices (b,), the edges (2, e) and the random pairs (2, p) of a batch."""
    n_edges = batch.edges.shape[1]
    pairs = batch.rows[batch.pairs]
    return batch.rows[: batch.n_own], pairs[:, :n_edges], pairs[:, n_edges:]


def naive_elbo(problem, x, own, edges, pairs, weights, noise):
    """The paper's step, with nothing shared: dense rows, [x_i; x_j] through both orders, dense Gaussians."""
    module, n = problem.module, problem.n_vertices
    x = torch.from_numpy(x).to(noise.dtype)

    def encode(ids):
        hidden = torch.relu(x[ids] @ module.encoder.hidden.weight + module.encoder.hidden.bias)
        out = hidden @ module.encoder.output.weight + module.encoder.output.bias
        d = out.shape[1] // 2
        return out[:, :d], softplus(out[:, d:])

    def pre_activation(i, j):
        net = module.pair_encoder
        h = len(net.bias)
        first = torch.cat([net.weight[:, :h], net.weight[:, h:]])

        def run(a, b):
            hidden = torch.relu(torch.cat([x[a], x[b]], 1) @ first + net.bias)
            return hidden @ net.output.weight + net.output.bias

        return (run(i, j) + run(j, i)) / 2

    def bivariate(mean_i, std_i, mean_j, std_j, rho):
        cross = rho * std_i * std_j
        covariance = torch.stack([std_i**2, cross, cross, std_j**2], -1).reshape(*rho.shape, 2, 2)
        return MultivariateNormal(torch.stack([mean_i, mean_j], -1), covariance)

    def against_prior(mean, std):
        return kl_divergence(Normal(mean, std), Normal(torch.zeros_like(mean), torch.ones_like(std))).sum(-1)

    mean, std = encode(own)
    hidden = torch.relu((mean + std * noise) @ module.decoder.hidden.weight + module.decoder.hidden.bias)
    out = hidden @ module.decoder.output.weight + module.decoder.output.bias
    kind = type(module.likelihood).__name__
    if kind == "Multinomial":
        likelihood = torch.stack(
            [
                distributions.Multinomial(int(row.sum()), logits=o).log_prob(row)
                for o, row in zip(out, x[own], strict=True)
            ]
        )
    else:
        by_name = {
            "Bernoulli": lambda: distributions.Bernoulli(logits=out),
            "Poisson": lambda: distributions.Poisson(out.exp()),
            "Gaussian": lambda: Normal(out, module.likelihood.log_std.exp()),
        }
        likelihood = by_name[kind]().log_prob(x[own]).sum(-1)
    value = likelihood.mean() - against_prior(mean, std).mean()
    if problem.graph is None:
        return value
    i, j = edges
    mean_i, std_i = encode(i)
    mean_j, std_j = encode(j)
    correlated = module.pair_encoder is not None
    rho = (
        (1 - 1e-6) * (2 * torch.sigmoid(pre_activation(i, j)) - 1) if correlated else torch.zeros_like(mean_i)
    )
    zero, one = torch.zeros_like(mean_i), torch.ones_like(mean_i)
    prior = bivariate(zero, one, zero, one, torch.full_like(mean_i, problem.tau))
    pair = kl_divergence(bivariate(mean_i, std_i, mean_j, std_j, rho), prior).sum(-1)
    mass = pair - against_prior(mean_i, std_i) - against_prior(mean_j, std_j)
    value = value - problem.graph.n_edges / n * (weights.to(noise.dtype) * mass).mean()
    if correlated and problem.gamma > 0:
        rho = 2 * torch.sigmoid(pre_activation(*pairs)) - 1
        independence = (-0.5 * torch.log(1 - rho**2)).sum(-1).mean()
        value = value - problem.gamma * (against_prior(mean, std).mean() + (n - 1) / n * independence)
    return value


KINDS = [("multinomial", "counts"), ("bernoulli", "ones"), ("poisson", "counts"), ("gaussian", "reals")]


class TestStep:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("pairs", [True, False])
    @pytest.mark.parametrize(("likelihood", "kind"), KINDS)
    def test_loss_and_gradients_are_those_of_the_papers_formulas(self, likelihood, kind, pairs, dtype):
        problem, x = make_problem(likelihood, kind, pairs, dtype=dtype)
        batch = one_batch(problem, BatchSizes(5, 8, 20))
        noise = torch.randn((5, 2), generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(dtype)
        parameters = list(problem.module.parameters())
        expected = naive_elbo(problem, x, *ids_of(batch), batch.weights, noise)
        got = problem.step_terms(batch, noise).elbo.value
        close = {"rtol": 1e-5, "atol": 1e-5} if dtype == torch.float64 else {"rtol": 2e-4, "atol": 2e-4}
        torch.testing.assert_close(got, expected, **close)
        for a, b in zip(
            torch.autograd.grad(got, parameters), torch.autograd.grad(expected, parameters), strict=True
        ):
            torch.testing.assert_close(a, b, **close)

    def test_terms_add_up(self):
        problem, _ = make_problem()
        terms = problem.step_terms(one_batch(problem, BatchSizes(5, 8, 20)), torch.zeros(5, 2).double()).elbo
        parts = terms.log_likelihood - terms.divergence - terms.structure - terms.regularizer
        assert terms.value.item() == pytest.approx(parts.item(), rel=1e-12)
        assert terms.regularizer > 0
        assert terms.structure != 0

    def test_mean_correlation_is_that_of_the_edges(self):
        problem, _ = make_problem()
        batch = one_batch(problem, BatchSizes(5, 8, 20))
        _, edges, _ = ids_of(batch)
        c = problem.pair_logits(edges.numpy().T)
        got = problem.step_terms(batch, torch.zeros(5, 2).double()).mean_correlation
        assert got.item() == pytest.approx(np.tanh(c / 2).mean(), abs=1e-5)

    def test_without_gamma_there_is_no_regularizer(self):
        problem, _ = make_problem(gamma=0.0)
        assert not problem.draws_pairs
        terms = problem.step_terms(one_batch(problem, BatchSizes(5, 8, 20)), torch.zeros(5, 2).double()).elbo
        assert terms.regularizer == 0

    def test_gamma_means_nothing_to_the_factorised_posterior(self):
        values = []
        for gamma in (0.0, 1000.0):
            problem, _ = make_problem(pairs=False, gamma=gamma)
            batch = one_batch(problem, BatchSizes(5, 8, 20))
            values.append(problem.step_terms(batch, torch.zeros(5, 2).double()).elbo.value.item())
        assert values[0] == values[1]

    @pytest.mark.parametrize("structure", ["graph and pairs", "graph", "none"])
    @pytest.mark.parametrize(("likelihood", "kind"), KINDS)
    def test_gradient_of_the_whole_elbo_numerically(self, likelihood, kind, structure):
        problem, _ = make_problem(
            likelihood, kind, pairs=structure == "graph and pairs", graph=structure != "none"
        )
        sizes = BatchSizes(4, 6, 7)
        if structure == "none":
            batch = next(iter(vertex_batches(12, sizes, np.random.default_rng(0))))
        else:
            batch = one_batch(problem, sizes)
        noise = torch.randn((4, 2), generator=torch.Generator().manual_seed(2), dtype=torch.float64)
        # gradcheck nudges the parameters in place, and the module reads those very tensors.
        assert torch.autograd.gradcheck(
            lambda *_: problem.step_terms(batch, noise).elbo.value,
            tuple(problem.module.parameters()),
            eps=1e-6,
            atol=1e-6,
            rtol=1e-4,
        )


class TestBatchesEstimateTheWhole:
    def full(self, problem, x, weights, noise, pairs=None):
        everyone = torch.arange(problem.n_vertices)
        edges = None if problem.graph is None else torch.from_numpy(problem.graph.edges.T.copy())
        return naive_elbo(problem, x, everyone, edges, pairs, weights, noise).item()

    @pytest.mark.parametrize("correlated", [True, False])
    def test_mean_over_a_partition_of_the_edges(self, correlated):
        problem, x = make_problem(pairs=correlated, gamma=0.0)
        n, m = problem.n_vertices, problem.graph.n_edges
        size = 4
        assert m == 12
        weights = np.random.default_rng(0).random(m)
        noise = torch.randn((n, 2), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
        rng = np.random.default_rng(1)
        values = [
            problem.step_terms(b, noise[b.rows[: b.n_own]]).elbo.value.item()
            for b in edge_batches(problem.graph, weights, BatchSizes(n, size, 1), rng, False)
        ]
        assert len(values) == m // size
        assert np.std(values) > 1e-3  # the batches do differ
        assert np.mean(values) == pytest.approx(
            self.full(problem, x, torch.from_numpy(weights), noise), rel=1e-5
        )

    def test_mean_over_a_partition_of_the_vertices(self):
        problem, x = make_problem(graph=False, pairs=False)
        noise = torch.randn((12, 2), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
        values = [
            problem.step_terms(b, noise[b.rows]).elbo.value.item()
            for b in vertex_batches(12, BatchSizes(vertices=4), np.random.default_rng(0))
        ]
        assert len(values) == 3
        assert np.mean(values) == pytest.approx(self.full(problem, x, None, noise), rel=1e-5)

    def test_random_pairs_estimate_the_sum_over_all_pairs(self):
        problem, x = make_problem(gamma=0.7)
        n = problem.n_vertices
        weights = np.zeros(problem.graph.n_edges)
        noise = torch.zeros((n, 2), dtype=torch.float64)
        sizes = BatchSizes(n, problem.graph.n_edges, 300)
        values = [
            problem.step_terms(b, noise).elbo.value.item()
            for seed in range(60)
            for b in edge_batches(problem.graph, weights, sizes, np.random.default_rng(seed), True)
        ]
        u, v = np.nonzero(~np.eye(n, dtype=bool))
        every = torch.from_numpy(np.stack([u, v]))
        exact = self.full(problem, x, torch.from_numpy(weights), noise, every)
        assert abs(np.mean(values) - exact) < 5 * np.std(values) / np.sqrt(len(values))

    @pytest.mark.parametrize("correlated", [True, False])
    def test_full_elbo_is_the_whole_sum(self, correlated):
        problem, x = make_problem(pairs=correlated, dtype=torch.float32)
        weights = np.random.default_rng(0).random(problem.graph.n_edges)
        noise = torch.randn((12, 2), generator=torch.Generator().manual_seed(5)).double()
        pairs = torch.from_numpy(random_pairs(12, 500, np.random.default_rng(5)))
        got = problem.full_elbo(weights, seed=5, n_pairs=500)
        problem.module.double()
        assert got == pytest.approx(self.full(problem, x, torch.from_numpy(weights), noise, pairs), rel=1e-4)
        assert got == problem_full_again(correlated, weights)

    def test_full_elbo_of_a_vae(self):
        problem, x = make_problem(pairs=False, graph=False, dtype=torch.float32)
        noise = torch.randn((12, 2), generator=torch.Generator().manual_seed(0)).double()
        got = problem.full_elbo(None)
        problem.module.double()
        assert got == pytest.approx(self.full(problem, x, None, noise), rel=1e-4)


def problem_full_again(correlated, weights):
    problem, _ = make_problem(pairs=correlated, dtype=torch.float32)
    return problem.full_elbo(weights, seed=5, n_pairs=500)


class TestWhole:
    def test_marginals_are_the_encoders(self):
        problem, _ = make_problem(dtype=torch.float32)
        mean, std = problem.marginals()
        expected = problem.module.encoder(problem.features.rows())
        np.testing.assert_allclose(mean, expected[0].detach(), rtol=1e-6)
        np.testing.assert_allclose(std, expected[1].detach(), rtol=1e-6)

    def test_edge_masses_are_those_of_the_formula(self):
        problem, x = make_problem(dtype=torch.float32, tau=0.8)
        masses = problem.edge_masses()
        # One edge at a time: w = 1 on it alone and no other terms changes the ELBO by m_e/n.
        problem.module.double()
        noise = torch.zeros((12, 2), dtype=torch.float64)
        everyone = torch.arange(12)
        edges = torch.from_numpy(problem.graph.edges.T.copy())
        problem.gamma = 0.0
        without = naive_elbo(problem, x, everyone, edges, None, torch.zeros(len(masses)), noise)
        for e in range(len(masses)):
            only = torch.zeros(len(masses))
            only[e] = 1
            value = naive_elbo(problem, x, everyone, edges, None, only, noise)
            assert masses[e] == pytest.approx(12 * (without - value).item(), rel=1e-3, abs=1e-3)

    @pytest.mark.parametrize("table_bytes", [0, 1 << 20], ids=["by chunks", "by a table of all vertices"])
    def test_chunks_do_not_change_the_result(self, monkeypatch, table_bytes):
        problem, _ = make_problem(dtype=torch.float32)
        pairs = random_pairs(12, 50, np.random.default_rng(0)).T
        whole = [*problem.marginals(), problem.edge_masses(), problem.pair_logits(pairs)]
        monkeypatch.setattr("acvae.families.problem.ROWS_AT_A_TIME", 5)
        monkeypatch.setattr("acvae.families.problem.PAIRS_AT_A_TIME", 3)
        monkeypatch.setattr("acvae.families.problem.TABLE_BYTES", table_bytes)
        parts = [*problem.marginals(), problem.edge_masses(), problem.pair_logits(pairs)]
        for a, b in zip(whole, parts, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)

    def test_networks_that_blew_up_are_reported_as_a_training_error(self):
        problem, _ = make_problem(dtype=torch.float32)
        with torch.no_grad():
            problem.module.encoder.output.weight.fill_(torch.nan)
        for call in (problem.marginals, problem.edge_masses):
            with pytest.raises(TrainingError, match="not finite; use a smaller learning_rate"):
                call()
