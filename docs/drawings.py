"""Draws the figures of the documents. Every number in them is computed by the library.

`python docs/drawings.py` writes docs/images/*.svg, one of them after two short trainings;
`python docs/drawings.py --only models` writes one of them. `python docs/drawings.py --page` runs the code of
howto/figures.md instead, which leaves its pictures in the same folder. docs/picture.py draws the README's.
"""

import argparse
import contextlib
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import acvae

# One small graph for three drawings: a triangle, a square with a diagonal, and a leaf.
PLACES = np.array([(0, 1), (0, 0), (1, 0.5), (2, 1), (2, 0), (3, 0.5), (3.9, 0.5)], dtype=float)
EDGES = np.array([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5), (5, 6)])
INK, PALE, BLUE, RED, GOLD = "#26323d", "#c3ccd5", "#4269d0", "#d9482b", "#efb118"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "images")
    parser.add_argument("--only", nargs="+", choices=[d.__name__ for d in DRAWINGS], default=[])
    parser.add_argument("--page", action="store_true", help="the pictures of howto/figures.md")
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    # The same input gives the same file, and text looks the same everywhere.
    plt.rcParams.update({"svg.hashsalt": "acvae", "font.size": 11, "text.color": INK, "axes.edgecolor": PALE})
    if options.page:
        page = (Path(__file__).parent / "howto" / "figures.md").read_text()
        with contextlib.chdir(options.out):
            exec("\n".join(re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)), {})
        return
    for draw in DRAWINGS:
        if options.only and draw.__name__ not in options.only:
            continue
        figure = draw()
        figure.savefig(options.out / f"{draw.__name__}.svg", metadata={"Date": None}, facecolor="white")
        plt.close(figure)


