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
from acvae.exceptions import GraphError
from acvae.families import IndependentFamily, PairwiseFamily
from acvae.nn import Autoencoder, as_features
from acvae.training import BatchSizes


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


def make_family(
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
    kind = PairwiseFamily if pairs else IndependentFamily
    if not graph:
        return kind(module, features, gamma=gamma), x
    weights = np.random.default_rng(0).random(edges.n_edges)
    return kind(module, features, edges, weights, tau=tau, gamma=gamma), x


def one_batch(family, sizes, seed=0):
    weights = np.random.default_rng(seed).random(family.graph.n_edges)
    batches = edge_batches(family.graph, weights, sizes, np.random.default_rng(seed), family.draws_pairs)
    return next(iter(batches))


def named(family, batch):
    """The figures of a batch without noise, by name; the first is the objective."""
    terms = family.objective(batch._replace(noise=torch.zeros(batch.n_own, 2).double()))
    assert torch.equal(terms.figures[0], terms.value)
    return dict(zip(family.figures, terms.figures, strict=True))


def ids_of(batch):
    """Vertex ids of the own vertices (b,), the edges (2, e) and the random pairs (2, p) of a batch."""
    n_edges = batch.edges.shape[1]
    pairs = batch.rows[batch.pairs]
    return batch.rows[: batch.n_own], pairs[:, :n_edges], pairs[:, n_edges:]


def naive_elbo(family, x, own, edges, pairs, weights, noise):
    """The paper's step, with nothing shared: dense rows, [x_i; x_j] through both orders, dense Gaussians."""
    module, n = family.module, family.n_vertices
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
    if family.graph is None:
        return value
    i, j = edges
    mean_i, std_i = encode(i)
    mean_j, std_j = encode(j)
    correlated = module.pair_encoder is not None
    rho = (
        (1 - 1e-6) * (2 * torch.sigmoid(pre_activation(i, j)) - 1) if correlated else torch.zeros_like(mean_i)
    )
    zero, one = torch.zeros_like(mean_i), torch.ones_like(mean_i)
    prior = bivariate(zero, one, zero, one, torch.full_like(mean_i, family.tau))
    pair = kl_divergence(bivariate(mean_i, std_i, mean_j, std_j, rho), prior).sum(-1)
    mass = pair - against_prior(mean_i, std_i) - against_prior(mean_j, std_j)
    value = value - family.graph.n_edges / n * (weights.to(noise.dtype) * mass).mean()
    if correlated and family.gamma > 0:
        rho = 2 * torch.sigmoid(pre_activation(*pairs)) - 1
        independence = (-0.5 * torch.log(1 - rho**2)).sum(-1).mean()
        value = value - family.gamma * (against_prior(mean, std).mean() + (n - 1) / n * independence)
    return value


KINDS = [("multinomial", "counts"), ("bernoulli", "ones"), ("poisson", "counts"), ("gaussian", "reals")]


class TestStep:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("pairs", [True, False])
    @pytest.mark.parametrize(("likelihood", "kind"), KINDS)
    def test_loss_and_gradients_are_those_of_the_papers_formulas(self, likelihood, kind, pairs, dtype):
        family, x = make_family(likelihood, kind, pairs, dtype=dtype)
        batch = one_batch(family, BatchSizes(5, 8, 20))
        noise = torch.randn((5, 2), generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(dtype)
        parameters = list(family.module.parameters())
        expected = naive_elbo(family, x, *ids_of(batch), batch.weights, noise)
        got = family.objective(batch._replace(noise=noise)).value
        close = {"rtol": 1e-5, "atol": 1e-5} if dtype == torch.float64 else {"rtol": 2e-4, "atol": 2e-4}
        torch.testing.assert_close(got, expected, **close)
        for a, b in zip(
            torch.autograd.grad(got, parameters), torch.autograd.grad(expected, parameters), strict=True
        ):
            torch.testing.assert_close(a, b, **close)

    def test_terms_add_up_under_their_names(self):
        family, _ = make_family()
        terms = named(family, one_batch(family, BatchSizes(5, 8, 20)))
        parts = terms["log_likelihood"] - terms["kl"] - terms["structure"] - terms["regularizer"]
        assert terms["elbo"].item() == pytest.approx(parts.item(), rel=1e-12)
        assert terms["regularizer"] > 0
        assert terms["structure"] != 0

    def test_mean_correlation_is_that_of_the_edges(self):
        family, _ = make_family()
        batch = one_batch(family, BatchSizes(5, 8, 20))
        _, edges, _ = ids_of(batch)
        c = family.inference.pair_logits(edges.numpy().T)
        got = named(family, batch)["mean_correlation"]
        assert got.item() == pytest.approx(np.tanh(c / 2).mean(), abs=1e-5)

    def test_without_gamma_there_is_no_regularizer(self):
        family, _ = make_family(gamma=0.0)
        assert not family.draws_pairs
        assert named(family, one_batch(family, BatchSizes(5, 8, 20)))["regularizer"] == 0

    def test_gamma_means_nothing_to_the_factorised_posterior(self):
        values = []
        for gamma in (0.0, 1000.0):
            family, _ = make_family(pairs=False, gamma=gamma)
            batch = one_batch(family, BatchSizes(5, 8, 20))
            values.append(named(family, batch)["elbo"].item())
        assert values[0] == values[1]

    @pytest.mark.parametrize("structure", ["graph and pairs", "graph", "none"])
    @pytest.mark.parametrize(("likelihood", "kind"), KINDS)
    def test_gradient_of_the_whole_elbo_numerically(self, likelihood, kind, structure):
        family, _ = make_family(
            likelihood, kind, pairs=structure == "graph and pairs", graph=structure != "none"
        )
        sizes = BatchSizes(4, 6, 7)
        if structure == "none":
            batch = next(iter(vertex_batches(12, sizes, np.random.default_rng(0))))
        else:
            batch = one_batch(family, sizes)
        noise = torch.randn((4, 2), generator=torch.Generator().manual_seed(2), dtype=torch.float64)
        # gradcheck nudges the parameters in place, and the module reads those very tensors.
        assert torch.autograd.gradcheck(
            lambda *_: family.objective(batch._replace(noise=noise)).value,
            tuple(family.module.parameters()),
            eps=1e-6,
            atol=1e-6,
            rtol=1e-4,
        )


class TestBatchesEstimateTheWhole:
    def full(self, family, x, weights, noise, pairs=None):
        everyone = torch.arange(family.n_vertices)
        edges = None if family.graph is None else torch.from_numpy(family.graph.edges.T.copy())
        return naive_elbo(family, x, everyone, edges, pairs, weights, noise).item()

    @pytest.mark.parametrize("correlated", [True, False])
    def test_mean_over_a_partition_of_the_edges(self, correlated):
        family, x = make_family(pairs=correlated, gamma=0.0)
        n, m = family.n_vertices, family.graph.n_edges
        size = 4
        assert m == 12
        weights = np.random.default_rng(0).random(m)
        noise = torch.randn((n, 2), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
        rng = np.random.default_rng(1)
        values = [
            family.objective(b._replace(noise=noise[b.rows[: b.n_own]])).value.item()
            for b in edge_batches(family.graph, weights, BatchSizes(n, size, 1), rng, False)
        ]
        assert len(values) == m // size
        assert np.std(values) > 1e-3  # the batches do differ
        assert np.mean(values) == pytest.approx(
            self.full(family, x, torch.from_numpy(weights), noise), rel=1e-5
        )

    def test_mean_over_a_partition_of_the_vertices(self):
        family, x = make_family(graph=False, pairs=False)
        noise = torch.randn((12, 2), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
        values = [
            family.objective(b._replace(noise=noise[b.rows])).value.item()
            for b in vertex_batches(12, BatchSizes(vertices=4), np.random.default_rng(0))
        ]
        assert len(values) == 3
        assert np.mean(values) == pytest.approx(self.full(family, x, None, noise), rel=1e-5)

    def test_random_pairs_estimate_the_sum_over_all_pairs(self):
        family, x = make_family(gamma=0.7)
        n = family.n_vertices
        weights = np.zeros(family.graph.n_edges)
        noise = torch.zeros((n, 2), dtype=torch.float64)
        sizes = BatchSizes(n, family.graph.n_edges, 300)
        values = [
            family.objective(b._replace(noise=noise)).value.item()
            for seed in range(60)
            for b in edge_batches(family.graph, weights, sizes, np.random.default_rng(seed), True)
        ]
        u, v = np.nonzero(~np.eye(n, dtype=bool))
        every = torch.from_numpy(np.stack([u, v]))
        exact = self.full(family, x, torch.from_numpy(weights), noise, every)
        assert abs(np.mean(values) - exact) < 5 * np.std(values) / np.sqrt(len(values))

    @pytest.mark.parametrize("correlated", [True, False])
    def test_elbo_of_all_data_is_the_whole_sum(self, correlated):
        family, x = make_family(pairs=correlated, dtype=torch.float32)
        noise = torch.randn((12, 2), generator=torch.Generator().manual_seed(5)).double()
        pairs = torch.from_numpy(random_pairs(12, 500, np.random.default_rng(5)))
        got = family.elbo(seed=5, n_pairs=500)
        again, _ = make_family(pairs=correlated, dtype=torch.float32)
        assert got == again.elbo(seed=5, n_pairs=500)
        family.module.double()
        exact = self.full(family, x, torch.from_numpy(family.weights), noise, pairs)
        assert got == pytest.approx(exact, rel=1e-4)
        family.weights = np.zeros_like(family.weights)
        without = self.full(family, x, torch.zeros(family.graph.n_edges), noise, pairs)
        assert family.elbo(seed=5, n_pairs=500) == pytest.approx(without, rel=1e-4)
        assert abs(without - exact) > 0.1

    def test_elbo_of_a_vae(self):
        family, x = make_family(pairs=False, graph=False, dtype=torch.float32)
        noise = torch.randn((12, 2), generator=torch.Generator().manual_seed(0)).double()
        got = family.elbo()
        family.module.double()
        assert got == pytest.approx(self.full(family, x, None, noise), rel=1e-4)


def test_edge_masses_are_those_of_the_formula():
    family, x = make_family(dtype=torch.float32, tau=0.8)
    masses = family.edge_masses()
    # One edge at a time: w = 1 on it alone and no other terms changes the ELBO by m_e/n.
    family.module.double()
    noise = torch.zeros((12, 2), dtype=torch.float64)
    everyone = torch.arange(12)
    edges = torch.from_numpy(family.graph.edges.T.copy())
    family.gamma = 0.0
    without = naive_elbo(family, x, everyone, edges, None, torch.zeros(len(masses)), noise)
    for e in range(len(masses)):
        only = torch.zeros(len(masses))
        only[e] = 1
        value = naive_elbo(family, x, everyone, edges, None, only, noise)
        assert masses[e] == pytest.approx(12 * (without - value).item(), rel=1e-3, abs=1e-3)


class TestWhatAnEpochIs:
    def test_a_pass_over_the_edges_with_pairs_where_they_count(self):
        family, _ = make_family()
        family.sizes = BatchSizes(4, 5, 6)
        rng, noise = np.random.default_rng(0), torch.Generator().manual_seed(0)
        batches = list(family.batches(rng, noise))
        assert [len(b.weights) for b in batches] == [5, 5, 2]
        assert all(b.pairs.shape[1] - len(b.weights) == 6 for b in batches)
        assert all(b.noise.shape == (4, 2) for b in batches)
        seen = torch.cat([b.rows[b.edges] for b in batches], dim=1).T.tolist()
        assert sorted(map(sorted, seen)) == family.graph.edges.tolist()
        assert (family.size, family.same_order) == (12, False)

    def test_a_pass_over_the_vertices_without_a_graph(self):
        family, _ = make_family(pairs=False, graph=False)
        family.sizes = BatchSizes(5)
        batches = list(family.batches(np.random.default_rng(0), torch.Generator().manual_seed(0)))
        assert sorted(torch.cat([b.rows for b in batches]).tolist()) == list(range(12))
        assert all(b.weights.numel() == b.pairs.numel() == 0 for b in batches)
        assert (family.size, family.same_order) == (12, True)


class TestMistakes:
    def test_a_graph_without_weights_or_weights_without_a_graph(self):
        family, _ = make_family()
        for given in ({"graph": family.graph}, {"weights": family.weights}):
            with pytest.raises(GraphError, match="belong together"):
                PairwiseFamily(family.module, family.features, **given)

    def test_weights_of_other_edges(self):
        family, _ = make_family()
        with pytest.raises(GraphError, match=r"12 edges need as many weights, got shape \(11,\)"):
            PairwiseFamily(family.module, family.features, family.graph, family.weights[:-1])
