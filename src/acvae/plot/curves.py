"""Training curves: one figure of the history over the epochs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from acvae._util.checks import as_list, is_mapping
from acvae._util.text import shown
from acvae.exceptions import InputError, OptionError
from acvae.plot.style import SIGNS, color, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["curves"]

History = Sequence[Mapping[str, float]]

AXIS_NAMES = {
    "elbo": "ELBO",
    "kl": "KL divergence",
    "settled": "share of settled weights",
    "test_ncrr": "NCRR, test",
    "train_ncrr": "NCRR, train",
    "mean_correlation": "mean correlation",
}


def curves(histories: History | Mapping[str, History], ax: Axes, *, figure: str = "elbo") -> None:
    """One figure of the training over the epochs: of one `model.history_`, or of several by name.

    Figures that are not measured every epoch are drawn where they are; a history without it is left out.
    """
    named: Any = histories if is_mapping(histories) else {"": histories}
    rows = {name: as_list("a history", history) for name, history in named.items()}
    if not all(is_mapping(row) for history in rows.values() for row in history):
        raise InputError(f"a history is a list of dicts, as model.history_ is, not {shown(histories)}.")
    if not isinstance(figure, str):
        raise OptionError(f"figure must be the name of a figure, not {shown(figure)}.")
    drawn = 0
    for number, (name, history) in enumerate(rows.items()):
        points = [
            (row.get("epoch", epoch), row[figure])
            for epoch, row in enumerate(history, start=1)
            if isinstance(row.get(figure), (int, float, np.number)) and np.isfinite(row[figure])
        ]
        if points:
            epochs, values = zip(*points, strict=True)
            marker = SIGNS[number % len(SIGNS)] if len(points) < 40 else None
            ax.plot(epochs, values, color=color(number), marker=marker, markersize=3, label=name or None)
            drawn += 1
    if not drawn:
        known = sorted({str(key) for history in rows.values() for row in history for key in row})
        raise InputError(
            f"no history has the figure {shown(figure)}; there are {', '.join(known) or 'none'}."
        )
    ax.set_xlabel("epoch")
    ax.set_ylabel(AXIS_NAMES.get(figure, figure.replace("_", " ")))
    finish(ax, legend="" not in named)
