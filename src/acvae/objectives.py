"""The paper's equations as pure functions of tensors: closed forms, one function each.

Gaussians factor over the d latent dimensions, and every function sums over the last axis. A correlation
is passed as the pair encoder's pre-activation c, with ρ = tanh(c/2), because log(1 − ρ²) of a ρ that was
rounded to ±1 is lost, while log(1 − tanh²(c/2)) = log 4 + logsigmoid(c) + logsigmoid(−c) is exact.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

__all__ = [
    "MAX_CORRELATION",
    "ElboTerms",
    "correlation",
    "edge_mass",
    "elbo",
    "independence_divergence",
    "log_one_minus_square",
    "pair_divergence",
    "singleton_divergence",
]

# Keeps ρ inside (−1, 1) when tanh rounds to ±1.
MAX_CORRELATION = 1 - 1e-6


def correlation(c: Tensor) -> Tensor:
    """ρ = (1 − 1e−6)·tanh(c/2), of the shape of `c`."""
    return MAX_CORRELATION * torch.tanh(0.5 * c)


def log_one_minus_square(c: Tensor) -> Tensor:
    """log(1 − ρ²) for ρ = tanh(c/2), finite for every finite c; the shape of `c`."""
    return math.log(4) + logsigmoid(c) + logsigmoid(-c)


def singleton_divergence(mean: Tensor, std: Tensor) -> Tensor:
    """KL(q_i ‖ p_0) = ½·Σ_k (μ² + σ² − 1) − log σ, against the standard normal; (..., d) → (...)."""
    return (0.5 * (mean.square() + std.square() - 1) - std.log()).sum(-1)


def pair_divergence(
    mean_i: Tensor, std_i: Tensor, mean_j: Tensor, std_j: Tensor, c: Tensor, tau: float
) -> Tensor:
    """KL(q_ij ‖ p_0^τ) of a pair with correlation ρ = tanh(c/2) from the pair prior of correlation τ.

    In each dimension, ½·[(s_i + s_j − 2τ·(ρσ_iσ_j + μ_iμ_j))/(1 − τ²) − 2 + log(1 − τ²) − log(1 − ρ²)]
    − log σ_i − log σ_j with s = μ² + σ²; (..., d) → (...).
    """
    marginals = singleton_divergence(mean_i, std_i) + singleton_divergence(mean_j, std_j)
    return marginals + edge_mass(mean_i, std_i, mean_j, std_j, c, tau)


def edge_mass(
    mean_i: Tensor, std_i: Tensor, mean_j: Tensor, std_j: Tensor, c: Tensor | None, tau: float
) -> Tensor:
    """m_ij = KL(q_ij ‖ p_0^τ) − KL(q_i ‖ p_0) − KL(q_j ‖ p_0)   (eq. mass); (..., d) → (...).

    The logarithms of σ cancel, and what is left in each dimension is

        ½·[(τ²·(s_i + s_j) − 2τ·(ρσ_iσ_j + μ_iμ_j))/(1 − τ²) + log(1 − τ²) − log(1 − ρ²)].

    `c=None` stands for ρ = 0, the factorised posterior of CVAE_ind.
    """
    spread = mean_i.square() + std_i.square() + mean_j.square() + std_j.square()
    shared = mean_i * mean_j
    log_ratio: Tensor | float = math.log1p(-tau * tau)
    if c is not None:
        shared = shared + correlation(c) * std_i * std_j
        log_ratio = log_ratio - log_one_minus_square(c)
    return (0.5 * ((tau * tau * spread - 2 * tau * shared) / (1 - tau * tau) + log_ratio)).sum(-1)


def independence_divergence(c: Tensor) -> Tensor:
    """E_q log q_ij/(q_i·q_j) = −½·Σ_k log(1 − ρ²), the negative-sampling term of eq. (loss-acvae)."""
    return -0.5 * log_one_minus_square(c).sum(-1)


class ElboTerms(NamedTuple):
    """Scalars per vertex; `value` = log_likelihood − divergence − structure − regularizer."""

    value: Tensor
    log_likelihood: Tensor
    divergence: Tensor
    structure: Tensor
    regularizer: Tensor


def elbo(
    log_likelihood: Tensor,
    divergence: Tensor,
    structure: Tensor | None = None,
    independence: Tensor | None = None,
    *,
    n_vertices: int,
    n_edges: int = 0,
    gamma: float = 0.0,
) -> ElboTerms:
    """L per vertex, regulariser included (eqs. loss-acvae-nons and loss-acvae), from the means of its parts.

        mean log p(x|z) − mean KL_i − (|E|/n)·mean_e(w_e·m_e)
          − γ·(mean KL_i + ((n − 1)/n)·mean over pairs of −½·Σ_k log(1 − ρ²))

    Each argument is a scalar: the mean over a batch of vertices, edges or random pairs, so that batches of
    any sizes give an unbiased estimate of the full sum.

    Parameters
    ----------
    log_likelihood, divergence
        Means of log p(x_i|z_i) and of KL(q_i ‖ p_0) over vertices.
    structure
        Mean of w_e·m_e over edges; None for a plain VAE.
    independence
        Mean of `independence_divergence` over random pairs; None without correlations, and then the γ terms
        are left out altogether.
    """
    zero = torch.zeros_like(divergence)
    tree = zero if structure is None else (n_edges / n_vertices) * structure
    penalty = zero
    if independence is not None:
        penalty = gamma * (divergence + (n_vertices - 1) / n_vertices * independence)
    value = log_likelihood - divergence - tree - penalty
    return ElboTerms(value, log_likelihood, divergence, tree, penalty)
