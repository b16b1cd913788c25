"""The loop: gradient steps over an epoch, then whatever the family does between epochs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from acvae._util.checks import as_list, called, instance, is_mapping
from acvae._util.progress import Progress, Waiting
from acvae._util.seeds import stream_seed
from acvae._util.text import shown
from acvae.engine.distributed import ALONE, World
from acvae.engine.step import Stepper
from acvae.exceptions import OptionError, TrainingError
from acvae.families.base import Family, check_family
from acvae.gaussian.posterior import Posterior
from acvae.training.checkpoint import Checkpoint, Keeper, TrainingParts
from acvae.training.divergence import broken_parameters, broken_terms, diverged

__all__ = ["Callback", "EpochState", "Plan", "train"]

History = list[dict[str, float]]


@dataclass(frozen=True)
class Plan:
    """How to optimise."""

    epochs: int
    learning_rate: float = 1e-3
    seed: int = 0
    progress: bool = True


@dataclass(frozen=True)
class EpochState:
    """What a callback sees after an epoch: where training stands, and the model as it is now.

    `figures` is this epoch's row of the history; what a model does not have is not in it.
    """

    epoch: int
    epochs: int
    figures: dict[str, float]
    family: Family
    world: World = ALONE

    def elbo(self) -> float:
        """The objective over the whole training data, larger is better, comparable from epoch to epoch."""
        return self.family.elbo(self.world)

    def posterior(self, pairwise: bool = False) -> Posterior:
        """The posterior as it is now; `pairwise` asks for the pair network's, without a joint."""
        return self.family.posterior(self.world, pairwise=pairwise)


# Called after each epoch; what it returns is added to the epoch's row of the history.
Callback = Callable[[EpochState], dict[str, float] | None]


def train(
    family: Family,
    plan: Plan,
    callbacks: Sequence[Callback] = (),
    checkpoint: Checkpoint | None = None,
    world: World = ALONE,
) -> History:
    """Train in place and return one row of figures per epoch.

    An epoch is one pass over the family's batches, and what the family does after it. With a checkpoint,
    training goes on from the file if there is one, and ends with the same bits as without a stop.

    In a world of several processes each makes batches of its own share, and all take the same steps, with
    the mean of their gradients.
    """
    check_family(family, stored=checkpoint is not None)
    callbacks = check_callbacks(callbacks)
    if checkpoint is not None:
        instance("checkpoint", checkpoint, Checkpoint, OptionError)
    with world:
        return _train(family, plan, callbacks, checkpoint, world)


def _train(
    family: Family,
    plan: Plan,
    callbacks: Sequence[Callback],
    checkpoint: Checkpoint | None,
    world: World,
) -> History:
    rng = np.random.default_rng(stream_seed(plan.seed, "batches"))
    noise = torch.Generator(device=family.device).manual_seed(stream_seed(plan.seed, "noise"))
    options = _identity(family, plan, world)
    if world.size > 1:
        _agree(family, options, world)
    reduce = world.average if world.size > 1 else None
    stepper = Stepper(family, plan.learning_rate, reduce, threads=family.threads)
    history: History = []
    keeper = None
    if checkpoint is not None:
        keeper = Keeper(
            checkpoint, TrainingParts(family, stepper.optimizer, rng, noise, history, options), world
        )
    done, updating = len(history), 0.0  # seconds that the last update after an epoch took
    shown = Progress(plan.epochs, family.name, show=plan.progress and world.rank == 0, done=done)
    with shown as progress, keeper or nullcontext():
        for epoch in range(done + 1, plan.epochs + 1):
            if world.size > 1:
                _draw_anew(rng, noise, plan.seed, epoch, world, same_order=family.same_order)
            steps = int(history[-1]["steps"]) if history else 0
            figures = _epoch(epoch, family, stepper, rng, noise, world, keeper, progress, steps)
            started = time.perf_counter()
            what = f"{family.name}: weights after epoch {epoch}"
            with Waiting(what, expected=updating, show=plan.progress and world.rank == 0):
                figures.update(family.after_epoch(world))
            updating = time.perf_counter() - started
            state = EpochState(epoch, plan.epochs, figures, family, world)
            for callback in callbacks:
                figures.update(_called_back(callback, state))
            history.append(figures)
            if keeper is not None:
                keeper.after_epoch(last=epoch == plan.epochs)
            progress.advance(**family.display(figures))
    return history


