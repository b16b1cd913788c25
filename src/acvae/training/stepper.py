"""One optimisation step: the objective on a batch, its gradient, Adam."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from acvae.kernels import FlatAdam
from acvae.training.batches import Batch
from acvae.training.problem import Problem

__all__ = ["FIGURES", "Stepper"]

# What a step reports, in the order of its array.
FIGURES = ("elbo", "log_likelihood", "kl", "structure", "regularizer", "mean_correlation")


class Stepper:
    """Takes Adam steps on a problem's networks, in place.

    All parameters are moved into one flat tensor, of which they become views, and so are their gradients:
    a step of a small network costs more in Python than in arithmetic, and Adam then has one tensor to visit
    instead of a dozen.
    """

    def __init__(self, problem: Problem, learning_rate: float) -> None:
        self.problem = problem
        flat = _flatten([p for p in problem.module.parameters() if p.requires_grad])
        assert flat.grad is not None
        self._gradient = flat.grad
        self._optimizer: FlatAdam | torch.optim.Adam
        if problem.device.type == "cpu":
            self._optimizer = FlatAdam(flat.detach(), flat.grad, learning_rate)
        else:
            self._optimizer = torch.optim.Adam([flat], lr=learning_rate, fused=True)

    def step(self, batch: Batch, noise: Tensor) -> npt.NDArray[np.float32]:
        """One step; returns the batch's figures before it, named by `FIGURES`."""
        terms = self.problem.step_terms(batch, noise)
        (-terms.elbo.value).backward()
        self._optimizer.step()
        if isinstance(self._optimizer, torch.optim.Adam):
            self._gradient.zero_()
        return torch.stack([*terms.elbo, terms.mean_correlation]).detach().cpu().numpy()


def _flatten(parameters: list[nn.Parameter]) -> nn.Parameter:
    """One tensor with all parameters' values; they and their gradients become views of it and of its own."""
    flat = nn.Parameter(torch.cat([p.detach().reshape(-1) for p in parameters]))
    flat.grad = torch.zeros_like(flat)
    start = 0
    for p in parameters:
        part = slice(start, start + p.numel())
        p.data = flat.detach()[part].view_as(p)
        p.grad = flat.grad[part].view_as(p)
        start += p.numel()
    return flat
