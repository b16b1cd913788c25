"""One optimisation step: the objective on a batch, its gradient, Adam.

The gradient is autograd's, unless the family declares a compiled one for its own objective:

    def compiled_step(self, adam, threads):   # an object to be called with (batch, learn), or None
        ...

A declaration holds for the objective it was written beside. A subclass that says something else in
`objective` without a `compiled_step` of its own goes through autograd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from acvae._util.overrides import written_beside
from acvae._util.threads import one_blas_thread
from acvae.engine.kernels import FlatAdam
from acvae.engine.threads import torch_threads

__all__ = ["CompiledStep", "Stepper", "Terms", "Trainable", "declared_step"]

# Parameters from which on Adam's step on a part follows its gradient at once: fewer stay in the cache anyway.
MANY = 200_000

FloatArray = npt.NDArray[np.floating[Any]]


class Terms(NamedTuple):
    """The objective on a batch (a scalar to be made larger), and what to report of it, in a fixed order."""

    value: Tensor
    figures: tuple[Tensor, ...]


class CompiledStep(Protocol):
    """The gradient of an objective, written out by hand."""

    def __call__(self, batch: Any, learn: bool = False) -> FloatArray:
        """The batch's figures before the step. With `learn` Adam takes its step; without, the gradient is
        in the parameters' `grad`.
        """


class Trainable(Protocol):
    """What a step needs to know of a family."""

    @property
    def module(self) -> nn.Module: ...

    @property
    def device(self) -> torch.device: ...

    def objective(self, batch: Any) -> Terms:
        """The objective on a batch."""


class Stepper:
    """Takes Adam steps on a family's networks, in place.

    All parameters are moved into one flat tensor, of which they become views, and so are their gradients:
    a step of a small network costs more in Python than in arithmetic, and Adam then has one tensor to visit
    instead of a dozen.

    `reduce`, if given, is called with the flat gradient before Adam sees it; `threads` is how many a step
    may use.
    """

    def __init__(
        self,
        family: Trainable,
        learning_rate: float,
        reduce: Callable[[Tensor], None] | None = None,
        *,
        threads: int = 1,
    ) -> None:
        self.family, self._reduce = family, reduce
        flat = _flatten([p for p in family.module.parameters() if p.requires_grad])
        assert flat.grad is not None
        self._gradient = flat.grad
        self.optimizer: FlatAdam | torch.optim.Adam
        self.compiled: CompiledStep | None = None
        self._at_once = reduce is None and len(flat) >= MANY
        if family.device.type == "cpu":
            self.optimizer = FlatAdam(flat.detach(), flat.grad, learning_rate)
            self.compiled = declared_step(family, self.optimizer, threads)
        else:
            self.optimizer = torch.optim.Adam([flat], lr=learning_rate, fused=True)
        self._threads = threads if self.compiled is None else 1  # of libraries: a compiled step has its own

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Around a run of steps: the libraries use as many threads as a step of this size is worth."""
        with torch_threads(self._threads), nullcontext() if self.compiled is None else one_blas_thread():
            yield

    def step(self, batch: Any) -> FloatArray:
        """One step; returns the batch's figures before it, named by the family's `figures`."""
        if self.compiled is not None and self._at_once:
            return self.compiled(batch, learn=True)
        figures = self.by_autograd(batch) if self.compiled is None else self.compiled(batch)
        if self._reduce is not None:
            self._reduce(self._gradient)
        self.optimizer.step()
        if isinstance(self.optimizer, torch.optim.Adam):
            self._gradient.zero_()
        return figures

    def by_autograd(self, batch: Any) -> FloatArray:
        """The gradient of minus the objective, added to the parameters' `grad`; returns the figures."""
        terms = self.family.objective(batch)
        (-terms.value).backward()
        return torch.stack(terms.figures).detach().cpu().numpy()


def declared_step(family: Any, adam: FlatAdam, threads: int) -> CompiledStep | None:
    """The compiled step that a family declares for the objective it has, if any."""
    if not written_beside(family, "compiled_step", "objective"):
        return None  # another objective than the one a compiled step further up was written for
    step: CompiledStep | None = family.compiled_step(adam, threads)
    return step


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
