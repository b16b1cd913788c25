"""What every family does alike: one set of tests, run over all of them and over a user's own."""

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save

from acvae import Posterior, families
from acvae.engine.batches import BatchSizes
from acvae.engine.step import Stepper
from acvae.families import FamilyState, ForestFamily, GraphFamily, IndependentFamily, PairwiseFamily
from acvae.families.base import check_family
from acvae.gaussian import register
from acvae.nn.sage import SageGraph, SageNetwork
from acvae.training import Checkpoint, Plan, train
from small_families import GRAPH, N, parts
from toys import Equicorrelated, SpringFamily, Springs

WEIGHTS = np.linspace(0.1, 0.9, GRAPH.n_edges)
OPTIONS = {"tau": 0.9, "gamma": 0.2, "sizes": BatchSizes(4, 3, 5)}
PLAN = Plan(epochs=4, learning_rate=1e-2, progress=False)
EVERYONE = np.arange(N)

register("equicorrelated", Equicorrelated)


def sage():
    pytest.importorskip("torch_geometric")
    x = np.random.default_rng(0).normal(size=(N, 5)).astype(np.float32)
    inputs = SageGraph(x, GRAPH, torch.device("cpu"))
    return families.SageFamily(SageNetwork(5, 4, 3, seed=1), inputs, n_negatives=3, batch_edges=3)


FAMILIES = {
    "VAE": lambda: IndependentFamily(*parts(pairs=False), **OPTIONS),
    "CVAE_ind": lambda: IndependentFamily(*parts(pairs=False), GRAPH, WEIGHTS, **OPTIONS),
    "CVAE_corr": lambda: PairwiseFamily(*parts(), GRAPH, WEIGHTS, **OPTIONS),
    "CVAE graph": lambda: GraphFamily(*parts(), GRAPH, WEIGHTS, **OPTIONS),
    "ACVAE_EB": lambda: ForestFamily(*parts(), GRAPH, maximum=False, **OPTIONS),
    "ACVAE_SP": lambda: ForestFamily(*parts(), GRAPH, maximum=True, **OPTIONS),
    "GraphSAGE": sage,
    "a toy": lambda: SpringFamily(Springs(N, 2, 0), GRAPH, batch_edges=3),
}
COMPILED = {"VAE", "CVAE_ind", "CVAE_corr", "CVAE graph", "ACVAE_EB", "ACVAE_SP"}


@pytest.fixture(params=FAMILIES)
def name(request):
    return request.param


@pytest.fixture
def make(name):
    return FAMILIES[name]


def first_batch(family):
    """A batch in the networks' own precision."""
    batch = next(iter(family.batches(np.random.default_rng(0), torch.Generator().manual_seed(0))))
    if getattr(batch, "noise", None) is None:
        return batch
    return batch._replace(noise=batch.noise.to(next(family.module.parameters()).dtype))


def in_double(family):
    family.module.double()
    return family


def defining(family, member):
    """The class in which a family's member was written."""
    return next(kind for kind in type(family).__mro__ if member in vars(kind))


def test_every_family_of_the_package_is_here():
    made = {type(FAMILIES[name]()) for name in FAMILIES}
    public = {
        kind for kind in vars(families).values() if isinstance(kind, type) and hasattr(kind, "after_epoch")
    }
    assert public - {families.Family} <= made


def test_it_has_the_face_of_a_family_and_names_its_figures(make):
    family = make()
    check_family(family, stored=True)
    assert family.figures[0] == "elbo"
    terms = family.objective(first_batch(family))
    assert len(terms.figures) == len(family.figures)
    assert terms.figures[0].item() == terms.value.item()
    assert family.size > 0
    json.dumps(family.identity())