def check_callbacks(callbacks: Any) -> list[Callback]:
    """A list of what can be called, before any time is spent."""
    given = as_list("callbacks", callbacks, OptionError)
    for callback in given:
        if not callable(callback) or isinstance(callback, type):
            raise OptionError(
                f"a callback is called with an EpochState after each epoch, and {called(callback)} cannot be."
            )
    return given


def _called_back(callback: Callback, state: EpochState) -> dict[str, float]:
    """What it adds to the history. Its own errors come out as they are, with a word on where they were."""
    try:
        added = callback(state)
    except Exception as error:
        error.add_note(f"raised by the callback {shown(callback)} after epoch {state.epoch}")
        raise
    if added is None:
        return {}
    if not is_mapping(added) or not all(
        isinstance(name, str) and isinstance(value, (int, float, np.number)) for name, value in added.items()
    ):
        raise OptionError(
            f"a callback returns None or a dict from names to numbers, for the history, not {shown(added)}."
        )
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in added.items()}


def _epoch(
    epoch: int,
    family: Family,
    stepper: Stepper,
    rng: np.random.Generator,
    noise: torch.Generator,
    world: World,
    keeper: Keeper | None,
    progress: Progress,
    expected: int,
) -> dict[str, float]:
    """One pass of steps, and the means of what they report; `expected` is how many there were before."""
    started = time.perf_counter()
    totals = np.zeros(len(family.figures))
    steps = 0
    first_broken: tuple[int, str] | None = None
    with stepper.at_work():
        for batch in family.batches(rng, noise, world):
            figures = stepper.step(batch)
            if figures.shape != totals.shape:
                raise TrainingError(
                    f"{family.name} reports {figures.size} figures and names {len(totals)} "
                    f"({', '.join(family.figures)}); `objective` and `figures` must agree."
                )
            totals += figures
            steps += 1
            if not (first_broken or np.isfinite(figures).all()):
                first_broken = (steps, broken_terms(family.figures, figures))
                if world.size == 1:  # several go on to the end of the epoch, and stop together
                    break
            progress.doing(f"step {steps:,} of the next", min(steps / expected, 1.0) if expected else 0.0)
            if keeper is not None:
                keeper.check_interrupt()
    seconds = time.perf_counter() - started
    means = world.total(totals / max(steps, 1)) / world.size
    named = {name: float(value) for name, value in zip(family.figures, means, strict=True)}
    at, what = first_broken or (
        steps,
        broken_terms(family.figures, means) or broken_parameters(family.module),
    )
    if what:
        raise diverged(family.name, epoch, at, what, None if keeper is None else keeper.last_stored())
    return {"epoch": epoch, "steps": steps, "seconds": seconds, **named}


def _identity(family: Family, plan: Plan, world: World) -> dict[str, Any]:
    """What a checkpoint must have been made with to be gone on from."""
    return {
        "model": family.name,
        "processes": world.size,
        "epochs": plan.epochs,
        "learning_rate": plan.learning_rate,
        "seed": plan.seed,
        **family.identity(),
    }


def _agree(family: Family, options: dict[str, Any], world: World) -> None:
    """All processes train the same model on the same data, from the same parameters to the bit."""
    wanted = world.from_first(options)
    differ = [name for name in options if options[name] != wanted.get(name)]
    if differ:
        raise OptionError(
            f"process {world.rank} of {world.size} was started with {differ[0]}={options[differ[0]]!r}, the "
            f"first with {wanted.get(differ[0])!r}; all must be given the same model and data."
        )
    if family.size < world.size:
        raise OptionError(
            f"{world.size} processes cannot share {family.size} edges or vertices; start fewer."
        )
    state = {name: tensor.cpu() for name, tensor in family.module.state_dict().items()}
    family.module.load_state_dict(world.from_first(state))


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
