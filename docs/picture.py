"""The README's picture, from a fit to Debian's Python packages: `python docs/picture.py [--out links.png]`.

Left, the map of all packages, with clusters called by what their members have in common, as on the report.
Right, the likeliest new links of one package, and which of them were hidden from the fit and are true.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import acvae
from acvae.plot.labels import place_labels
from acvae.report import Entry
from acvae.report.directions import directions
from acvae.report.groups import group
from acvae.report.naming import common_features

PREFIX = "python3-"  # of every package
PACKAGE = f"{PREFIX}astropy"
INK, SOFT, PALE, BLUE, GREEN = "#26323d", "#586474", "#e3e7ec", "#4269d0", "#1c7a3c"
HUES = (
    *("#4269d0", "#e0a100", "#3ca951", "#ff725c", "#a463f2", "#4fb3a0", "#9c6b4e", "#ff8ab7"),
    *("#7fa8e8", "#8a9a1f", "#c4453a", "#7a4fd0", "#0f8fb3", "#b08968", "#d6409f", "#1f8a5c"),
)  # as on the report


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "images" / "links.png")
    options = parser.parse_args(argv)
    data = acvae.datasets.load("debian")
    split = acvae.split_edges(data.graph, seed=0)
    figure = picture(acvae.GraphGaussian().fit(data.features, split.train), data, split, PACKAGE)
    figure.savefig(options.out, dpi=110, facecolor="white")
    plt.close(figure)


def picture(model, data, split, vertex: str) -> plt.Figure:
    """Both parts, of any fitted model that learns links."""
    plt.rcParams.update({"font.size": 11, "text.color": INK, "axes.edgecolor": PALE})
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(13, 5.6), layout="constrained", width_ratios=[1.35, 1]
    )
    draw_links(right, model, split, vertex)
    draw_map(left, model, data, split.train)  # last: its labels are placed when nothing moves any more
    return figure


def draw_map(ax: Axes, model, data, train) -> None:
    entry = Entry("run", "graph-gaussian", data.name, model.posterior_, train)
    points = directions(entry)
    found = group(model.posterior_, points=points)
    words = common_features(found.labels, data.features, np.asarray(data.feature_names, dtype=object))
    place = acvae.plot.map_coordinates(model.posterior_, points=points)
    ax.scatter(*place.T, s=4, c=[HUES[k % len(HUES)] for k in found.labels], linewidths=0)
    ax.set_title(f"{train.n_vertices:,} packages, in clusters named by what their members share", fontsize=12)
    ax.set(xticks=[], yticks=[])
    ax.margins(x=0.1)  # room for the labels of clusters at the sides
    named = [k for k in range(len(words)) if words[k]]
    middle = np.array([np.median(place[found.labels == k], axis=0) for k in named])
    texts = [", ".join(words[k][:2]) for k in named]
    place_labels(ax, middle, texts, fontsize=10, weight="bold", color=INK)


def draw_links(ax: Axes, model, split, vertex: str, k: int = 10) -> None:
    ids, probabilities = model.predict_links([vertex], k=k)
    true = split.test.has_edges([[split.train.index(vertex), int(v)] for v in ids[0]])
    rows = np.arange(k)
    colors = [GREEN if is_true else BLUE for is_true in true]
    ax.barh(rows, probabilities[0], color=colors, height=0.62)
    ax.set_yticks(rows, [str(split.train.names[v]).removeprefix(PREFIX) for v in ids[0]], fontsize=11)
    for row, (p, is_true) in enumerate(zip(probabilities[0], true, strict=True)):
        text = f"{100 * p:.0f} %" + ("  a true link that was hidden" if is_true else "")
        ax.text(p + 0.01, row, text, va="center", fontsize=10, color=GREEN if is_true else SOFT)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.8 * probabilities[0].max())
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(f"likeliest new links of {vertex}", fontsize=12)


if __name__ == "__main__":
    main()