def models() -> plt.Figure:
    """VAE, CVAE and ACVAE on the same graph."""
    graph = acvae.Graph(len(PLACES), EDGES)
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 2.9), layout="constrained")
    vertices(axes[0])
    bare(axes[0], "VAE", "no edges: every point on its own")

    weights = acvae.spanning_tree_probabilities(graph)
    for (u, v), w in zip(graph.edges, weights, strict=True):
        line(axes[1], u, v, width=5 * w, color=BLUE, alpha=0.8)
        label(axes[1], u, v, f"{w:.2f}")
    vertices(axes[1])
    bare(axes[1], "CVAE", "all edges, each with the share of\nspanning trees that contain it")

    kept = {(0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (5, 6)}
    for u, v in graph.edges.tolist():
        chosen = (u, v) in kept
        line(axes[2], u, v, width=5 if chosen else 1.2, color=BLUE if chosen else PALE, dashed=not chosen)
    vertices(axes[2])
    bare(axes[2], "ACVAE", "one spanning tree, learnt:\nits edges weigh 1, all others 0")
    return figure


def paths() -> plt.Figure:
    """Correlations multiply along the path of a forest; without a path they are zero."""
    place = np.array(
        [(0, 1), (0.9, 0.35), (2, 0.6), (3.1, 0.25), (2.2, 1.35), (4.1, 0.8), (5.4, 1.2), (6.3, 0.5)]
    )
    forest = np.array([(0, 1), (1, 2), (2, 3), (2, 4), (3, 5), (6, 7)])
    rho = np.array([0.9, 0.95, 0.8, 0.7, 0.9, 0.85])
    q = acvae.Posterior(np.zeros((8, 1)), np.ones((8, 1)), forest, rho[:, None], dtype="float64")
    on_path = {(0, 1), (1, 2), (2, 3), (3, 5)}
    figure, ax = plt.subplots(figsize=(8.4, 2.9), layout="constrained")
    for (u, v), r in zip(forest.tolist(), rho, strict=True):
        bold = (u, v) in on_path
        line(ax, u, v, place, width=4 if bold else 2.5, color=RED if bold else PALE)
        label(ax, u, v, f"{r:g}", place)
    vertices(ax, place, names=["i", "", "", "", "", "j", "k", ""], special={0, 5, 6})
    steps = " · ".join(f"{r:g}" for (u, v), r in zip(forest.tolist(), rho, strict=True) if (u, v) in on_path)
    ax.text(
        3.15,
        -0.45,
        f"corr(i, j) = {steps} = {q.pair_correlation(0, 5)[0]:.4f}        "
        f"corr(i, k) = {q.pair_correlation(0, 6)[0]:g}: no path",
        ha="center",
        fontsize=11.5,
    )
    bare(ax)
    ax.set_ylim(-0.65, 1.65)
    return figure


def updates() -> plt.Figure:
    """Weights of the adaptive prior under soft updates: from one tree to another, never leaving [0, 1]."""
    graph = acvae.Graph(len(PLACES), EDGES)
    # Made-up masses that stay the same; in training they move with the networks. Least mass wins.
    masses = np.array([0.4, -0.9, -0.7, -0.8, 0.1, -0.3, -0.6, 0.2, -0.5])
    state = acvae.forests.initial_weights(graph, seed=4)
    history = [state.weights]
    for _ in range(40):
        state, info = acvae.forests.update_weights(state, masses, graph, maximum=False, step_size=0.1)
        history.append(state.weights)
    figure, axes = plt.subplots(1, 4, figsize=(11.2, 2.6), layout="constrained", width_ratios=[1, 1, 1, 1.15])
    for ax, step in zip(axes, (0, 7, 40), strict=False):
        for (u, v), w in zip(graph.edges, history[step], strict=True):
            line(ax, u, v, width=0.8, color=PALE, dashed=True)
            line(ax, u, v, width=5 * w, color=BLUE, alpha=0.85)
        vertices(ax)
        bare(ax, f"after {step} updates" if step else "start: a random tree")
    curve = axes[3]
    for weights, stays in zip(np.array(history).T, info.forest, strict=True):
        curve.plot(weights, color=BLUE if stays else RED, linewidth=1.6, alpha=0.8)
    curve.set_xlabel("updates")
    curve.set_ylabel("weight w")
    curve.set_title("each edge's weight", fontsize=11)
    curve.spines[["top", "right"]].set_visible(False)
    return figure


def collapse() -> plt.Figure:
    """Expected distance against hops in the learnt forest: one line when the posterior has collapsed."""
    data = acvae.datasets.load("tree", n_vertices=150, n_features=60, seed=0)
    sizes = {"latent_dim": 5, "batch_vertices": 32, "batch_edges": 32, "batch_pairs": 32}
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.1), layout="constrained", sharey=True)
    for ax, gamma in zip(axes, (0.001, 100), strict=True):
        model = acvae.ACVAE(gamma=gamma, **sizes, learning_rate=3e-3, epochs=400, progress=False)
        q = model.fit(data.features, data.graph).posterior_
        # The same forest with correlation ½ on every edge counts its hops: ρ_ij = 2^(−hops).
        n = q.n_vertices
        half = acvae.Posterior(np.zeros((n, 1)), np.ones((n, 1)), q.forest, np.full((len(q.forest), 1), 0.5))
        i, j = np.random.default_rng(0).integers(0, n, (2, 800))
        hops = -np.log2(half.pair_correlation(i, j)[:, 0])
        jitter = np.random.default_rng(1).uniform(-0.25, 0.25, len(hops))
        ax.scatter(hops + jitter, q.pair_distance(i, j), s=4, color=BLUE, alpha=0.5, linewidths=0)
        kl = model.history_[-1]["kl"]
        ax.set_title(f"γ = {gamma:g}: mean KL {kl:.2f}, mean ρ {q.joint.correlation.mean():.3f}", fontsize=11)
        ax.set_xlabel("hops in the learnt forest")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("expected squared distance")
    return figure


# ---------------------------------------------------------------------- parts of a drawing


def line(
    ax: Axes,
    u: int,
    v: int,
    place: np.ndarray = PLACES,
    *,
    width: float,
    color: str,
    dashed: bool = False,
    alpha: float = 1.0,
) -> None:
    style = (0, (3, 3)) if dashed else "-"
    ends = place[[u, v]].T
    ax.plot(
        *ends, color=color, linewidth=width, linestyle=style, alpha=alpha, zorder=1, solid_capstyle="round"
    )


def label(ax: Axes, u: int, v: int, text: str, place: np.ndarray = PLACES) -> None:
    box = {"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none"}
    ax.text(*place[[u, v]].mean(0), text, ha="center", va="center", fontsize=9, bbox=box, zorder=3)


def vertices(
    ax: Axes, place: np.ndarray = PLACES, names: list[str] | None = None, special: set[int] | None = None
) -> None:
    color = [GOLD if special and k in special else "white" for k in range(len(place))]
    ax.scatter(*place.T, s=190, color=color, edgecolors=INK, linewidths=1.3, zorder=4)
    for k, text in enumerate(names or []):
        ax.text(*place[k], text, ha="center", va="center", fontsize=11, style="italic", zorder=5)


def bare(ax: Axes, title: str = "", note: str = "") -> None:
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.margins(0.09, 0.2)
    if title:
        ax.set_title(title, fontsize=12, fontweight="bold" if note else "normal")
    if note:
        ax.text(0.5, -0.02, note, transform=ax.transAxes, ha="center", va="top", fontsize=10)


DRAWINGS = (models, paths, updates, collapse)

if __name__ == "__main__":
    main()
