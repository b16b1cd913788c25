"""A training whose numbers are no longer finite: at which step, in which term, and what is left of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from acvae._util.options import option
from acvae.exceptions import TrainingError

__all__ = ["broken_parameters", "broken_terms", "diverged"]


def broken_terms(names: Sequence[str], figures: npt.NDArray[np.floating]) -> str:
    """The terms of the objective that are not finite, as "kl = nan", or an empty text."""
    return ", ".join(
        f"{name} = {value}"
        for name, value in zip(names, figures.tolist(), strict=True)
        if not np.isfinite(value)
    )


def broken_parameters(module: torch.nn.Module) -> str:
    """The first parameters that are not finite, as "parameters encoder.weight = nan", or an empty text."""
    for name, parameter in module.named_parameters():
        values = parameter.detach()
        if not torch.isfinite(values).all():
            return f"parameters {name} = {values[~torch.isfinite(values)][0].item()}"
    return ""


def diverged(family: str, epoch: int, step: int, what: str, kept: str | None) -> TrainingError:
    """The error that tells it; `kept` says where the last good state is stored."""
    left = "nothing was stored: fit(…, checkpoint=Checkpoint(path)) would" if kept is None else kept
    return TrainingError(
        f"the objective of {family} became useless in step {step:,} of epoch {epoch} ({what}); use a "
        f"smaller {option('learning_rate')}, or rescale the features. Of the epochs before, {left}."
    )
