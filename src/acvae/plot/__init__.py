"""Static figures with matplotlib, for papers and READMEs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.adjacency import adjacency
from acvae._util.checks import choice, whole_number
from acvae.exceptions import PosteriorError
from acvae.gaussian.posterior import Posterior
from acvae.plot.figures import curves, gamma_sweep, reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "curves",
    "forest_map",
    "forest_neighborhood",
    "forest_tree",
    "gamma_sweep",
    "map_coordinates",
    "reliability",
]

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
    strength = (
        np.clip(posterior.joint.correlation.mean(axis=1), 0, 1) if len(posterior.forest) else np.empty(0)
    )
    segments = place[posterior.forest]
    faint = min(0.5, max(0.06, 0.5 * np.sqrt(250 / max(len(segments), 1))))  # many lines lie on one another
    ax.add_collection(
        LineCollection(
            list(segments), linewidths=max_width * strength**4, colors=EDGE_COLOR, alpha=faint, zorder=1
        )
    )
    group = np.zeros(posterior.n_vertices, dtype=int) if groups is None else np.asarray(groups)
    color = np.array(PALETTE)[group % len(PALETTE)]
    size = 4 if posterior.n_vertices > 2000 else 14
    ax.scatter(place[:, 0], place[:, 1], s=size, c=color, linewidths=0, zorder=2)
    _bare(ax)


def forest_tree(
    posterior: Posterior,
    ax: Axes,
    *,
    names: Sequence[Any] | npt.NDArray[Any] | None = None,
    n_labels: int = 14,
    n_branches: int = 8,
) -> None:
    """The largest tree of the learnt forest, unrolled around its centroid; edge width by correlation.

    Every subtree has a sector as wide as its number of leaves. The largest branches at the centroid and at
    the hubs beyond have colours of their own, and the `n_labels` vertices of largest degree their names.
    """
    from matplotlib.collections import LineCollection

    _need_forest(posterior)
    shown, parent, edge = _largest_tree(posterior)
    place, leaves, children = _sector_layout(parent, np.ones(len(parent)))
    branch = _branches(parent, leaves, n_branches)
    color = np.array(["#b9c2cc", *PALETTE])[np.where(branch < 0, 0, 1 + branch % len(PALETTE))]
    strength = np.clip(posterior.joint.correlation.mean(axis=1)[edge[1:]], 0, 1)
    segments = np.stack([place[parent[1:]], place[1:]], axis=1)
    ax.add_collection(
        LineCollection(
            list(segments), colors=color[1:], linewidths=0.3 + 2 * strength**2, alpha=0.8, zorder=1
        )
    )
    degree = np.array([len(c) for c in children])
    x, y = place.T
    ax.scatter(x, y, s=1.5 + 0.4 * degree, c=color, linewidths=0, zorder=2)
    ax.autoscale_view()
    _bare(ax)
    for k in _spread_out(place, np.argsort(-degree, kind="stable"), n_labels):
        ax.annotate(
            str(shown[k] if names is None else names[shown[k]]),
            place[k],
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=7.5,
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.8},
            zorder=3,
        )


def forest_neighborhood(
    posterior: Posterior,
    vertex: int,
    ax: Axes,
    *,
    names: Sequence[Any] | npt.NDArray[Any] | None = None,
    size: int = 25,
    max_branches: int = 8,
) -> None:
    """The part of the forest around one vertex, drawn as a tree with names; edge width by correlation.

    It grows from the vertex outwards to `size` vertices, always by the one nearest to it in expected
    distance; of a hub's many branches only the nearest `max_branches` are shown.
    """
    _need_forest(posterior)
    size = whole_number("size", size, minimum=1)
    distance = posterior.distances([vertex])[0]
    shown, parent, edge = _grow(posterior, vertex, distance, size, max_branches)
    place, _, _ = _sector_layout(np.array(parent), np.ones(len(parent)))
    correlation = posterior.joint.correlation.mean(axis=1)
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
    x, y = place.T
    ax.scatter(x, y, s=26, color=[PALETTE[3], *[PALETTE[0]] * (len(place) - 1)], zorder=2)
    hubs = {0, *(k for k in range(len(shown)) if parent.count(k) > 2)}  # names above, not along a branch
    for k, v in enumerate(shown):
        x, y = place[k]
        label = str(v if names is None else names[v])
        angle = np.degrees(np.arctan2(y, x))
        flip = abs(angle) > 90
        ax.annotate(
            label,
            (x, y),
            xytext=(0, 9 if k == 0 else 5) if k in hubs else (-5 if flip else 5, 0),
            textcoords="offset points",
            rotation=0 if k in hubs else angle + (180 if flip else 0),
            rotation_mode="anchor",
            ha="center" if k in hubs else ("right" if flip else "left"),
            va="bottom" if k in hubs else "center",
            fontsize=9 if k == 0 else 7,
            fontweight="bold" if k == 0 else "normal",
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75},
            zorder=5 if k == 0 else 4 if k in hubs else 3,
        )
    reach = 1.75 * np.abs(place).max(initial=0.5)
    _bare(ax)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)


def _grow(
    posterior: Posterior, vertex: int, distance: npt.NDArray[Any], size: int, max_branches: int
) -> tuple[list[int], list[int], list[int]]:
    """Vertices from `vertex` outwards along the forest, nearest first, with each one's parent and edge."""
    indptr, neighbour, number = adjacency(posterior.n_vertices, posterior.forest)
    shown, parent, edge = [vertex], [-1], [-1]
    border: list[tuple[float, int, int, int]] = []
    seen = {vertex}
    while len(shown) < size:
        here = len(shown) - 1
        v = shown[here]
        around = range(indptr[v], indptr[v + 1])
        branches = [
            (float(distance[neighbour[t]]), int(neighbour[t]), here, int(number[t]))
            for t in around
            if int(neighbour[t]) not in seen
        ]
        border.extend(sorted(branches)[:max_branches])
        if not border:
            break
        border.sort(reverse=True)
        _, w, above, e = border.pop()
        seen.add(w)
        shown.append(w)
        parent.append(above)
        edge.append(e)
    return shown, parent, edge


