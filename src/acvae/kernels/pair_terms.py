"""The objective's sums over a batch of edges and of random pairs, in one pass, with their gradients."""

from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

from acvae import objectives

__all__ = ["pair_terms"]


def pair_terms(
    mean: Tensor, std: Tensor, logits: Tensor, edges: Tensor, weights: Tensor, tau: float
) -> tuple[Tensor, Tensor]:
    """Σ_e w_e·m_e over edges and Σ −½·Σ_k log(1 − ρ²) over random pairs.

    `logits` (e + p, d) holds the pair encoder's pre-activations of the edges (2, e), given as rows of mean
    and std (r, d), and after them those of the pairs. The same as `objectives.edge_mass` and
    `objectives.independence_divergence`, to rounding.
    """
    if mean.device.type == "cpu":
        return _PairTerms.apply(mean, std, logits, edges, weights, tau)
    i, j = edges
    mass = objectives.edge_mass(mean[i], std[i], mean[j], std[j], logits[: len(i)], tau)
    return (weights * mass).sum(), objectives.independence_divergence(logits[len(i) :]).sum()


class _PairTerms(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, mean: Tensor, std: Tensor, logits: Tensor, edges: Tensor, weights: Tensor, tau: float
    ) -> tuple[Tensor, Tensor]:
        # Gradients of both sums with respect to each input come with the forward pass and are scaled later.
        grad_mean, grad_std = torch.zeros_like(mean), torch.zeros_like(std)
        grad_logits = torch.empty_like(logits)
        structure, independence = _terms(
            mean.detach().numpy(),
            std.detach().numpy(),
            logits.detach().numpy(),
            edges.numpy(),
            weights.numpy(),
            tau,
            grad_mean.numpy(),
            grad_std.numpy(),
            grad_logits.numpy(),
        )
        ctx.grads = (grad_mean, grad_std, grad_logits, edges.shape[1])
        return mean.new_tensor(structure), mean.new_tensor(independence)

    @staticmethod
    def backward(ctx: Any, structure: Tensor, independence: Tensor) -> tuple[Tensor | None, ...]:
        grad_mean, grad_std, grad_logits, n_edges = ctx.grads
        scaled = torch.cat([grad_logits[:n_edges] * structure, grad_logits[n_edges:] * independence])
        return grad_mean * structure, grad_std * structure, scaled, None, None, None


@numba.njit(cache=True, nogil=True)
def _log_one_minus_square(c: float) -> float:
    """log(1 − tanh²(c/2)) = log 4 − |c| − 2·log(1 + exp(−|c|))."""
    return np.log(4.0) - abs(c) - 2 * np.log1p(np.exp(-abs(c)))


@numba.njit(cache=True, nogil=True)
def _terms(
    mean: Any,
    std: Any,
    logits: Any,
    edges: Any,
    weights: Any,
    tau: float,
    grad_mean: Any,
    grad_std: Any,
    grad_logits: Any,
) -> tuple[float, float]:
    d = mean.shape[1]
    n_edges = edges.shape[1]
    room = 1 / (1 - tau * tau)
    log_prior = np.log1p(-tau * tau)
    limit = 1 - 1e-6
    structure = 0.0
    independence = 0.0
    for e in range(n_edges):
        i, j, w = edges[0, e], edges[1, e], np.float64(weights[e])
        total = 0.0
        for k in range(d):
            mi, mj = np.float64(mean[i, k]), np.float64(mean[j, k])
            si, sj = np.float64(std[i, k]), np.float64(std[j, k])
            c = np.float64(logits[e, k])
            t = np.tanh(0.5 * c)
            rho = limit * t
            spread = mi * mi + mj * mj + si * si + sj * sj
            shared = mi * mj + rho * si * sj
            total += (tau * tau * spread - 2 * tau * shared) * room + log_prior - _log_one_minus_square(c)
            grad_mean[i, k] += w * room * (tau * tau * mi - tau * mj)
            grad_mean[j, k] += w * room * (tau * tau * mj - tau * mi)
            grad_std[i, k] += w * room * (tau * tau * si - tau * rho * sj)
            grad_std[j, k] += w * room * (tau * tau * sj - tau * rho * si)
            grad_logits[e, k] = 0.5 * w * (t - tau * room * si * sj * limit * (1 - t * t))
        structure += 0.5 * w * total
    for e in range(n_edges, len(logits)):
        for k in range(d):
            c = np.float64(logits[e, k])
            independence -= 0.5 * _log_one_minus_square(c)
            grad_logits[e, k] = 0.5 * np.tanh(0.5 * c)
    return structure, independence
