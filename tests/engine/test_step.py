"""A step goes down the gradient of the family's own objective; a compiled one only where it is declared."""

import numpy as np
import pytest
import torch

from acvae.engine.distributed import ALONE
from acvae.engine.fused import FusedGradient
from acvae.engine.step import Stepper, Terms, declared_step
from acvae.families import PairwiseFamily
from acvae.nn import Multinomial
from acvae.training import Plan, train
from small_families import GRAPH, parts

WEIGHTS = np.full(GRAPH.n_edges, 0.5)


class Shrunk(PairwiseFamily):
    """The paper's ELBO less the squares of the encoder's first bias: terms of its own, no step of its own."""

    calls = 0

    def objective(self, batch):
        type(self).calls += 1
        value, figures = super().objective(batch)
        value = value - 100 * self.module.encoder.hidden.bias.square().sum()
        return Terms(value, (value, *figures[1:]))


class Counted(PairwiseFamily):
    """Declares a step that counts."""

    def compiled_step(self, adam, threads):
        compiled, self.taken = super().compiled_step(adam, threads), 0

        def step(batch, learn=False):
            self.taken += 1
            return compiled(batch, learn)

        return step


def make(kind=PairwiseFamily, likelihood=None):
    module, features = parts()
    if likelihood is not None:
        module.likelihood = likelihood
    with torch.no_grad():
        module.encoder.hidden.bias.fill_(0.3)
    return kind(module, features, GRAPH, WEIGHTS, tau=0.9, gamma=0.1)


def batch_of(family):
    return next(iter(family.batches(np.random.default_rng(0), torch.Generator().manual_seed(0), ALONE)))


def gradient_by_autograd(family, batch):
    parameters = list(family.module.parameters())
    return [-g for g in torch.autograd.grad(family.objective(batch).value, parameters, allow_unused=False)]


class TestWhatIsTrained:
    """The gradient that a step takes is that of `objective`, whoever wrote it."""

    def test_a_family_with_terms_of_its_own_is_trained_on_them(self):
        plain, shrunk = make(), make(Shrunk)
        for family in (plain, shrunk):
            train(family, Plan(epochs=150, learning_rate=1e-2, progress=False))
        assert Shrunk.calls > 0
        size = [family.module.encoder.hidden.bias.abs().max().item() for family in (plain, shrunk)]
        assert size[1] < 0.05 < size[0]

    def test_it_has_no_compiled_step_and_the_standard_family_has(self):
        assert isinstance(Stepper(make(), 1e-3).compiled, FusedGradient)
        assert Stepper(make(Shrunk), 1e-3).compiled is None
        assert Stepper(make(type("Below", (Shrunk,), {})), 1e-3).compiled is None

    def test_an_objective_put_on_an_instance_counts(self):
        family = make()
        plain = family.objective
        family.objective = lambda batch: plain(batch)
        assert Stepper(family, 1e-3).compiled is None

    def test_a_step_declared_beside_or_after_the_objective_is_taken(self):
        family = make(Counted)
        train(family, Plan(epochs=2, progress=False))
        assert family.taken == 2
        both = type("Both", (Shrunk,), {"compiled_step": lambda self, adam, threads: "its own"})
        assert declared_step(make(both), None, 1) == "its own"

    def test_a_declaration_may_be_that_there_is_none(self):
        none = type("NoStep", (PairwiseFamily,), {"compiled_step": lambda self, adam, threads: None})
        stepper = Stepper(make(none), 1e-3)
        assert stepper.compiled is None
        assert np.isfinite(stepper.step(batch_of(stepper.family))).all()

    def test_a_likelihood_that_inherits_a_gradient_of_another_is_trained_on_its_own(self):
        class Halved(Multinomial):
            def forward(self, outputs, rows):
                return 0.5 * super().forward(outputs, rows)

        family = make(likelihood=Halved())
        stepper, batch = Stepper(family, 1e-3), batch_of(family)
        expected = gradient_by_autograd(family, batch)
        figures = stepper.compiled(batch)
        assert figures[0] == pytest.approx(family.objective(batch).value.item(), rel=1e-5)
        for parameter, gradient in zip(family.module.parameters(), expected, strict=True):
            torch.testing.assert_close(parameter.grad, gradient, rtol=1e-4, atol=1e-5)

    @pytest.mark.parametrize("where", ["parameter", "network"])
    def test_hooks_on_the_way_back_are_called(self, where):
        family, called = make(), []
        if where == "parameter":
            family.module.encoder.hidden.bias.register_hook(lambda gradient: called.append(1))
        else:
            family.module.decoder.register_full_backward_hook(lambda *_: called.append(1))
        Stepper(family, 1e-3).step(batch_of(family))
        assert called == [1]


class TestSteps:
    @pytest.mark.parametrize("kind", [PairwiseFamily, Shrunk], ids=["compiled", "autograd"])
    def test_are_those_of_pytorchs_adam(self, kind):
        ours, theirs = make(kind), make(kind)
        for family in (ours, theirs):
            family.module.double()
        stepper = Stepper(ours, 1e-2)
        adam = torch.optim.Adam(theirs.module.parameters(), lr=1e-2)
        batch = batch_of(ours)
        batch = batch._replace(noise=batch.noise.double())
        for _ in range(3):
            figures = stepper.step(batch)
            adam.zero_grad()
            terms = theirs.objective(batch)
            (-terms.value).backward()
            adam.step()
            np.testing.assert_allclose(figures, [x.item() for x in terms.figures], rtol=1e-6, atol=1e-9)
        for a, b in zip(ours.module.parameters(), theirs.module.parameters(), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-8, atol=1e-10)

    def test_the_gradient_is_reduced_before_adam_sees_it(self):
        family = make()
        before = [p.detach().clone() for p in family.module.parameters()]
        seen = []
        stepper = Stepper(
            family, 1e-2, lambda gradient: (seen.append(gradient.abs().sum()), gradient.zero_())
        )
        stepper.step(batch_of(family))
        assert len(seen) == 1
        assert seen[0] > 0
        assert all(torch.equal(a, b) for a, b in zip(before, family.module.parameters(), strict=True))

    def test_frozen_parameters_stay(self):
        family = make()
        family.module.encoder.hidden.weight.requires_grad_(False)
        before = family.module.encoder.hidden.weight.clone()
        bias = family.module.encoder.hidden.bias.detach().clone()
        Stepper(family, 1e-2).step(batch_of(family))
        assert torch.equal(family.module.encoder.hidden.weight, before)
        assert not torch.equal(family.module.encoder.hidden.bias, bias)
