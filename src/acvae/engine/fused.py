"""The gradient of the ELBO on batches, written out by hand for the standard networks on the CPU.

A step of these networks is a few small matrix products between a hundred small operations, and through
autograd the bookkeeping costs more than the arithmetic. Here the same sums are done by a dozen compiled
kernels and matrix products into buffers that stay (`fused_batch`). The gradient of some of the parameters is
used at once, for Adam's step on them, while it is still in the processor's cache; or, where it must first be
averaged over processes, it is left in the parameters' own `grad`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import torch

from acvae._util.threads import run_tasks
from acvae.engine.batches import Batch
from acvae.engine.fused_batch import ElboOnBatches, FusedBatch, Tasks
from acvae.engine.kernels.adam import FlatAdam
from acvae.engine.workspace import Buffers, Layers
from acvae.nn import Decoder, Encoder, PairEncoder
from acvae.nn.features import DenseFeatures, SparseFeatures

__all__ = ["FusedGradient"]

# What a user may hang on a network to see or change what goes through it.
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


class FusedGradient:
    """Goes down the gradient of −ELBO, or only finds it, batch after batch.

    Parameters, gradients and what Adam knows of them must stay where they are in memory.
    """

    STAGES = ("read", "relate", "couple", "differentiate", "collect")

    def __init__(self, problem: ElboOnBatches, adam: FlatAdam, threads: int = 1) -> None:
        self.problem, self.adam, self._threads = problem, adam, threads
        module = problem.module
        self.encoder = Layers(module.encoder.hidden, module.encoder.output, adam)
        self.decoder = Layers(module.decoder.hidden, module.decoder.output, adam)
        pair_encoder = module.pair_encoder
        self.pairs = None if pair_encoder is None else Layers(pair_encoder, pair_encoder.output, adam)
        self._of_likelihood = [adam.learned(p) for p in module.likelihood.parameters()]
        self.buffers = Buffers(self.encoder.weight.value.dtype)
        self.latent_dim = module.decoder.hidden.weight.shape[0]

    @staticmethod
    def fits(problem: ElboOnBatches) -> bool:
        """Whether this is the gradient of these networks: the standard ones, as they are, on the CPU."""
        module = problem.module
        standard = type(module.encoder) is Encoder and type(module.decoder) is Decoder
        standard &= module.pair_encoder is None or type(module.pair_encoder) is PairEncoder
        hooked = any(getattr(part, name) for part in module.modules() for name in HOOKS)
        hooked |= any(p._backward_hooks for p in module.parameters())
        trained = all(p.requires_grad and p.is_contiguous() for p in module.parameters())
        known = isinstance(problem.features, (SparseFeatures, DenseFeatures))
        return problem.device.type == "cpu" and standard and known and trained and not hooked

    @torch.no_grad()
    def __call__(self, batch: Batch, learn: bool = False) -> npt.NDArray[np.float64]:
        """The batch's figures before the step: the ELBO's terms, and the mean correlation of the edges.

        With `learn` Adam takes its step; without, the gradient is in the parameters' `grad`, where it
        replaces what was there (and is added to the likelihood's own, if that has parameters).
        """
        with np.errstate(all="ignore"):  # an objective that blows up is found out after the epoch
            work = FusedBatch(self, batch, learn)
            for stage in self.STAGES:
                self.run(getattr(work, stage)())
        if learn:
            for part in self._of_likelihood:
                self.adam.update(part)
                part.gradient[...] = 0
        return work.figures()

    def run(self, tasks: Tasks) -> None:
        """Do all tasks of a stage."""
        if self._threads > 1:
            tasks = [partial(_quietly, task) for task in tasks]
        run_tasks(tasks, self._threads)


def _quietly(task: Callable[[int], None], slot: int) -> None:
    """What NumPy is to warn of is a setting of each thread."""
    with np.errstate(all="ignore"):
        task(slot)
