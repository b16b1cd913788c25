"""Figure 1: what the learnt forests look like, empirical Bayes and saddle point side by side."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.exceptions import OptionError, TrainingError
from acvae.gaussian.posterior import Posterior
from acvae.plot.trees import largest_tree
from acvae.reproduce.config import Experiment
from acvae.reproduce.pool import run_in_processes
from acvae.reproduce.spec import RunSpec, gamma_text

__all__ = ["draw", "readable_part"]

TITLES = {"acvae-eb": "Empirical Bayes", "acvae-sp": "Saddle point"}
FORMATS = ("png", "pdf", "svg")
WIDEST = 2.4  # points, for a correlation of one; widths go with ρ²
EXACT_UP_TO = 500
COLORS = 8  # largest stars told apart; the others are grey

IntArray = npt.NDArray[np.int64]


def draw(
    experiment: Experiment, results: Path, out: Path | None = None, *, data_root: Path | None = None
) -> list[Path]:
    """Draw the figure into a folder and return the files written.

    The models of the runs are trained again from their seeds; posteriors are kept beside the results.
    """
    settings = experiment.settings.get("figure", {})
    specs = [spec for spec in experiment.runs if spec.method in TITLES]
    panels = {method: next((s for s in specs if s.method == method), None) for method in TITLES}
    missing = [method for method, spec in panels.items() if spec is None]
    if missing:
        raise OptionError(f"the config of {experiment.name} has no run of {missing[0]} to draw.")
    chosen = {method: spec for method, spec in panels.items() if spec is not None}
    paths = {method: _cached(spec, results.parent / "cache") for method, spec in chosen.items()}
    todo = {spec.name: path for spec, path in zip(chosen.values(), paths.values(), strict=True)}
    wanted = [spec for method, spec in chosen.items() if not paths[method].is_file()]
    for outcome in run_in_processes(wanted, lambda spec: todo[spec.name], jobs=1, data_root=data_root):
        if outcome.error is not None:
            raise TrainingError(f"{outcome.spec.name} could not be trained: {outcome.error}")
    folder = out or results.parent / "figures"
    posteriors = {method: Posterior.load(path) for method, path in paths.items()}
    return _plot(chosen, posteriors, settings, folder / experiment.name)


def readable_part(
    posterior: Posterior, count: int, fan: int | None = None
) -> tuple[IntArray, IntArray, IntArray]:
    """The part of the forest's largest tree that is nearest its centroid, in hops.

    `fan` limits how many branches are followed from one vertex, the largest first; otherwise a hub with a
    hundred leaves would fill the picture.

    Returns vertex ids (k,), nearest first, the numbers (k − 1,) of the forest edges among them, and for each
    vertex the position (k,) of the one it hangs on; the centroid, which comes first, hangs on itself.
    """
    vertex, above, edge = largest_tree(posterior)
    size = np.ones(len(vertex), dtype=np.int64)
    below: list[list[int]] = [[] for _ in vertex]
    for k in range(len(vertex) - 1, 0, -1):
        size[above[k]] += size[k]
        below[above[k]].append(k)
    order, parent = [0], [0]
    for at, k in enumerate(order):  # grows while it is walked: breadth first
        largest = sorted(below[k], key=lambda c: (-size[c], vertex[c]))[:fan][: count - len(order)]
        order += largest
        parent += [at] * len(largest)
    return vertex[order], np.sort(edge[order[1:]]), np.array(parent)


def _plot(
    specs: dict[str, RunSpec], posteriors: dict[str, Posterior], settings: dict[str, Any], stem: Path
) -> list[Path]:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(specs), figsize=(6.5 * len(specs), 6.2), layout="constrained")
    for ax, (method, spec) in zip(np.atleast_1d(axes), specs.items(), strict=True):
        _panel(ax, posteriors[method], settings)
        ax.set_title(f"{TITLES[method]}, γ = {gamma_text(spec.gamma)}")
    _legend(np.atleast_1d(axes)[-1])
    stem.parent.mkdir(parents=True, exist_ok=True)
    written = []
    for ending in FORMATS:
        path = stem.with_suffix(f".{ending}")
        # Without a date in it, the same figure is the same file.
        about = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}[ending]
        figure.savefig(path, dpi=160, metadata=about)
        written.append(path)
    plt.close(figure)
    return written


def _panel(ax: Any, posterior: Posterior, settings: dict[str, Any]) -> None:
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    ids, edges, parent = readable_part(posterior, settings.get("vertices", 120), settings.get("fan"))
    place = _tsne(posterior.mean[ids], settings)
    slot = np.zeros(posterior.n_vertices, dtype=np.int64)
    slot[ids] = np.arange(len(ids))
    ends = slot[posterior.forest[edges]]
    strength = np.abs(posterior.joint.correlation[edges]).mean(axis=1)
    palette = np.array([*colormaps["Dark2"](np.arange(COLORS)), (0.6, 0.6, 0.6, 1.0)])
    # What hangs on the same vertex has the same colour, and so have the edges between.
    color = palette[np.minimum(_by_size(parent), COLORS)]
    outer = ends.max(axis=1)
    ax.add_collection(
        LineCollection(
            list(place[ends]), linewidths=WIDEST * strength**2, colors=color[outer], alpha=0.6, zorder=1
        )
    )
    ax.scatter(*place.T, s=22, c=color, edgecolors="white", linewidths=0.5, zorder=2)
    ax.scatter(*place[:1].T, s=160, c="0.1", marker="*", edgecolors="white", linewidths=0.8, zorder=3)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_color("0.8")
    ax.margins(0.04)


def _by_size(group: IntArray) -> IntArray:
    """Each entry's group as a rank, the largest group 0."""
    size = np.bincount(group)
    rank = np.empty(len(size), dtype=np.int64)
    rank[np.lexsort((np.arange(len(size)), -size))] = np.arange(len(size))
    return rank[group]


def _legend(ax: Any) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color="0.4", lw=WIDEST * r**2, label=f"mean |ρ| = {r:g}") for r in (0.25, 0.5, 0.99)
    ]
    star = Line2D([], [], color="0.15", marker="*", ls="", markersize=10, label="centroid of the tree")
    ax.legend(handles=[*lines, star], loc="lower right", fontsize=8, framealpha=0.9)


def _tsne(mean: npt.NDArray[Any], settings: dict[str, Any]) -> npt.NDArray[Any]:
    from sklearn.manifold import TSNE

    # Scaled to a spread of one, because the means of a nearly collapsed posterior are tiny.
    centred = mean - mean.mean(axis=0)
    scaled = centred / max(float(centred.std()), 1e-12)
    perplexity = min(settings.get("perplexity", 20), (len(mean) - 1) / 3)
    # Without the approximation by trees, a few hundred points take seconds and always fall the same way.
    method = "exact" if len(mean) <= EXACT_UP_TO else "barnes_hut"
    seed = settings.get("seed", 0)
    embedding = TSNE(perplexity=perplexity, init="pca", random_state=seed, method=method)
    return np.asarray(embedding.fit_transform(scaled.astype(np.float64)))


def _cached(spec: RunSpec, folder: Path) -> Path:
    """Where the posterior of exactly this run is kept."""
    text = json.dumps({**spec.as_json(), "exclusive": None, "every": None, "format": 2}, sort_keys=True)
    return folder / f"{spec.method}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.safetensors"
