"""The objective's sums over a batch of edges and of random pairs, in one pass, with their gradients."""

import math
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
        # All that is transcendental, from e = exp(−|c|): log(1 − ρ²) = log 4 − |c| − 2·log(1 + e) and
        # tanh(|c|/2) = (1 − e)/(1 + e). PyTorch computes it many numbers at a time.
        c = logits.detach()
        size = c.abs()
        e = torch.exp(-size)
        log_rest = math.log(4) - size - 2 * torch.log1p(e)
        structure, independence = _terms(
            mean.detach().numpy(),
            std.detach().numpy(),
            c.numpy(),
            e.numpy(),
            log_rest.numpy(),
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


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _terms(
    mean: Any,
    std: Any,
    logits: Any,
    decay: Any,
    log_rest: Any,
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
    near, across = tau * tau * room, tau * room
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
            x = np.float64(decay[e, k])
            t = (1 - x) / (1 + x)
            if logits[e, k] < 0:
                t = -t
            rho = limit * t
            total += near * (mi * mi + mj * mj + si * si + sj * sj) - 2 * across * (mi * mj + rho * si * sj)
            total += log_prior - log_rest[e, k]
            grad_mean[i, k] += w * (near * mi - across * mj)
            grad_mean[j, k] += w * (near * mj - across * mi)
            grad_std[i, k] += w * (near * si - across * rho * sj)
            grad_std[j, k] += w * (near * sj - across * rho * si)
            grad_logits[e, k] = 0.5 * w * (t - across * si * sj * limit * (1 - t * t))
        structure += 0.5 * w * total
    for e in range(n_edges, len(logits)):
        for k in range(d):
            x = np.float64(decay[e, k])
            t = 0.5 * (1 - x) / (1 + x)
            independence -= 0.5 * log_rest[e, k]
            grad_logits[e, k] = -t if logits[e, k] < 0 else t
    return structure, independence
