"""Do links that are given a probability of 10% come true in one case of ten?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from acvae._util.checks import is_mapping, optional_text, real_array, whole_number
from acvae._util.intervals import wilson
from acvae.exceptions import InputError
from acvae.plot.style import EDGE_COLOR, PALETTE, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Reliability", "bin_probabilities", "link_reliability"]

FloatArray = npt.NDArray[np.float64]

FIELDS = ("mean_predicted", "fraction", "lower", "upper", "count")
SMALLEST = 1e-12  # a probability below this has no place on a logarithmic axis


class Bins(Protocol):
    """What is drawn: arrays of the same length, one entry a bin of pairs."""

    @property
    def mean_predicted(self) -> npt.ArrayLike: ...
    @property
    def fraction(self) -> npt.ArrayLike: ...
    @property
    def lower(self) -> npt.ArrayLike: ...
    @property
    def upper(self) -> npt.ArrayLike: ...
    @property
    def count(self) -> npt.ArrayLike: ...


@dataclass(frozen=True)
class Reliability:
    """Bins (b,) of pairs by predicted probability."""

    mean_predicted: FloatArray  # mean probability
    fraction: FloatArray  # share that are links
    lower: FloatArray  # 95% interval of that share
    upper: FloatArray
    count: FloatArray  # pairs; where pairs have weights, as many as they stand for


def bin_probabilities(
    predicted: npt.ArrayLike, observed: npt.ArrayLike, weights: npt.ArrayLike | None = None, *, bins: int = 20
) -> Reliability:
    """Bins of equal width in log-odds, of pairs with probabilities (p,), outcomes (p,) and weights (p,).

    A weight is how many pairs one stands for, as when all links but a sample of the others are given. The
    interval of a bin is Wilson's for the pairs that were really there: their effective number
    (Σw)² / Σw² where they have weights. Bins without a pair are left out.
    """
    bins = whole_number("bins", bins, minimum=1)
    p = real_array("predicted", predicted).ravel()
    y = real_array("observed", observed).ravel()
    w = np.ones(len(p)) if weights is None else real_array("weights", weights).ravel()
    if not len(p) == len(y) == len(w) or len(p) == 0:
        raise InputError(
            "probabilities, outcomes and weights must be as many, and at least one, got "
            f"{len(p)}, {len(y)} and {len(w)}."
        )
    if not ((p >= 0) & (p <= 1)).all():
        raise InputError("predicted probabilities must be between 0 and 1.")
    if not np.isin(y, (0.0, 1.0)).all() or not (np.isfinite(w) & (w > 0)).all():
        raise InputError("outcomes must be 0 or 1 and weights positive.")
    inside = np.clip(p, SMALLEST, 1 - SMALLEST)
    odds = np.log(inside) - np.log1p(-inside)
    edges = np.linspace(odds.min(), odds.max(), bins + 1)[1:-1]
    number = np.searchsorted(edges, odds, side="right")
    total = np.bincount(number, w, minlength=bins).astype(np.float64)
    kept = total > 0
    total = total[kept]
    mean = np.bincount(number, w * p, minlength=bins)[kept] / total
    share = np.clip(np.bincount(number, w * y, minlength=bins)[kept] / total, 0, 1)
    effective = total**2 / np.bincount(number, w**2, minlength=bins)[kept]
    lower, upper = wilson(share * effective, effective)
    return Reliability(mean, share, lower, upper, total)


def link_reliability(found: Any, ax: Axes, *, label: str = "pairs of this probability") -> None:
    """The share of links among pairs over the probability they were given, with 95% bands.

    `found` has arrays `mean_predicted`, `fraction`, `lower`, `upper` and `count`, one entry a bin:
    a `Reliability`, as `bin_probabilities` makes of plain arrays, or anything like it; or what
    `evaluate_links` returned, or `scores["calibration"]` of a run: of those the bins that hold nearly all
    links are drawn. Both axes are
    logarithmic, since links are rare. Probabilities that can be relied on lie on the dashed diagonal; dots
    are larger where there are more pairs. A bin without any link is drawn at the upper end of its band,
    hollow.
    """
    found = _evaluated(found)
    optional_text("label", label)
    predicted, fraction, lower, upper, count = (
        np.atleast_1d(real_array(name, getattr(found, name, None))) for name in FIELDS
    )
    if len({len(part) for part in (predicted, fraction, lower, upper, count)}) > 1 or len(predicted) == 0:
        raise InputError(
            "a reliability figure needs as many entries of each of its arrays, and at least one."
        )
    if not (np.isfinite(predicted) & np.isfinite(fraction) & np.isfinite(lower) & np.isfinite(upper)).all():
        raise InputError("a reliability figure needs finite numbers.")
    x = np.clip(predicted, SMALLEST, None)
    floor = min(float(x.min()), float(fraction[fraction > 0].min(initial=1.0))) / 3
    size = 10 + 50 * np.sqrt(count / max(float(count.max()), SMALLEST))
    some = fraction > 0
    ax.plot([floor, 1], [floor, 1], color=EDGE_COLOR, linestyle="--", linewidth=1, label="as predicted")
    ax.fill_between(
        x, np.maximum(lower, floor), np.maximum(upper, floor), color=PALETTE[0], alpha=0.2, linewidth=0
    )
    ax.plot(x[some], fraction[some], color=PALETTE[0], linewidth=1.2)
    ax.scatter(x[some], fraction[some], s=size[some], color=PALETTE[0], zorder=3, label=label)
    if not some.all():
        ax.scatter(
            x[~some], upper[~some], s=size[~some], facecolors="white", edgecolors=PALETTE[0], zorder=3,
            label="no link among them; upper bound",
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(floor, 1.3)
    ax.set_ylim(floor, 1.3)
    ax.set_xlabel("predicted probability of a link")
    ax.set_ylabel("share that are links")
    finish(ax, legend=True)


def _evaluated(found: Any) -> Bins:
    """Bins of an evaluation of links, as it is or as it is stored; anything else as it is."""
    stored = found.as_dict() if hasattr(found, "as_dict") else found
    if not is_mapping(stored):
        return cast(Bins, found)
    try:
        rows = [row for row in stored.get("reliability") or () if row.get("counted")]
        names = ("predicted", "observed", "low", "high", "pairs")
        columns = [np.array([row[name] for row in rows], dtype=np.float64) for name in names]
    except Exception as error:
        raise InputError(f"this is no evaluation of links: {error}") from None
    if not rows:
        raise InputError("there are no bins of probabilities to draw; acvae evaluate RUN makes them.")
    return Reliability(*columns)
