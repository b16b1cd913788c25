"""The alternating algorithm: gradient steps over an epoch of the edges, then one update of the weights."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from acvae._util.progress import Progress
from acvae._util.seeds import stream_seed
from acvae.engine.batches import Batch, BatchSizes, edge_batches, vertex_batches
from acvae.engine.distributed import ALONE, World
from acvae.engine.stepper import FIGURES, Stepper
from acvae.engine.threads import step_threads
from acvae.exceptions import OptionError, TrainingError
from acvae.families import inference
from acvae.families.prior import Prior
from acvae.families.problem import Problem
from acvae.gaussian.posterior import Posterior
from acvae.training.checkpoint import Checkpoint, Keeper, Parts

__all__ = ["Callback", "EpochState", "Plan", "train"]

History = list[dict[str, float]]


@dataclass(frozen=True)
class Plan:
    """How to optimise."""

    epochs: int
    learning_rate: float = 1e-3
    batch_sizes: BatchSizes = field(default_factory=BatchSizes)
    seed: int = 0
    progress: bool = True
    label: str = "training"


@dataclass(frozen=True)
class EpochState:
    """What a callback sees after an epoch: where training stands, and the model as it is now."""

    epoch: int
    epochs: int
    figures: dict[str, float]
    problem: Problem
    prior: Prior | None
    world: World = ALONE

    def elbo(self) -> float:
        """ELBO per vertex over the whole training data, comparable from epoch to epoch."""
        return self.problem.full_elbo(None if self.prior is None else self.prior.weights, world=self.world)

    def posterior(self, pairwise: bool = False) -> Posterior:
        """The posterior as it is now; `pairwise` asks for the pair network's, without a joint."""
        if pairwise:
            return inference.pairwise_posterior(self.problem)
        return inference.posterior(self.problem, self.prior, self.world)


# Called after each epoch; what it returns is added to the epoch's row of the history.
Callback = Callable[[EpochState], dict[str, float] | None]


def train(
    problem: Problem,
    prior: Prior | None,
    plan: Plan,
    callbacks: Sequence[Callback] = (),
    checkpoint: Checkpoint | None = None,
    world: World = ALONE,
) -> History:
    """Train in place and return one row of figures per epoch.

    An epoch is one pass over the edges (over the vertices when there is no graph). After it the edge masses
    are computed and an adaptive prior takes one soft step. With a checkpoint, training goes on from the file
    if there is one, and ends with the same bits as without a stop.

    In a world of several processes each makes batches of its own share of the edges, and all take the same
    steps, with the mean of their gradients.
    """
    with world:
        return _train(problem, prior, plan, callbacks, checkpoint, world)


def _train(
    problem: Problem,
    prior: Prior | None,
    plan: Plan,
    callbacks: Sequence[Callback],
    checkpoint: Checkpoint | None,
    world: World,
) -> History:
    rng = np.random.default_rng(stream_seed(plan.seed, "batches"))
    noise = torch.Generator(device=problem.device).manual_seed(stream_seed(plan.seed, "noise"))
    options = _identity(problem, prior, plan, world)
    average = None
    if world.size > 1:
        _agree(problem, options, world)
        average = world.average
    threads = step_threads(problem.module, plan.batch_sizes, problem.features.row_size)
    stepper = Stepper(problem, plan.learning_rate, average, threads=threads)
    latent_dim = problem.module.decoder.hidden.weight.shape[0]
    history: History = []
    keeper = None
    if checkpoint is not None:
        parts = Parts(problem.module, stepper._optimizer, rng, history, options, noise, prior)
        keeper = Keeper(checkpoint, parts, world)
    done = len(history)
    shown = Progress(plan.epochs, plan.label, show=plan.progress and world.rank == 0, done=done)
    with shown as progress, keeper or nullcontext():
        for epoch in range(done + 1, plan.epochs + 1):
            started = time.perf_counter()
            totals = np.zeros(len(FIGURES))
            count = 0
            if world.size > 1:
                _draw_anew(rng, noise, plan.seed, epoch, world, same_order=prior is None)
            with stepper.at_work():
                for batch in _epoch_batches(problem, prior, plan.batch_sizes, rng, world):
                    eps = torch.randn((batch.n_own, latent_dim), generator=noise, device=problem.device)
                    totals += stepper.step(_to_device(batch, problem.device), eps)
                    count += 1
                    if keeper is not None:
                        keeper.check_interrupt()
            seconds = time.perf_counter() - started
            means = world.total(totals / max(count, 1)) / world.size
            figures = _summarise(epoch, means, count, seconds)
            _check_finite(figures)
            if prior is not None:
                if prior.adaptive:
                    assert problem.graph is not None
                    masses = problem.edge_masses(world.share(problem.graph.n_edges).own)
                    prior.update(masses, world)
                figures["settled"] = prior.settled
            state = EpochState(epoch, plan.epochs, figures, problem, prior, world)
            for callback in callbacks:
                figures.update(callback(state) or {})
            history.append(figures)
            if keeper is not None:
                keeper.after_epoch(last=epoch == plan.epochs)
            progress.advance(**_display(figures, problem))
    return history


