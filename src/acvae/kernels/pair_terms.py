"""The objective's sums over a batch of edges and of random pairs, in one pass, with their gradients."""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from acvae import objectives

__all__ = ["edge_sums", "pair_sums", "pair_terms"]

Array = npt.NDArray[Any]


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
        n_edges = edges.shape[1]
        c, d_c = logits.detach().numpy(), grad_logits.numpy()
        structure, _ = edge_sums(
            mean.detach().numpy(),
            std.detach().numpy(),
            c[:n_edges],
            edges.numpy(),
            weights.numpy(),
            tau,
            1.0,
            grad_mean.numpy(),
            grad_std.numpy(),
            d_c[:n_edges],
        )
        independence = pair_sums(c[n_edges:], 1.0, d_c[n_edges:])
        ctx.grads = (grad_mean, grad_std, grad_logits, n_edges)
        return mean.new_tensor(structure), mean.new_tensor(independence)

    @staticmethod
    def backward(ctx: Any, structure: Tensor, independence: Tensor) -> tuple[Tensor | None, ...]:
        grad_mean, grad_std, grad_logits, n_edges = ctx.grads
        scaled = torch.cat([grad_logits[:n_edges] * structure, grad_logits[n_edges:] * independence])
        return grad_mean * structure, grad_std * structure, scaled, None, None, None


def edge_sums(
    mean: Array,
    std: Array,
    logits: Array,
    edges: Array,
    weights: Array,
    tau: float,
    scale: float,
    grad_mean: Array,
    grad_std: Array,
    grad_logits: Array,
) -> tuple[float, float]:
    """Σ_e w_e·m_e and Σ_e Σ_k ρ, for logits (e, d) of edges (2, e), given as rows of mean and std.

    The gradient of scale·(the first) is added to `grad_mean` and `grad_std` and written to `grad_logits`.
    """
    sums: tuple[float, float] = _edge_sums(
        mean, std, logits, *_decay(logits), edges, weights, tau, scale, grad_mean, grad_std, grad_logits
    )
    return sums


def pair_sums(logits: Array, scale: float, grad_logits: Array) -> float:
    """Σ −½·Σ_k log(1 − ρ²) over random pairs; the gradient of scale·(that) is written to `grad_logits`."""
    return float(_pair_sums(logits, *_decay(logits), scale, grad_logits))


def _decay(logits: Array) -> tuple[Array, Array]:
    """e = exp(−|c|) and log(1 + e), from which all that is transcendental follows.

    log(1 − ρ²) = log 4 − |c| − 2·log(1 + e) and tanh(|c|/2) = (1 − e)/(1 + e). PyTorch computes many numbers
    at a time.
    """
    e = torch.from_numpy(logits).abs().neg_().exp_()
    return e.numpy(), torch.log1p(e).numpy()


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _edge_sums(
    mean: Any,
    std: Any,
    logits: Any,
    decay: Any,
    log_one_plus: Any,
    edges: Any,
    weights: Any,
    tau: float,
    scale: float,
    grad_mean: Any,
    grad_std: Any,
    grad_logits: Any,
) -> tuple[float, float]:
    d = mean.shape[1]
    room = 1 / (1 - tau * tau)
    near, across = tau * tau * room, tau * room
    constant = np.log1p(-tau * tau) - np.log(4.0)
    limit = 1 - 1e-6
    structure = 0.0
    total_rho = 0.0
    for e in range(edges.shape[1]):
        i, j, w = edges[0, e], edges[1, e], np.float64(weights[e])
        g = w * scale
        total = 0.0
        for k in range(d):
            mi, mj = np.float64(mean[i, k]), np.float64(mean[j, k])
            si, sj = np.float64(std[i, k]), np.float64(std[j, k])
            c, x = np.float64(logits[e, k]), np.float64(decay[e, k])
            t = (1 - x) / (1 + x)
            if c < 0:
                t = -t
            rho = limit * t
            total_rho += rho
            total += near * (mi * mi + mj * mj + si * si + sj * sj) - 2 * across * (mi * mj + rho * si * sj)
            total += constant + abs(c) + 2 * log_one_plus[e, k]
            grad_mean[i, k] += g * (near * mi - across * mj)
            grad_mean[j, k] += g * (near * mj - across * mi)
            grad_std[i, k] += g * (near * si - across * rho * sj)
            grad_std[j, k] += g * (near * sj - across * rho * si)
            grad_logits[e, k] = 0.5 * g * (t - across * si * sj * limit * (1 - t * t))
        structure += 0.5 * w * total
    return structure, total_rho


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _pair_sums(logits: Any, decay: Any, log_one_plus: Any, scale: float, grad_logits: Any) -> float:
    total = 0.0
    log_4 = np.log(4.0)
    for e in range(logits.shape[0]):
        for k in range(logits.shape[1]):
            c, x = np.float64(logits[e, k]), np.float64(decay[e, k])
            t = 0.5 * scale * (1 - x) / (1 + x)
            total += 0.5 * (abs(c) + 2 * log_one_plus[e, k] - log_4)
            grad_logits[e, k] = -t if c < 0 else t
    return total
