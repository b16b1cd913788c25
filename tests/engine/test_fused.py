"""The hand-written gradient against autograd's in float64, for all kinds of models, features, likelihoods."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import nn

from acvae import Graph
from acvae.engine import fused_batch, workspace
from acvae.engine import step as step_module
from acvae.engine.batches import BatchSizes
from acvae.engine.fused import FusedGradient
from acvae.engine.step import Stepper
from acvae.families import IndependentFamily, PairwiseFamily
from acvae.nn import Autoencoder, as_features

N, D = 40, 12


class Shifted(nn.Module):
    """A user's own likelihood: a module with `check` and `forward` and nothing else."""

    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(D))

    def check(self, features):
        pass

    def forward(self, outputs, rows):
        return -rows.subtract_from(outputs + self.shift).square().sum(-1)


def features_of(kind):
    rng = np.random.default_rng(0)
    counts = sp.random_array((N, D), density=0.3, random_state=rng, format="csr")
    counts.data = np.ones(counts.nnz) if kind == "pattern" else rng.integers(1, 4, counts.nnz).astype(float)
    return rng.integers(0, 4, (N, D)).astype(float) if kind == "dense" else counts


def make(kind="counts", likelihood="multinomial", pair_width=7, graph=True, gamma=0.3, dtype=torch.float64):
    rng = np.random.default_rng(1)
    module = Autoencoder(
        D,
        latent_dim=3,
        hidden_dim=5,
        pair_hidden_dim=pair_width,
        likelihood=likelihood,
        generator=torch.Generator().manual_seed(0),
    ).to(dtype)
    family = IndependentFamily if pair_width is None else PairwiseFamily
    links = Graph(N, rng.integers(0, N, (90, 2))) if graph else None
    weights = rng.uniform(0, 1, links.n_edges) if graph else None
    features, sizes = as_features(features_of(kind)), BatchSizes(9, 20, 14)
    return family(module, features, links, weights, tau=0.9, gamma=gamma, sizes=sizes)


def batch_of(family):
    batch = next(iter(family.batches(np.random.default_rng(2), torch.Generator().manual_seed(3))))
    dtype = family.module.encoder.hidden.weight.dtype
    noise = torch.randn((batch.n_own, 3), generator=torch.Generator().manual_seed(3), dtype=dtype)
    return batch._replace(noise=noise)


def both_gradients(family, threads=1):
    stepper = Stepper(family, 1e-3, threads=threads)
    batch = batch_of(family)
    expected = stepper.by_autograd(batch)
    by_autograd = stepper._gradient.clone()
    stepper._gradient.zero_()
    figures = stepper.compiled(batch)
    return figures, expected, stepper._gradient.clone(), by_autograd


CASES = {
    "a pattern of ones": {"kind": "pattern"},
    "counts": {},
    "dense rows": {"kind": "dense"},
    "no random pairs": {"gamma": 0.0},
    "no correlations (CVAE_ind)": {"pair_width": None},
    "no graph (VAE)": {"pair_width": None, "graph": False},
    "bernoulli": {"kind": "pattern", "likelihood": "bernoulli"},
    "poisson": {"likelihood": "poisson"},
    "gaussian": {"kind": "dense", "likelihood": "gaussian"},
    "gaussian on sparse rows": {"likelihood": "gaussian"},
    "a likelihood of one's own": {"likelihood": Shifted()},
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_same_figures_and_gradient_as_autograd(case):
    figures, expected, by_hand, by_autograd = both_gradients(make(**case))
    np.testing.assert_allclose(figures, expected, rtol=1e-6, atol=1e-9)  # logs of float32 counts: not exact
    np.testing.assert_allclose(by_hand.numpy(), by_autograd.numpy(), rtol=1e-9, atol=1e-12)
    assert by_hand.abs().max() > 0


def test_the_bits_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(workspace, "TASK", 40)  # many tasks, even on a small batch
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    one, _, by_one, by_autograd = both_gradients(make(dtype=torch.float32), threads=1)
    three, _, by_three, _ = both_gradients(make(dtype=torch.float32), threads=3)
    assert np.array_equal(one, three)
    assert torch.equal(by_one, by_three)
    np.testing.assert_allclose(by_one.numpy(), by_autograd.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_steps_taken_part_by_part_are_adams_to_the_bit(case, threads, monkeypatch):
    monkeypatch.setattr(workspace, "TASK", 40)
    monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
    ends = []
    for at_once in (False, True):
        monkeypatch.setattr(step_module, "MANY", 0 if at_once else 10**9)
        family = make(**{**case, "dtype": torch.float32})
        torch.nn.init.zeros_(getattr(family.module.likelihood, "shift", torch.empty(0)))
        stepper, batch = Stepper(family, 1e-2, threads=threads), batch_of(family)
        assert stepper._at_once == at_once
        figures = [stepper.step(batch) for _ in range(3)]
        parameters = torch.cat([p.detach().reshape(-1) for p in family.module.parameters()])
        adam = stepper.optimizer
        ends.append((parameters, adam.first, adam.second, torch.from_numpy(np.stack(figures))))
    for separately, together in zip(*ends, strict=True):
        assert torch.equal(separately, together)
    assert ends[0][1].abs().max() > 0


@pytest.mark.parametrize("kind", ["pattern", "counts"])
def test_halves_kept_or_made_on_the_way(kind, monkeypatch):
    """A batch in which vertices occur often keeps what the pair layer makes of each; the gradient is one."""
    taken = []
    forward = fused_batch.pair_layer_forward
    monkeypatch.setattr(fused_batch, "pair_layer_forward", lambda *a: taken.append(0) or forward(*a))
    monkeypatch.setattr(workspace, "TASK", 40)  # nothing is so small that it is kept for that
    monkeypatch.setattr(fused_batch, "OFTEN", np.inf)
    _, _, on_the_way, _ = both_gradients(make(kind, dtype=torch.float32))
    assert not taken
    monkeypatch.setattr(fused_batch, "OFTEN", 0.0)
    _, _, kept, by_autograd = both_gradients(make(kind, dtype=torch.float32))
    assert taken
    assert torch.equal(on_the_way, kept)
    np.testing.assert_allclose(kept.numpy(), by_autograd.numpy(), rtol=1e-4, atol=1e-5)


def test_a_standard_deviation_at_its_smallest_has_no_gradient():
    family = make()
    with torch.no_grad():
        family.module.encoder.output.bias[3:] = -60.0  # softplus of it is far below the smallest
    _, _, by_hand, by_autograd = both_gradients(family)
    np.testing.assert_allclose(by_hand.numpy(), by_autograd.numpy(), rtol=1e-9)


class TestWhereItFits:
    def test_the_standard_networks(self):
        assert FusedGradient.fits(make())

    def test_not_an_encoder_of_ones_own(self):
        class Own(type(make().module.encoder)):
            pass

        family = make()
        family.module.encoder = Own(D, 5, 3).double()
        assert not FusedGradient.fits(family)

    def test_not_frozen_parameters(self):
        family = make()
        family.module.encoder.hidden.weight.requires_grad_(False)
        assert not FusedGradient.fits(family)

    def test_not_networks_with_hooks(self):
        family = make()
        family.module.decoder.register_forward_hook(lambda *_: None)
        assert not FusedGradient.fits(family)