class TestItsTermsAreWhatIsTrained:
    def test_every_step_of_the_loop_is_one_call_of_the_objective_or_of_the_declared_step(
        self, name, make, monkeypatch
    ):
        family, calls = make(), {"objective": 0, "compiled": 0}
        plain = family.objective.__func__

        def objective(self, batch):
            calls["objective"] += 1
            return plain(self, batch)

        monkeypatch.setattr(defining(family, "objective"), "objective", objective)
        if hasattr(family, "compiled_step"):
            declare = family.compiled_step.__func__

            def compiled_step(self, adam, threads):
                step = declare(self, adam, threads)

                def counted(batch, learn=False):
                    calls["compiled"] += 1
                    return step(batch, learn)

                return counted

            monkeypatch.setattr(defining(family, "compiled_step"), "compiled_step", compiled_step)
        history = train(family, PLAN)
        steps = sum(row["steps"] for row in history)
        assert steps >= 2 * PLAN.epochs
        used, idle = ("compiled", "objective") if name in COMPILED else ("objective", "compiled")
        assert calls == {used: steps, idle: 0}

    def test_a_step_takes_the_gradient_of_the_objective(self, make):
        family = in_double(make())
        batch = first_batch(family)
        parameters = list(family.module.parameters())
        value = family.objective(batch).value
        expected = torch.cat([-g.reshape(-1) for g in torch.autograd.grad(value, parameters)])
        taken = []
        Stepper(family, 1e-3, lambda gradient: taken.append(gradient.clone())).step(batch)
        torch.testing.assert_close(taken[0], expected, rtol=1e-8, atol=1e-11)
        assert expected.abs().max() > 1e-3

    def test_a_declared_step_is_autograd_in_figures_and_gradient(self, name, make):
        family = in_double(make())
        stepper, batch = Stepper(family, 1e-3), first_batch(family)
        assert (stepper.compiled is not None) == (name in COMPILED)
        by_autograd = stepper.by_autograd(batch)
        gradient = stepper._gradient.clone()
        stepper._gradient.zero_()
        if stepper.compiled is None:
            again = stepper.by_autograd(batch)  # all that is random is in the batch
            np.testing.assert_array_equal(again, by_autograd)
        else:
            np.testing.assert_allclose(stepper.compiled(batch), by_autograd, rtol=1e-6, atol=1e-9)
        torch.testing.assert_close(stepper._gradient, gradient, rtol=1e-8, atol=1e-11)

    def test_training_makes_it_larger(self, make):
        family = make()
        history = train(family, Plan(epochs=40, learning_rate=1e-2, progress=False))
        assert history[-1]["elbo"] > history[0]["elbo"]
        assert np.isfinite(family.elbo())


def through_files(state):
    """As a checkpoint has it: arrays as safetensors, values as JSON."""
    arrays = {name: np.ascontiguousarray(array) for name, array in state.arrays.items()}
    return FamilyState(load(save(arrays)), json.loads(json.dumps(state.values)))


def assert_same_posterior(a, b):
    (arrays, kind), (others, other_kind) = a.pack(), b.pack()
    assert kind == other_kind
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name], err_msg=name)
    np.testing.assert_array_equal(a.distances(EVERYONE), b.distances(EVERYONE))


class TestState:
    def test_survives_a_round_trip_to_the_bit(self, make):
        family = make()
        train(family, PLAN)
        state = through_files(family.state())
        again = make()
        again.module.load_state_dict(family.module.state_dict())
        again.restore(state)
        assert again.state().values == family.state().values
        for key, array in family.state().arrays.items():
            np.testing.assert_array_equal(again.state().arrays[key], array)
        assert_same_posterior(again.posterior(), family.posterior())
        assert again.elbo() == family.elbo()
        for one in (again, family):  # and they go on alike
            one.after_epoch()
        assert again.elbo() == family.elbo()

    def test_a_state_that_was_taken_does_not_move(self, make):
        family = make()
        state = family.state()
        before = {key: array.copy() for key, array in state.arrays.items()}
        train(family, PLAN)
        for key, array in before.items():
            np.testing.assert_array_equal(state.arrays[key], array)

    def test_a_stopped_training_goes_on_to_the_same_bits(self, make, tmp_path):
        def stop(state):
            if state.epoch == 3:
                raise KeyboardInterrupt

        whole, again = make(), make()
        history = train(whole, PLAN)
        checkpoint = Checkpoint(tmp_path / "state", every=10)
        with pytest.raises(KeyboardInterrupt):
            train(make(), PLAN, [stop], checkpoint)
        resumed = train(again, PLAN, (), checkpoint)
        assert [row["elbo"] for row in resumed] == [row["elbo"] for row in history]
        assert_same_posterior(again.posterior(), whole.posterior())


def test_the_posterior_is_reachable_without_the_networks(make, tmp_path):
    family = make()
    train(family, PLAN)
    q = family.posterior()
    q.save(tmp_path / "posterior.safetensors")
    distances, rho = q.distances(EVERYONE), q.pair_correlation(0, EVERYONE[1:])
    with torch.no_grad():
        for p in family.module.parameters():
            p.fill_(torch.nan)
    np.testing.assert_array_equal(q.distances(EVERYONE), distances)
    stored = Posterior.load(tmp_path / "posterior.safetensors")
    np.testing.assert_array_equal(stored.distances(EVERYONE), distances)
    np.testing.assert_array_equal(stored.pair_correlation(0, EVERYONE[1:]), rho)
    assert stored.has_joint == q.has_joint
    if q.has_joint:
        np.testing.assert_array_equal(stored.sample(2, seed=1), q.sample(2, seed=1))
