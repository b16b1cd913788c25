"""The pair terms against plain tensor code, forward and backward."""

import pytest
import torch

from acvae import objectives
from acvae.engine.kernels import pair_terms


def randn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("tau", [0.99, 0.5, -0.3])
@pytest.mark.parametrize("n_pairs", [0, 4])
def test_pair_terms_are_the_objectives(tau: float, n_pairs: int) -> None:
    mean = randn(6, 2).requires_grad_()
    std = randn(6, 2, seed=1).abs().add(0.1).requires_grad_()
    logits = (3 * randn(3 + n_pairs, 2, seed=2)).requires_grad_()
    edges, weights = torch.tensor([[0, 1, 5], [1, 2, 1]]), torch.tensor([0.2, 1.0, 0.0], dtype=torch.float64)
    i, j = edges
    mass = objectives.edge_mass(mean[i], std[i], mean[j], std[j], logits[:3], tau)
    structure, independence = pair_terms(mean, std, logits, edges, weights, tau)
    torch.testing.assert_close(structure, (weights * mass).sum())
    torch.testing.assert_close(independence, objectives.independence_divergence(logits[3:]).sum())
    assert torch.autograd.gradcheck(
        lambda m, s, c: pair_terms(m, s, c, edges, weights, tau), (mean, std, logits)
    )


@pytest.mark.parametrize("c", [0.0, 1e-8, -60.0, 1e4, -1e4])
def test_pair_terms_stay_finite_at_the_ends(c: float) -> None:
    mean, std = torch.zeros((2, 1), requires_grad=True), torch.full((2, 1), 1e-15, requires_grad=True)
    logits = torch.full((2, 1), c, requires_grad=True)
    terms = pair_terms(mean, std, logits, torch.tensor([[0], [1]]), torch.ones(1), 0.99)
    assert all(torch.isfinite(t) for t in terms)
    torch.testing.assert_close(terms[1], objectives.independence_divergence(logits[1:]).sum())
    sum(terms).backward()
    assert all(torch.isfinite(x.grad).all() for x in (mean, std, logits))
