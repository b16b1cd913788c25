"""Static figures with matplotlib, for papers and READMEs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._checks import choice, whole_number
from acvae.exceptions import PosteriorError
from acvae.forests.rooted import adjacency
from acvae.posterior import Posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["forest_map", "forest_neighborhood", "map_coordinates"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

EDGE_COLOR = "#51606f"
PALETTE = ("#4269d0", "#efb118", "#3ca951", "#ff725c", "#a463f2", "#6cc5b0", "#9c6b4e", "#ff8ab7", "#97bbf5")


def map_coordinates(posterior: Posterior, method: str = "tsne", seed: int = 0) -> FloatArray:
    """Two-dimensional coordinates (n, 2) of the means: "tsne" or "pca"."""
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    choice("method", method, ("tsne", "pca"))
    mean = posterior.mean.astype(np.float64)
    if method == "pca" or len(mean) < 5:
        return PCA(n_components=min(2, *mean.shape), random_state=seed).fit_transform(mean)[:, :2]
    perplexity = min(30.0, (len(mean) - 1) / 3)
    return TSNE(init="pca", perplexity=perplexity, random_state=seed).fit_transform(mean).astype(np.float64)


def forest_map(
    posterior: Posterior,
    ax: Axes,
    *,
    coordinates: FloatArray | None = None,
    groups: Sequence[int] | npt.NDArray[Any] | None = None,
    max_width: float = 1.6,
) -> None:
    """All embeddings on a map, joined along the learnt forest; edge width by mean correlation.

    `groups` (n,), for example clusters, colours the points.
    """
    from matplotlib.collections import LineCollection

    place = map_coordinates(posterior) if coordinates is None else coordinates
    strength = np.clip(posterior.correlation.mean(axis=1), 0, 1) if len(posterior.forest) else np.empty(0)
    segments = place[posterior.forest]
    ax.add_collection(
        LineCollection(
            list(segments), linewidths=max_width * strength**4, colors=EDGE_COLOR, alpha=0.25, zorder=1
        )
    )
    group = np.zeros(posterior.n_vertices, dtype=int) if groups is None else np.asarray(groups)
    color = np.array(PALETTE)[group % len(PALETTE)]
    ax.scatter(place[:, 0], place[:, 1], s=4, c=color, linewidths=0, zorder=2)
    _bare(ax)


def forest_neighborhood(
    posterior: Posterior,
    vertex: int,
    ax: Axes,
    *,
    names: Sequence[Any] | npt.NDArray[Any] | None = None,
    size: int = 25,
) -> None:
    """The part of the forest around one vertex, drawn as a tree with names and the correlation of edges.

    The `size` vertices nearest by expected distance among those the tree reaches without leaving them are
    shown: from the vertex outwards, always the nearest next.
    """
    if not posterior.has_joint or len(posterior.forest) == 0:
        raise PosteriorError("there is no learnt forest to draw; use the posterior of an ACVAE.")
    size = whole_number("size", size, minimum=1)
    distance = posterior.distances([vertex])[0]
    shown, parent, edge = _grow(posterior, vertex, distance, size)
    place = _radial_layout(shown, parent)
    correlation = posterior.correlation.mean(axis=1)
    for child, above in enumerate(parent):
        if above >= 0:
            value = float(correlation[edge[child]])
            ax.plot(
                *place[[above, child]].T,
                color=EDGE_COLOR,
                linewidth=0.6 + 2.6 * max(value, 0) ** 4,
                alpha=0.7,
                zorder=1,
                solid_capstyle="round",
            )
    ax.scatter(*place.T, s=26, color=[PALETTE[3], *[PALETTE[0]] * (len(place) - 1)], zorder=2)
    for k, v in enumerate(shown):
        x, y = place[k]
        label = str(v if names is None else names[v])
        angle = np.degrees(np.arctan2(y, x))
        flip = abs(angle) > 90
        ax.annotate(
            label,
            (x, y),
            xytext=(0, 9) if k == 0 else (-5 if flip else 5, 0),
            textcoords="offset points",
            rotation=0 if k == 0 else angle + (180 if flip else 0),
            rotation_mode="anchor",
            ha="center" if k == 0 else ("right" if flip else "left"),
            va="bottom" if k == 0 else "center",
            fontsize=9 if k == 0 else 7,
            fontweight="bold" if k == 0 else "normal",
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75},
            zorder=3,
        )
    reach = 1.75 * np.abs(place).max()
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    _bare(ax)


def _grow(
    posterior: Posterior, vertex: int, distance: npt.NDArray[Any], size: int
) -> tuple[list[int], list[int], list[int]]:
    """Vertices from `vertex` outwards along the forest, nearest first, with each one's parent and edge."""
    indptr, neighbour, number = adjacency(posterior.n_vertices, posterior.forest)
    shown, parent, edge = [vertex], [-1], [-1]
    border: list[tuple[float, int, int, int]] = []
    seen = {vertex}
    while len(shown) < size:
        here = len(shown) - 1
        v = shown[here]
        for t in range(indptr[v], indptr[v + 1]):
            w = int(neighbour[t])
            if w not in seen:
                seen.add(w)
                border.append((float(distance[w]), w, here, int(number[t])))
        if not border:
            break
        border.sort(reverse=True)
        _, w, above, e = border.pop()
        shown.append(w)
        parent.append(above)
        edge.append(e)
    return shown, parent, edge


def _radial_layout(shown: list[int], parent: list[int]) -> FloatArray:
    """Places (k, 2): the root in the middle, each subtree in a sector as wide as its number of leaves."""
    children: list[list[int]] = [[] for _ in shown]
    for k, above in enumerate(parent):
        if above >= 0:
            children[above].append(k)
    leaves = [1] * len(shown)
    for k in range(len(shown) - 1, -1, -1):
        if children[k]:
            leaves[k] = sum(leaves[c] for c in children[k])
    place = np.zeros((len(shown), 2))
    start, depth = [0.0] * len(shown), [0] * len(shown)
    for k in range(len(shown)):
        at = start[k]
        for c in children[k]:
            width = 2 * np.pi * leaves[c] / leaves[0]
            start[c], depth[c] = at, depth[k] + 1
            angle = at + width / 2
            place[c] = depth[c] * np.array([np.cos(angle), np.sin(angle)])
            at += width
    return place


def _bare(ax: Axes) -> None:
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_aspect("equal", adjustable="datalim")
    for side in ax.spines.values():
        side.set_visible(False)
