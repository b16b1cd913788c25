"""The objective's sums over a batch of edges and of random pairs, in one pass, with their gradients."""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from acvae import objectives

__all__ = ["Decay", "decay_of", "edge_sums", "pair_sums", "pair_terms"]

Array = npt.NDArray[Any]


class Decay(NamedTuple):
    """e = exp(−|c|) and log(1 + e) of logits c, from which all that is transcendental follows.

    log(1 − ρ²) = log 4 − |c| − 2·log(1 + e) and tanh(|c|/2) = (1 − e)/(1 + e).
    """

    e: Array
    log_one_plus: Array

    def part(self, start: int, stop: int | None = None) -> "Decay":
        """Rows start … stop."""
        return Decay(self.e[start:stop], self.log_one_plus[start:stop])


def decay_of(logits: Array, out: Decay) -> None:
    """Write the decay of logits; PyTorch computes many numbers at a time."""
    e = torch.from_numpy(out.e)
    torch.abs(torch.from_numpy(logits), out=e).neg_().exp_()
    torch.log1p(e, out=torch.from_numpy(out.log_one_plus))


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
        decay = Decay(np.empty_like(c), np.empty_like(c))
        decay_of(c, decay)
        structure, _ = edge_sums(
            mean.detach().numpy(),
            std.detach().numpy(),
            c[:n_edges],
            decay.part(0, n_edges),
            edges.numpy(),
            weights.numpy(),
            tau,
            1.0,
            grad_mean.numpy(),
            grad_std.numpy(),
            d_c[:n_edges],
        )
        independence = pair_sums(c[n_edges:], decay.part(n_edges), 1.0, d_c[n_edges:])
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
    decay: Decay,
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
        mean, std, logits, *decay, edges, weights, tau, scale, grad_mean, grad_std, grad_logits
    )
    return sums


def pair_sums(logits: Array, decay: Decay, scale: float, grad_logits: Array) -> float:
    """Σ −½·Σ_k log(1 − ρ²) over random pairs; the gradient of scale·(that) is written to `grad_logits`."""
    return float(_pair_sums(logits, *decay, scale, grad_logits))


# Below, loops over k are kept to few arrays and, but for the mean correlation, to no sum across k: so the
# compiler turns them into vector instructions. All is computed in float64.


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
    precision = 1 / (1 - tau * tau)
    near, across = tau * tau * precision, tau * precision
    constant = np.log1p(-tau * tau) - np.log(4.0)
    limit = 1 - 1e-6
    t = np.empty(d)  # tanh(c/2): ρ is limit·t
    structure = np.zeros(d)
    correlation = 0.0
    for e in range(edges.shape[1]):
        i, j, w = edges[0, e], edges[1, e], np.float64(weights[e])
        g = w * scale
        mi, mj, si, sj = mean[i], mean[j], std[i], std[j]
        _signed_ratio(logits[e], decay[e], 1.0, t)
        for k in range(d):
            correlation += limit * t[k]
        _add_log_rest(logits[e], log_one_plus[e], 0.5 * w, constant, structure)
        for k in range(d):
            structure[k] += 0.5 * w * (near * _norm(mi[k], mj[k]) - 2 * across * _product(mi[k], mj[k]))
        for k in range(d):
            shared = limit * t[k] * si[k] * sj[k]
            structure[k] += 0.5 * w * (near * _norm(si[k], sj[k]) - 2 * across * shared)
        _pull(mi, mj, g, near, across, grad_mean[i])
        _pull(mj, mi, g, near, across, grad_mean[j])
        _pull_by(si, sj, t, limit, g, near, across, grad_std[i])
        _pull_by(sj, si, t, limit, g, near, across, grad_std[j])
        out = grad_logits[e]
        for k in range(d):
            out[k] = 0.5 * g * (t[k] - across * si[k] * sj[k] * limit * (1 - t[k] * t[k]))
    return structure.sum(), correlation


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _pair_sums(logits: Any, decay: Any, log_one_plus: Any, scale: float, grad_logits: Any) -> float:
    independence = np.zeros(logits.shape[1])
    for e in range(logits.shape[0]):
        _signed_ratio(logits[e], decay[e], 0.5 * scale, grad_logits[e])
        _add_log_rest(logits[e], log_one_plus[e], 0.5, -np.log(4.0), independence)
    return independence.sum()


@numba.njit(nogil=True, inline="always")
def _signed_ratio(c: Any, x: Any, factor: float, out: Any) -> None:
    """out = factor·tanh(c/2), where x is exp(−|c|)."""
    for k in range(len(out)):
        ratio = factor * (1 - np.float64(x[k])) / (1 + np.float64(x[k]))
        out[k] = -ratio if c[k] < 0 else ratio


@numba.njit(nogil=True, inline="always")
def _add_log_rest(c: Any, log_one_plus: Any, factor: float, constant: float, out: Any) -> None:
    """out += factor·(constant + |c| + 2·log(1 + exp(−|c|)))."""
    for k in range(len(out)):
        out[k] += factor * (constant + abs(np.float64(c[k])) + 2 * np.float64(log_one_plus[k]))


@numba.njit(nogil=True, inline="always")
def _norm(a: float, b: float) -> float:
    return np.float64(a) * a + np.float64(b) * b


@numba.njit(nogil=True, inline="always")
def _product(a: float, b: float) -> float:
    return np.float64(a) * b


@numba.njit(nogil=True, inline="always")
def _pull(here: Any, there: Any, g: float, near: float, across: float, out: Any) -> None:
    for k in range(len(out)):
        out[k] += g * (near * here[k] - across * there[k])


@numba.njit(nogil=True, inline="always")
def _pull_by(
    here: Any, there: Any, t: Any, limit: float, g: float, near: float, across: float, out: Any
) -> None:
    for k in range(len(out)):
        rho = limit * t[k]
        out[k] += g * (near * here[k] - across * rho * there[k])
