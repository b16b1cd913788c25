"""Family: what training asks of a model, whatever it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch

from acvae._util.overrides import written_beside
from acvae.engine.distributed import ALONE, World
from acvae.engine.step import Terms
from acvae.exceptions import TrainingError
from acvae.gaussian.posterior import Posterior

__all__ = ["Family", "FamilyState", "Terms", "check_family"]


class FamilyState(NamedTuple):
    """What changes in a family while it is trained, apart from its networks: arrays and plain values."""

    arrays: dict[str, npt.NDArray[Any]]
    values: dict[str, Any]


class Family(Protocol):
    """A model that is trained by gradient steps, with something to do between epochs.

    A family may also *declare* a compiled step for its own objective (`acvae.engine.step`); without one,
    autograd differentiates `objective`.
    """

    @property
    def name(self) -> str:
        """Beside the progress bar, and in checkpoints."""

    @property
    def module(self) -> torch.nn.Module:
        """All that is learnt by gradients."""

    @property
    def device(self) -> torch.device:
        """Where the networks are."""

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of what `objective` reports; the first is the objective's own value, `elbo`."""

    @property
    def size(self) -> int:
        """How many things an epoch passes over, and processes can share."""

    @property
    def same_order(self) -> bool:
        """Whether processes draw one order of batches and each takes its part of it, or each its own."""

    @property
    def threads(self) -> int:
        """Threads of PyTorch that a step is worth."""

    def identity(self) -> dict[str, Any]:
        """Options and sizes that must be the same for a checkpoint to be gone on from; plain values."""

    def batches(
        self, rng: np.random.Generator, noise: torch.Generator, world: World = ALONE
    ) -> Iterable[Any]:
        """One epoch. All that is random in a step is in its batch."""

    def objective(self, batch: Any) -> Terms:
        """The objective on a batch, to be made larger, and the figures to report."""

    def after_epoch(self, world: World = ALONE) -> dict[str, float]:
        """What follows an epoch of steps; returns figures for the history."""

    def elbo(self, world: World = ALONE) -> float:
        """The objective over the whole training data, comparable from epoch to epoch."""

    def posterior(self, world: World = ALONE, *, pairwise: bool = False) -> Posterior:
        """The posterior as it is now; `pairwise` asks for the pair network's, without a joint.

        Every process of a world has to ask at once, and each is given the whole.
        """

    def display(self, figures: dict[str, float]) -> dict[str, str]:
        """What of an epoch's figures stands beside the progress bar."""

    def state(self) -> FamilyState:
        """All that `restore` needs, apart from the networks."""

    def restore(self, state: FamilyState) -> None:
        """Go back to a state."""


MEMBERS = (
    *("name", "module", "device", "figures", "size", "same_order", "threads", "identity"),
    *("batches", "objective", "after_epoch", "elbo", "posterior", "display"),
)


def check_family(family: Any, *, stored: bool) -> None:
    """Refuse before training what would fail, or be lost, after it; `stored` asks for a state to store."""
    name = type(family).__name__
    missing = [member for member in MEMBERS if not hasattr(family, member)]
    if missing:
        raise TrainingError(f"{name} is not a family: it has no {', '.join(missing)}.")
    if not stored:
        return
    missing = [member for member in ("state", "restore") if not hasattr(family, member)]
    if missing:
        raise TrainingError(
            f"{name} has no {' and '.join(missing)}, so a checkpoint would lose what changes in it; define "
            "both (see acvae.families.Family), or train without a checkpoint."
        )
    # What changes after an epoch is what a state is for: an inherited one does not know of it.
    if not all(written_beside(family, member, "after_epoch") for member in ("state", "restore")):
        raise TrainingError(
            f"{name} has an after_epoch of its own and inherits state and restore, so a checkpoint may lose "
            "what changes in it; define both beside it (returning super().state() if that is all), or train "
            "without a checkpoint."
        )