def _largest_tree(posterior: Posterior) -> tuple[IntArray, IntArray, IntArray]:
    """Vertices of the largest tree from its centroid outwards, with each one's parent (as index) and edge."""
    from acvae.forests.centroid import centroid_decomposition
    from acvae.forests.rooted import root_forest

    pieces = centroid_decomposition(root_forest(posterior.n_vertices, posterior.forest), posterior.forest)
    indptr, neighbour, number = adjacency(posterior.n_vertices, posterior.forest)
    shown, parent, edge = [int(pieces.vertex[0])], [-1], [-1]
    for at, v in enumerate(shown):  # grows while it is read: breadth first
        for t in range(indptr[v], indptr[v + 1]):
            if number[t] != edge[at]:
                shown.append(int(neighbour[t]))
                parent.append(at)
                edge.append(int(number[t]))
    return np.array(shown), np.array(parent), np.array(edge)


def _sector_layout(parent: IntArray, length: FloatArray) -> tuple[FloatArray, IntArray, list[list[int]]]:
    """Places (k, 2) of a tree listed parents first, the first in the middle; leaves below, and children.

    Each subtree has a sector as wide as its number of leaves; a vertex stands in the middle of its sector,
    as far out as the edges on its way from the middle are long.
    """
    children: list[list[int]] = [[] for _ in parent]
    leaves = np.zeros(len(parent), dtype=np.int64)
    for k in range(len(parent) - 1, -1, -1):
        leaves[k] = max(1, leaves[k])
        if parent[k] >= 0:
            children[parent[k]].append(k)
            leaves[parent[k]] += leaves[k]
    place = np.zeros((len(parent), 2))
    start, radius = np.zeros(len(parent)), np.zeros(len(parent))
    for k in range(len(parent)):
        at = start[k]
        for c in sorted(children[k], key=lambda c: int(leaves[c])):
            start[c] = at
            width = 2 * np.pi * leaves[c] / leaves[0]
            angle = at + width / 2
            radius[c] = radius[k] + length[c]
            place[c] = radius[c] * np.array([np.cos(angle), np.sin(angle)])
            at += width
    return place, leaves, children


def _spread_out(place: FloatArray, order: IntArray, count: int) -> list[int]:
    """The first `count` of `order` whose labels would not lie on one another."""
    reach = np.ptp(place, axis=0).max(initial=1e-9)
    box = np.array([0.26, 0.035]) * reach  # about the size of a label
    chosen: list[int] = []
    for k in order.tolist():
        if len(chosen) == count:
            break
        if all((np.abs(place[k] - place[c]) > box).any() for c in chosen):
            chosen.append(k)
    return chosen


def _branches(parent: IntArray, leaves: IntArray, count: int) -> IntArray:
    """Number of the branch of every vertex, -1 for the trunk; the widest is cut until there are enough."""
    top: list[int] = [0]
    trunk: set[int] = set()
    below: dict[int, list[int]] = {}
    for k, above in enumerate(parent.tolist()):
        below.setdefault(above, []).append(k)
    while len(top) < count and any(below.get(k) for k in top):
        widest = max((k for k in top if below.get(k)), key=lambda k: int(leaves[k]))
        top.remove(widest)
        trunk.add(widest)
        top.extend(below[widest])
        top.sort(key=lambda k: -int(leaves[k]))
        del top[count:]
    branch = np.full(len(parent), -1, dtype=np.int64)
    for number, k in enumerate(top):
        branch[k] = number
    for k in range(len(parent)):
        if branch[k] < 0 and parent[k] >= 0 and k not in trunk:
            branch[k] = branch[parent[k]]
    return branch


def _need_forest(posterior: Posterior) -> None:
    if not posterior.has_forest:
        raise PosteriorError("there is no learnt forest to draw; use the posterior of an ACVAE.")


def _bare(ax: Axes) -> None:
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_aspect("equal", adjustable="datalim")
    for side in ax.spines.values():
        side.set_visible(False)
