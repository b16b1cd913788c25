"""The alternating loop: what an epoch does, records and shows to callbacks."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae import Graph, spanning_forest
from acvae.exceptions import TrainingError
from acvae.nn import Autoencoder, as_features
from acvae.training import AdaptivePrior, BatchSizes, FixedPrior, Plan, Problem, train

N, D = 40, 12


def make_problem(pairs=True, gamma=0.1, graph=True, seed=0):
    rng = np.random.default_rng(0)
    x = sp.csr_array((rng.random((N, D)) < 0.3).astype(np.float64))
    module = Autoencoder(
        D,
        latent_dim=3,
        hidden_dim=5,
        pair_hidden_dim=6 if pairs else None,
        generator=torch.Generator().manual_seed(seed),
    )
    edges = Graph(N, rng.integers(0, N, (90, 2))) if graph else None
    return Problem(module, as_features(x), edges, 0.9, gamma, torch.device("cpu"))


def plan(**changes):
    options = {"epochs": 3, "learning_rate": 1e-2, "batch_sizes": BatchSizes(8, 16, 16), "progress": False}
    return Plan(**(options | changes))


def adaptive(problem, maximum=False, step_size=0.1):
    return AdaptivePrior(problem.graph, maximum=maximum, step_size=step_size)


class TestHistory:
    def test_one_row_per_epoch_with_finite_figures(self):
        problem = make_problem()
        history = train(problem, adaptive(problem), plan())
        assert [row["epoch"] for row in history] == [1, 2, 3]
        assert {row["steps"] for row in history} == {-(-problem.graph.n_edges // 16)}
        names = {"elbo", "log_likelihood", "kl", "structure", "regularizer", "mean_correlation", "settled"}
        for row in history:
            assert row.keys() >= names | {"seconds"}
            assert all(np.isfinite(value) for value in row.values())
            parts = row["log_likelihood"] - row["kl"] - row["structure"] - row["regularizer"]
            assert row["elbo"] == pytest.approx(parts, rel=1e-4)
            assert -1 < row["mean_correlation"] < 1
            assert 0 <= row["settled"] <= 1
            assert row["seconds"] > 0

    def test_without_a_graph_an_epoch_is_a_pass_over_the_vertices(self):
        history = train(make_problem(pairs=False, graph=False), None, plan(epochs=2))
        assert [row["steps"] for row in history] == [5, 5]
        assert "settled" not in history[0]
        assert history[0]["structure"] == history[0]["regularizer"] == 0

    def test_no_epochs_no_rows_and_no_change(self):
        problem = make_problem()
        before = [p.clone() for p in problem.module.parameters()]
        assert train(problem, adaptive(problem), plan(epochs=0)) == []
        assert all(torch.equal(a, b) for a, b in zip(before, problem.module.parameters(), strict=True))

    def test_the_objective_rises(self):
        problem = make_problem()
        prior = adaptive(problem)
        before = problem.full_elbo(prior.weights)
        history = train(problem, prior, plan(epochs=40))
        assert problem.full_elbo(prior.weights) > before + 1
        assert history[-1]["elbo"] > history[0]["elbo"]


class TestWeights:
    @pytest.mark.parametrize("maximum", [True, False])
    def test_every_epoch_ends_with_a_step_to_the_forest_of_the_current_masses(self, maximum):
        problem = make_problem()
        prior = adaptive(problem, maximum, step_size=1.0)
        forests = []

        def look(state):
            masses = state.problem.edge_masses()
            best = spanning_forest(N, problem.graph.edges, masses, maximum)
            np.testing.assert_array_equal(state.prior.weights, best.astype(float))
            forests.append(best)

        train(problem, prior, plan(epochs=4), [look])
        assert len(forests) == 4
        assert prior.state.step == 4

    def test_steps_are_soft(self):
        problem = make_problem()
        prior = adaptive(problem, step_size=0.1)
        seen = [prior.weights.copy()]

        def look(state):
            best = spanning_forest(N, problem.graph.edges, state.problem.edge_masses(), False)
            np.testing.assert_allclose(state.prior.weights, 0.9 * seen[-1] + 0.1 * best, atol=1e-12)
            seen.append(state.prior.weights.copy())

        train(problem, prior, plan(), [look])
        assert len(seen) == 4

    def test_fixed_weights_are_left_alone(self):
        problem = make_problem()
        weights = np.full(problem.graph.n_edges, 0.4)
        history = train(problem, FixedPrior(weights), plan(epochs=1))
        assert (weights == 0.4).all()
        assert history[0]["settled"] == 0


class TestCallbacks:
    def test_see_each_epoch_and_add_to_its_row(self):
        problem = make_problem()
        prior = adaptive(problem)
        seen = []

        def note(state):
            seen.append(
                (state.epoch, state.epochs, state.elbo(), state.posterior(), state.posterior(pairwise=True))
            )
            return {"half": state.epoch / 2} if state.epoch != 2 else None

        history = train(problem, prior, plan(), [note])
        assert [s[:2] for s in seen] == [(1, 3), (2, 3), (3, 3)]
        assert [row.get("half") for row in history] == [0.5, None, 1.5]
        assert seen[-1][2] == problem.full_elbo(prior.weights)
        assert seen[-1][3].has_joint
        assert not seen[-1][4].has_joint
        np.testing.assert_array_equal(seen[-1][3].mean, problem.marginals()[0])

    def test_looking_does_not_change_the_training(self):
        results = []
        for callbacks in ([], [lambda state: {"x": state.elbo(), "y": state.posterior().std.sum()}]):
            problem = make_problem()
            train(problem, adaptive(problem), plan(), callbacks)
            results.append(problem.marginals()[0])
        np.testing.assert_array_equal(*results)


class TestSeed:
    def test_same_seed_same_bits_other_seed_other_result(self):
        results = []
        for seed in (1, 1, 2):
            problem = make_problem()
            train(problem, adaptive(problem), plan(seed=seed))
            results.append(problem.marginals()[0])
        np.testing.assert_array_equal(results[0], results[1])
        assert not np.array_equal(results[0], results[2])


@pytest.mark.parametrize("kind", ["adaptive", "fixed", "none"])
def test_an_objective_that_blows_up_is_reported_as_such(kind):
    problem = make_problem(graph=kind != "none")
    prior = None
    if kind != "none":
        fixed = FixedPrior(np.full(problem.graph.n_edges, 0.4))
        prior = adaptive(problem) if kind == "adaptive" else fixed
    with pytest.raises(TrainingError, match="smaller learning_rate"):
        train(problem, prior, plan(learning_rate=1e30))