def _identity(problem: Problem, prior: Prior | None, plan: Plan, world: World) -> dict[str, Any]:
    """What a checkpoint must have been made with to be gone on from."""
    return {
        "model": plan.label,
        "processes": world.size,
        "epochs": plan.epochs,
        "learning_rate": plan.learning_rate,
        "batch_sizes": list(plan.batch_sizes),
        "seed": plan.seed,
        "tau": problem.tau,
        "gamma": problem.gamma,
        "weight_step": getattr(prior, "step_size", None),
        "likelihood": type(problem.module.likelihood).__name__,
        "n_vertices": problem.n_vertices,
        "n_edges": None if problem.graph is None else problem.graph.n_edges,
    }


def _agree(problem: Problem, options: dict[str, Any], world: World) -> None:
    """All processes train the same model on the same data, from the same parameters to the bit."""
    wanted = world.from_first(options)
    differ = [name for name in options if options[name] != wanted[name]]
    if differ:
        raise OptionError(
            f"process {world.rank} of {world.size} was started with {differ[0]}={options[differ[0]]!r}, the "
            f"first with {wanted[differ[0]]!r}; all must be given the same model and data."
        )
    things = problem.n_vertices if problem.graph is None else problem.graph.n_edges
    if things < world.size:
        raise OptionError(f"{world.size} processes cannot share {things} edges or vertices; start fewer.")
    state = {name: tensor.cpu() for name, tensor in problem.module.state_dict().items()}
    problem.module.load_state_dict(world.from_first(state))


def _draw_anew(
    rng: np.random.Generator, noise: torch.Generator, seed: int, epoch: int, world: World, same_order: bool
) -> None:
    """Streams of an epoch's own, different in each process; so a checkpoint holds for all of them.

    `same_order` gives all processes the same order of batches.
    """
    numbers = (epoch, world.rank + 1)
    order = stream_seed(seed, "batches", epoch) if same_order else stream_seed(seed, "batches", *numbers)
    rng.bit_generator.state = np.random.default_rng(order).bit_generator.state
    noise.manual_seed(stream_seed(seed, "noise", *numbers))


def _epoch_batches(
    problem: Problem, prior: Prior | None, sizes: BatchSizes, rng: np.random.Generator, world: World
) -> Iterable[Batch]:
    if problem.graph is None or prior is None:
        return vertex_batches(problem.n_vertices, sizes, rng, world.share(problem.n_vertices))
    share = world.share(problem.graph.n_edges)
    return edge_batches(problem.graph, prior.weights, sizes, rng, problem.draws_pairs, share)


def _to_device(batch: Batch, device: torch.device) -> Batch:
    if device.type == "cpu":
        return batch
    rows, n_own, n_encoded, *tensors = batch
    return Batch(rows.to(device), n_own, n_encoded, *(x.to(device) for x in tensors))


def _summarise(epoch: int, means: Any, steps: int, seconds: float) -> dict[str, float]:
    figures: dict[str, float] = {"epoch": epoch, "steps": steps, "seconds": seconds}
    figures.update({name: float(value) for name, value in zip(FIGURES, means, strict=True)})
    return figures


def _check_finite(figures: dict[str, float]) -> None:
    if not np.isfinite(figures["elbo"]):
        raise TrainingError(
            f"the objective became {figures['elbo']} in epoch {figures['epoch']:.0f}; "
            "use a smaller learning_rate, or rescale the features."
        )


def _display(figures: dict[str, float], problem: Problem) -> dict[str, str]:
    shown = {"ELBO": f"{figures['elbo']:.2f}", "KL": f"{figures['kl']:.3g}"}
    if problem.graph is not None:
        if problem.module.pair_encoder is not None:
            shown["mean ρ"] = f"{figures['mean_correlation']:.3f}"
        shown["settled"] = f"{figures['settled']:.0%}"
        shown["edges/s"] = f"{problem.graph.n_edges / figures['seconds']:,.0f}"
    return shown
