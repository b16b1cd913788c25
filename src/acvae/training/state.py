"""What a callback may ask after an epoch, whatever the model that is being trained."""

from collections.abc import Callable
from typing import Protocol

from acvae.engine.distributed import World
from acvae.gaussian.posterior import Posterior

__all__ = ["StateCallback", "TrainingState"]


class TrainingState(Protocol):
    """The face that `EpochState` shows, and that models with a training loop of their own show too."""

    @property
    def epoch(self) -> int:
        """Epochs done, from 1."""

    @property
    def epochs(self) -> int:
        """Epochs in all."""

    @property
    def figures(self) -> dict[str, float]:
        """This epoch's row of the history, with `kl` and `mean_correlation`, NaN where a model has none."""

    @property
    def world(self) -> World:
        """The process among those that train together, each of which calls its callbacks."""

    def elbo(self) -> float:
        """The objective over the whole training data, larger is better, comparable from epoch to epoch."""

    def posterior(self, pairwise: bool = False) -> Posterior:
        """The posterior as it is now."""


StateCallback = Callable[[TrainingState], dict[str, float] | None]
