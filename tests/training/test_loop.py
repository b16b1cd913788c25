"""The alternating loop: what an epoch does, records and shows to callbacks."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae import Graph, spanning_forest
from acvae.exceptions import TrainingError
from acvae.families import ForestFamily, IndependentFamily, PairwiseFamily
from acvae.nn import Autoencoder, as_features
from acvae.training import BatchSizes, Plan, train

N, D = 40, 12


def parts(pairs=True):
    rng = np.random.default_rng(0)
    x = sp.csr_array((rng.random((N, D)) < 0.3).astype(np.float64))
    module = Autoencoder(
        D,
        latent_dim=3,
        hidden_dim=5,
        pair_hidden_dim=6 if pairs else None,
        generator=torch.Generator().manual_seed(0),
    )
    return module, as_features(x), Graph(N, rng.integers(0, N, (90, 2)))


OPTIONS = {"tau": 0.9, "gamma": 0.1, "sizes": BatchSizes(8, 16, 16)}


def adaptive(maximum=False, step_size=0.1):
    return ForestFamily(*parts(), maximum=maximum, step_size=step_size, **OPTIONS)


def fixed(weight):
    module, features, graph = parts()
    return PairwiseFamily(module, features, graph, np.full(graph.n_edges, weight), **OPTIONS)


def alone():
    return IndependentFamily(*parts(pairs=False)[:2], **OPTIONS)


def plan(**changes):
    return Plan(**({"epochs": 3, "learning_rate": 1e-2, "progress": False} | changes))


class TestHistory:
    def test_one_row_per_epoch_with_finite_figures(self):
        family = adaptive()
        history = train(family, plan())
        assert [row["epoch"] for row in history] == [1, 2, 3]
        assert {row["steps"] for row in history} == {-(-family.graph.n_edges // 16)}
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
        history = train(alone(), plan(epochs=2))
        assert [row["steps"] for row in history] == [5, 5]
        assert "settled" not in history[0]
        assert history[0]["structure"] == history[0]["regularizer"] == 0

    def test_no_epochs_no_rows_and_no_change(self):
        family = adaptive()
        before = [p.clone() for p in family.module.parameters()]
        assert train(family, plan(epochs=0)) == []
        assert all(torch.equal(a, b) for a, b in zip(before, family.module.parameters(), strict=True))

    def test_the_objective_rises(self):
        family = adaptive()
        before = family.elbo()
        history = train(family, plan(epochs=40))
        assert family.elbo() > before + 1
        assert history[-1]["elbo"] > history[0]["elbo"]


class TestWeights:
    @pytest.mark.parametrize("maximum", [True, False])
    def test_every_epoch_ends_with_a_step_to_the_forest_of_the_current_masses(self, maximum):
        family = adaptive(maximum, step_size=1.0)
        forests = []

        def look(state):
            assert state.family is family
            best = spanning_forest(N, family.graph.edges, family.edge_masses(), maximum)
            np.testing.assert_array_equal(family.weights, best.astype(float))
            forests.append(best)

        train(family, plan(epochs=4), [look])
        assert len(forests) == 4
        assert family.weight_state.step == 4

    def test_steps_are_soft(self):
        family = adaptive(step_size=0.1)
        seen = [family.weights.copy()]

        def look(state):
            best = spanning_forest(N, family.graph.edges, family.edge_masses(), False)
            np.testing.assert_allclose(family.weights, 0.9 * seen[-1] + 0.1 * best, atol=1e-12)
            seen.append(family.weights.copy())

        train(family, plan(), [look])
        assert len(seen) == 4

    def test_fixed_weights_are_left_alone(self):
        family = fixed(0.4)
        history = train(family, plan(epochs=1))
        assert (family.weights == 0.4).all()
        assert history[0]["settled"] == 0


class TestCallbacks:
    def test_see_each_epoch_and_add_to_its_row(self):
        family = adaptive()
        seen = []

        def note(state):
            seen.append(
                (state.epoch, state.epochs, state.elbo(), state.posterior(), state.posterior(pairwise=True))
            )
            return {"half": state.epoch / 2} if state.epoch != 2 else None

        history = train(family, plan(), [note])
        assert [s[:2] for s in seen] == [(1, 3), (2, 3), (3, 3)]
        assert [row.get("half") for row in history] == [0.5, None, 1.5]
        assert seen[-1][2] == family.elbo()
        assert seen[-1][3].has_joint
        assert not seen[-1][4].has_joint
        np.testing.assert_array_equal(seen[-1][3].mean, family.inference.marginals()[0])

    def test_looking_does_not_change_the_training(self):
        results = []
        for callbacks in ([], [lambda state: {"x": state.elbo(), "y": state.posterior().std.sum()}]):
            family = adaptive()
            train(family, plan(), callbacks)
            results.append(family.inference.marginals()[0])
        np.testing.assert_array_equal(*results)


class TestSeed:
    def test_same_seed_same_bits_other_seed_other_result(self):
        results = []
        for seed in (1, 1, 2):
            family = adaptive()
            train(family, plan(seed=seed))
            results.append(family.inference.marginals()[0])
        np.testing.assert_array_equal(results[0], results[1])
        assert not np.array_equal(results[0], results[2])


@pytest.mark.parametrize("make", [adaptive, lambda: fixed(0.4), alone], ids=["adaptive", "fixed", "none"])
def test_an_objective_that_blows_up_is_reported_as_such(make):
    with pytest.raises(TrainingError, match="smaller learning_rate"):
        train(make(), plan(learning_rate=1e30))


@pytest.mark.parametrize("figures", [("elbo",), (*PairwiseFamily.figures, "extra")], ids=["fewer", "more"])
def test_figures_without_names_or_names_without_figures(figures):
    family = fixed(0.4)
    family.figures = figures
    with pytest.raises(TrainingError, match=r"reports 6 figures and names \d .*must agree"):
        train(family, plan())


def test_what_is_no_family_is_refused():
    with pytest.raises(TrainingError, match="Autoencoder is not a family: it has no name, module, device"):
        train(parts()[0], plan())
