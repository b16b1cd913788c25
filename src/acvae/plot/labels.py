"""Names on a figure, none on another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

__all__ = ["place_labels"]

PAD = 4.0  # pixels between two names
MOST_TRIED = 20  # candidates for each name that is wanted


def place_labels(
    ax: Axes,
    place: npt.NDArray[Any],
    texts: Sequence[str],
    *,
    count: int | None = None,
    fontsize: float = 7.5,
    **style: Any,
) -> list[Annotation]:
    """Write texts above their places (k, 2), the first first, leaving out what would lie on another.

    Sizes are those of the drawn text, so that the axes must have their limits and the figure its size; at
    most `count` are written. Returns those.
    """
    figure: Any = ax.figure.canvas.figure  # the whole one, also of axes in a part of it
    figure.draw_without_rendering()  # layouts move axes when they are first drawn
    wanted = len(texts) if count is None else count
    frame = ax.get_window_extent()
    taken = np.empty((0, 4))
    written: list[Annotation] = []
    for at, text in list(zip(place, texts, strict=True))[: MOST_TRIED * wanted]:
        if len(written) == wanted:
            break
        label = ax.annotate(
            text,
            (float(at[0]), float(at[1])),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=fontsize,
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.8},
            zorder=3,
            **style,
        )
        box = label.get_window_extent()
        x0, y0, x1, y1 = box.x0 - PAD, box.y0 - PAD, box.x1 + PAD, box.y1 + PAD
        apart = (taken[:, 0] > x1) | (taken[:, 2] < x0) | (taken[:, 1] > y1) | (taken[:, 3] < y0)
        outside = x0 < frame.x0 or x1 > frame.x1 or y0 < frame.y0 or y1 > frame.y1
        if not apart.all() or (outside and written):
            label.remove()
            continue
        taken = np.concatenate([taken, [[x0, y0, x1, y1]]])
        written.append(label)
    return written
