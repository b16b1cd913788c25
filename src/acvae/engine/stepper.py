"""One optimisation step: the objective on a batch, its gradient, Adam."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from acvae._util.threads import one_blas_thread
from acvae.engine.batches import Batch
from acvae.engine.fused import FusedGradient
from acvae.engine.kernels import FlatAdam
from acvae.engine.threads import torch_threads
from acvae.families.problem import Problem

__all__ = ["FIGURES", "Stepper"]

# What a step reports, in the order of its array.
FIGURES = ("elbo", "log_likelihood", "kl", "structure", "regularizer", "mean_correlation")

# Parameters from which on Adam's step on a part follows its gradient at once: fewer stay in the cache anyway.
MANY = 200_000


class Stepper:
    """Takes Adam steps on a problem's networks, in place.

    All parameters are moved into one flat tensor, of which they become views, and so are their gradients:
    a step of a small network costs more in Python than in arithmetic, and Adam then has one tensor to visit
    instead of a dozen. The gradient is the hand-written one where the networks are the standard ones on the
    CPU, and autograd's elsewhere.

    `reduce`, if given, is called with the flat gradient before Adam sees it; `threads` is how many a step
    may use.
    """

    def __init__(
        self,
        problem: Problem,
        learning_rate: float,
        reduce: Callable[[Tensor], None] | None = None,
        *,
        threads: int = 1,
    ) -> None:
        self.problem, self._reduce = problem, reduce
        flat = _flatten([p for p in problem.module.parameters() if p.requires_grad])
        assert flat.grad is not None
        self._gradient = flat.grad
        self._optimizer: FlatAdam | torch.optim.Adam
        self._fused: FusedGradient | None = None
        self._at_once = reduce is None and len(flat) >= MANY
        if problem.device.type == "cpu":
            self._optimizer = FlatAdam(flat.detach(), flat.grad, learning_rate)
            if FusedGradient.fits(problem):
                self._fused = FusedGradient(problem, self._optimizer, threads)
        else:
            self._optimizer = torch.optim.Adam([flat], lr=learning_rate, fused=True)
        self._threads = threads if self._fused is None else 1  # of libraries: the fused gradient has its own

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Around a run of steps: the libraries use as many threads as a step of this size is worth."""
        with torch_threads(self._threads), nullcontext() if self._fused is None else one_blas_thread():
            yield

    def step(self, batch: Batch, noise: Tensor) -> npt.NDArray[np.floating[Any]]:
        """One step; returns the batch's figures before it, named by `FIGURES`."""
        if self._fused is not None and self._at_once:
            return self._fused(batch, noise, learn=True)
        figures = self._autograd(batch, noise) if self._fused is None else self._fused(batch, noise)
        if self._reduce is not None:
            self._reduce(self._gradient)
        self._optimizer.step()
        if isinstance(self._optimizer, torch.optim.Adam):
            self._gradient.zero_()
        return figures

    def _autograd(self, batch: Batch, noise: Tensor) -> npt.NDArray[np.floating[Any]]:
        terms = self.problem.step_terms(batch, noise)
        (-terms.elbo.value).backward()
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
