"""Figure 1: what the learnt forests look like, empirical Bayes and saddle point side by side."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.exceptions import OptionError, TrainingError
from acvae.graph import Graph
from acvae.posterior import Posterior
from acvae.reproduce.config import Experiment
from acvae.reproduce.pool import run_in_processes
from acvae.reproduce.spec import RunSpec, gamma_text

__all__ = ["draw", "readable_part"]

TITLES = {"acvae-eb": "Empirical Bayes", "acvae-sp": "Saddle point"}
FORMATS = ("png", "pdf", "svg")
WIDEST = 2.6  # points, for a correlation of one
COLORS = 8  # largest branches told apart; the others are grey

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
    return _plot(chosen, {m: _read(p) for m, p in paths.items()}, settings, folder / experiment.name)


def readable_part(posterior: Posterior, count: int) -> tuple[IntArray, IntArray, IntArray]:
    """The part of the forest's largest tree that is nearest its centroid, in hops.

    Returns vertex ids (k,), the numbers (k − 1,) of the forest edges among them, and for each vertex the
    branch (k,) of the centroid that it hangs on, 0 for the centroid itself, then by size.
    """
    forest = Graph(posterior.n_vertices, posterior.forest)
    start, neighbour = forest.csr
    tree = np.flatnonzero(forest.components == np.bincount(forest.components).argmax())
    centre = _centroid(tree, start, neighbour)
    order, branch = [centre], {centre: -1}
    queue = deque(order)
    while queue and len(order) < count:
        v = queue.popleft()
        for w in sorted(neighbour[start[v] : start[v + 1]].tolist()):
            if w not in branch and len(order) < count:
                branch[w] = w if v == centre else branch[v]
                order.append(w)
                queue.append(w)
    chosen = np.array(order)
    inside = np.zeros(posterior.n_vertices, dtype=bool)
    inside[chosen] = True
    edges = np.flatnonzero(inside[posterior.forest].all(axis=1))
    roots = [branch[v] for v in order]
    by_size = sorted(set(roots) - {-1}, key=lambda root: (-roots.count(root), root))
    rank = {-1: 0} | {root: place for place, root in enumerate(by_size, start=1)}
    return chosen, edges, np.array([rank[root] for root in roots])


def _centroid(tree: IntArray, start: IntArray, neighbour: IntArray) -> int:
    """The vertex whose removal leaves the smallest largest part."""
    root = int(tree[0])
    parent, order = {root: -1}, [root]
    for v in order:
        for w in neighbour[start[v] : start[v + 1]].tolist():
            if w not in parent:
                parent[w] = v
                order.append(w)
    size = dict.fromkeys(order, 1)
    largest = dict.fromkeys(order, 0)
    for v in reversed(order):
        if parent[v] >= 0:
            size[parent[v]] += size[v]
            largest[parent[v]] = max(largest[parent[v]], size[v])
    return min(order, key=lambda v: (max(largest[v], len(order) - size[v]), v))


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

    ids, edges, branch = readable_part(posterior, settings.get("vertices", 250))
    place = _tsne(posterior.mean[ids], settings)
    slot = np.zeros(posterior.n_vertices, dtype=np.int64)
    slot[ids] = np.arange(len(ids))
    ends = slot[posterior.forest[edges]]
    strength = np.abs(posterior.correlation[edges]).mean(axis=1)
    palette = np.array(
        [(0.15, 0.15, 0.15, 1.0), *colormaps["Dark2"](np.arange(COLORS)), (0.6, 0.6, 0.6, 1.0)]
    )
    color = palette[np.minimum(branch, COLORS + 1)]
    # An edge has the colour of its end that is farther from the centroid.
    outer = np.maximum(ends[:, 0], ends[:, 1])
    ax.add_collection(
        LineCollection(
            list(place[ends]), linewidths=WIDEST * strength, colors=color[outer], alpha=0.45, zorder=1
        )
    )
    ax.scatter(*place.T, s=14, c=color, edgecolors="white", linewidths=0.4, zorder=2)
    ax.scatter(*place[:1].T, s=90, c=color[:1], marker="*", edgecolors="white", linewidths=0.6, zorder=3)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_color("0.8")
    ax.margins(0.04)


def _legend(ax: Any) -> None:
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color="0.4", lw=WIDEST * r, label=f"mean |ρ| = {r:g}") for r in (0.25, 0.5, 0.99)]
    star = Line2D([], [], color="0.15", marker="*", ls="", markersize=10, label="centroid of the tree")
    ax.legend(handles=[*lines, star], loc="lower right", fontsize=8, framealpha=0.9)


def _tsne(mean: npt.NDArray[Any], settings: dict[str, Any]) -> npt.NDArray[Any]:
    from sklearn.manifold import TSNE

    # Scaled to a spread of one, because the means of a nearly collapsed posterior are tiny.
    centred = mean - mean.mean(axis=0)
    scaled = centred / max(float(centred.std()), 1e-12)
    perplexity = min(settings.get("perplexity", 20), (len(mean) - 1) / 3)
    embedding = TSNE(perplexity=perplexity, init="pca", random_state=settings.get("seed", 0))
    return np.asarray(embedding.fit_transform(scaled.astype(np.float64)))


def _cached(spec: RunSpec, folder: Path) -> Path:
    """Where the posterior of exactly this run is kept."""
    text = json.dumps({**spec.as_json(), "exclusive": None, "every": None}, sort_keys=True)
    return folder / f"{spec.method}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.safetensors"


def _read(path: Path) -> Posterior:
    from safetensors.numpy import load_file

    arrays = load_file(path)
    return Posterior(*(arrays[name] for name in ("mean", "std", "forest", "correlation")))
