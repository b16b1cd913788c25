"""Scores over the weight γ of the regulariser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import is_mapping, real_array
from acvae._util.text import shown
from acvae.exceptions import InputError
from acvae.plot.style import SIGNS, color, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["gamma_sweep"]

FloatArray = npt.NDArray[np.float64]


def gamma_sweep(
    scores: Mapping[str, Mapping[float, float | Sequence[float]]],
    ax: Axes,
    *,
    ylabel: str = "NCRR, test",
    without: Mapping[str, float | Sequence[float]] | None = None,
) -> None:
    """Scores of methods over γ, on a logarithmic axis: means of repeated runs, with ±1 standard deviation.

    `scores` is method → γ → one score or several; `without`, method → scores of methods that have no γ, is
    drawn as level lines.
    """
    for given in (scores, {} if without is None else without):
        if not is_mapping(given) or not all(isinstance(name, str) for name in given):
            raise InputError(f"scores are a dict from names of methods to scores, not {shown(given)}.")
    level = {} if without is None else dict(without)
    if not scores and not level:
        raise InputError("there are no scores to draw.")
    for number, (name, by_gamma) in enumerate(scores.items()):
        if not is_mapping(by_gamma):
            raise InputError(f"the scores of {name} are a dict from γ to scores, not {shown(by_gamma)}.")
        gammas = np.sort(real_array("γ", list(by_gamma)).ravel())
        if len(gammas) == 0 or not (gammas > 0).all():
            raise InputError(f"γ must be positive on a logarithmic axis, but {name} has {gammas.tolist()}.")
        mean, spread = _mean_and_spread([by_gamma[gamma] for gamma in sorted(by_gamma)])
        sign = SIGNS[number % len(SIGNS)]
        ax.plot(gammas, mean, color=color(number), marker=sign, markersize=4, label=name)
        ax.fill_between(gammas, mean - spread, mean + spread, color=color(number), alpha=0.18, linewidth=0)
    for number, (name, values) in enumerate(level.items(), start=len(scores)):
        mean, spread = _mean_and_spread([values])
        ax.axhline(mean[0], color=color(number), linestyle="--", linewidth=1.2, label=name)
        ax.axhspan(mean[0] - spread[0], mean[0] + spread[0], color=color(number), alpha=0.1, linewidth=0)
    if scores:
        ax.set_xscale("log")
    ax.set_xlabel("γ")
    ax.set_ylabel(ylabel)
    finish(ax, legend=True)


def _mean_and_spread(values: list[Any]) -> tuple[FloatArray, FloatArray]:
    lists = [real_array("scores", value).ravel() for value in values]
    if not all(len(entry) for entry in lists):
        raise InputError("a method without any score cannot be drawn.")
    mean = np.array([entry.mean() for entry in lists])
    return mean, np.array([entry.std(ddof=1) if len(entry) > 1 else 0.0 for entry in lists])
