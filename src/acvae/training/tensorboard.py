"""TensorBoard: the figures of every epoch as curves, for those who watch training there."""

from __future__ import annotations

import math
from os import PathLike
from typing import Any

from acvae._util.checks import as_path, optional_import, whole_number
from acvae.training.loop import EpochState

__all__ = ["TensorBoard"]


class TensorBoard:
    """Callback that logs an epoch's figures: `model.fit(…, callbacks=[TensorBoard("runs/first")])`.

    Every row of `history_` becomes points of the curves `train/elbo`, `train/kl`, …; figures that are not
    finite are left out. Callbacks run in the order given, so put it after those whose figures it is to show.
    Needs the package tensorboard, and says so when it is made, not after the first epoch.

    Parameters
    ----------
    folder
        Where the log goes; one folder per run.
    every
        Epochs between points; the last epoch is always written.
    prefix
        Put before the names of the figures.
    """

    def __init__(self, folder: str | PathLike[str], every: int = 1, *, prefix: str = "train/") -> None:
        self.every, self.prefix = whole_number("every", every, minimum=1), prefix
        folder = as_path("folder", folder)
        optional_import("tensorboard", needed_for="logging to TensorBoard", install="tensorboard")
        from torch.utils.tensorboard import SummaryWriter

        self._writer: Any = SummaryWriter(str(folder))

    def __call__(self, state: EpochState) -> None:
        if state.world.rank:  # the first process writes for all
            return
        last = state.epoch == state.epochs
        if state.epoch % self.every == 0 or last:
            for name, value in state.figures.items():
                if name != "epoch" and math.isfinite(value):
                    self._writer.add_scalar(self.prefix + name, value, state.epoch)
        if last:
            self._writer.flush()

    def close(self) -> None:
        """Close the log; it is flushed after the last epoch all the same."""
        self._writer.close()
