"""Static figures of training and of scores, with matplotlib; `acvae.plot` has them beside the forest's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import whole_number
from acvae.exceptions import GraphError, InputError
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["curves", "gamma_sweep", "reliability"]

FloatArray = npt.NDArray[np.float64]
History = Sequence[Mapping[str, float]]

Z_95 = 1.959963984540054  # two-sided 95% of a normal
PALETTE = ("#4269d0", "#efb118", "#3ca951", "#ff725c", "#a463f2", "#6cc5b0", "#9c6b4e", "#ff8ab7", "#97bbf5")
SIGNS = "osD^vP*Xh"
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
    named = histories if isinstance(histories, Mapping) else {"": histories}
    drawn = 0
    for number, (name, history) in enumerate(named.items()):
        points = [
            (row.get("epoch", epoch), row[figure])
            for epoch, row in enumerate(history, start=1)
            if figure in row and np.isfinite(row[figure])
        ]
        if points:
            epochs, values = zip(*points, strict=True)
            marker = SIGNS[number % len(SIGNS)] if len(points) < 40 else None
            ax.plot(epochs, values, color=_color(number), marker=marker, markersize=3, label=name or None)
            drawn += 1
    if not drawn:
        known = sorted({key for history in named.values() for row in history for key in row})
        raise InputError(f"no history has the figure {figure!r}; there are {', '.join(known) or 'none'}.")
    ax.set_xlabel("epoch")
    ax.set_ylabel(AXIS_NAMES.get(figure, figure.replace("_", " ")))
    _finish(ax, legend="" not in named)


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
    level = dict(without or {})
    if not scores and not level:
        raise InputError("there are no scores to draw.")
    for number, (name, by_gamma) in enumerate(scores.items()):
        gammas = np.array(sorted(by_gamma), dtype=np.float64)
        if len(gammas) == 0 or not (gammas > 0).all():
            raise InputError(f"γ must be positive on a logarithmic axis, but {name} has {gammas.tolist()}.")
        mean, spread = _mean_and_spread([by_gamma[gamma] for gamma in sorted(by_gamma)])
        sign = SIGNS[number % len(SIGNS)]
        ax.plot(gammas, mean, color=_color(number), marker=sign, markersize=4, label=name)
        ax.fill_between(gammas, mean - spread, mean + spread, color=_color(number), alpha=0.18, linewidth=0)
    for number, (name, values) in enumerate(level.items(), start=len(scores)):
        mean, spread = _mean_and_spread([values])
        ax.axhline(mean[0], color=_color(number), linestyle="--", linewidth=1.2, label=name)
        ax.axhspan(mean[0] - spread[0], mean[0] + spread[0], color=_color(number), alpha=0.1, linewidth=0)
    if scores:
        ax.set_xscale("log")
    ax.set_xlabel("γ")
    ax.set_ylabel(ylabel)
    _finish(ax, legend=True)


def reliability(
    posterior: Posterior,
    train: Graph,
    test: Graph,
    ax: Axes,
    *,
    bins: int = 20,
    sources: int = 500,
    seed: int = 0,
) -> None:
    """How often a pair at a given expected distance is a held-out link.

    All pairs of a vertex with those it was not trained to be linked to, from at most `sources` random
    vertices, fall into bins of equal numbers by distance. Of each is drawn the share that are test links,
    with its 95% interval (Wilson), over the bin's median distance; the dashed line is the share overall.
    Distances that can be relied on give a curve that falls from far above the line to below it.
    """
    bins, sources = whole_number("bins", bins, minimum=2), whole_number("sources", sources, minimum=1)
    distance, hit = _candidate_pairs(posterior, train, test, sources, seed)
    if len(distance) < bins:
        raise InputError(f"there are {len(distance)} candidate pairs, too few for {bins} bins.")
    if not hit.any():
        raise GraphError("no candidate pair is a test link; give a test graph with edges, or more sources.")
    order = np.argsort(distance, kind="stable")
    parts = np.array_split(order, bins)
    middle = np.array([np.median(distance[part]) for part in parts])
    links, pairs = np.array([hit[part].sum() for part in parts]), np.array([len(part) for part in parts])
    share, low, high = links / pairs, *_wilson(links, pairs)
    ax.axhline(hit.mean(), color="#51606f", linestyle="--", linewidth=1, label="all pairs")
    ax.plot(middle, share, color=PALETTE[0], marker="o", markersize=4, label="pairs at this distance")
    ax.fill_between(middle, low, high, color=PALETTE[0], alpha=0.2, linewidth=0)
    ax.set_yscale("symlog", linthresh=float(share[share > 0].min()))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("expected squared distance")
    ax.set_ylabel("share of test links")
    _finish(ax, legend=True)


def _candidate_pairs(
    posterior: Posterior, train: Graph, test: Graph, sources: int, seed: int
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    n = posterior.n_vertices
    if not train.n_vertices == test.n_vertices == n:
        raise GraphError(
            f"the posterior has {n} vertices, the train graph {train.n_vertices}, the test graph "
            f"{test.n_vertices}."
        )
    chosen = np.arange(n)
    if n > sources:
        chosen = np.sort(np.random.default_rng(seed).choice(n, sources, replace=False))
    distances, hits = [], []
    for rows, columns, block in posterior.distance_blocks(chosen):
        position = np.empty(n, dtype=np.int64)
        position[columns] = np.arange(n)
        for row, i in zip(block, rows.tolist(), strict=True):
            candidate, link = np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
            candidate[position[[i, *train.neighbors(i)]]] = False
            link[position[test.neighbors(i)]] = True
            distances.append(row[candidate].astype(np.float64))
            hits.append(link[candidate])
    return np.concatenate(distances), np.concatenate(hits)


def _wilson(hits: npt.NDArray[Any], total: npt.NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """95% interval of a share: the binomial probabilities whose score test does not reject it."""
    share, z2 = hits / total, Z_95**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z_95 / (1 + z2 / total) * np.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    return np.maximum(middle - half, 0), np.minimum(middle + half, 1)


def _mean_and_spread(values: list[Any]) -> tuple[FloatArray, FloatArray]:
    lists = [np.atleast_1d(np.asarray(value, dtype=np.float64)) for value in values]
    mean = np.array([entry.mean() for entry in lists])
    return mean, np.array([entry.std(ddof=1) if len(entry) > 1 else 0.0 for entry in lists])


def _color(number: int) -> str:
    return PALETTE[number % len(PALETTE)]


def _finish(ax: Axes, *, legend: bool) -> None:
    ax.grid(True, color="#d8dde4", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize="small")
