"""What all figures have in common: colours, grid, and axes without a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EDGE_COLOR", "PALETTE", "SIGNS", "bare", "color", "finish"]

EDGE_COLOR = "#51606f"
PALETTE = ("#4269d0", "#efb118", "#3ca951", "#ff725c", "#a463f2", "#6cc5b0", "#9c6b4e", "#ff8ab7", "#97bbf5")
SIGNS = "osD^vP*Xh"


def color(number: int) -> str:
    """The colour of the series of that number."""
    return PALETTE[number % len(PALETTE)]


def finish(ax: Axes, *, legend: bool) -> None:
    """A quiet grid and no frame; a legend if it is asked for."""
    ax.grid(True, color="#d8dde4", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize="small")


def bare(ax: Axes) -> None:
    """Nothing but what is drawn, at the same scale both ways."""
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_aspect("equal", adjustable="datalim")
    for side in ax.spines.values():
        side.set_visible(False)
