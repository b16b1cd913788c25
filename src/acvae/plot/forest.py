"""The learnt forest: on a map, its largest tree, and the part around one vertex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_array, real_array, real_number, whole_number
from acvae.exceptions import InputError
from acvae.gaussian.checks import check_rows
from acvae.gaussian.conversion import labels_of
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.rankings import need_posterior
from acvae.plot.labels import place_labels
from acvae.plot.layout import map_coordinates
from acvae.plot.style import EDGE_COLOR, PALETTE, bare
from acvae.plot.trees import branches, grow, largest_tree, need_forest, outline_layout, sector_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["forest_map", "forest_neighborhood", "forest_tree"]

FloatArray = npt.NDArray[np.float64]


def _text(name: Any) -> str:
    """A name as it is drawn: not read as a formula, and not longer than can be seen."""
    return str(name)[:100].replace("$", r"\$")


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

    n = need_posterior("a map of a forest", posterior, "forest").n_vertices
    max_width = real_number("max_width", max_width, above=0)
    place = map_coordinates(posterior) if coordinates is None else real_array("coordinates", coordinates)
    if place.shape != (n, 2):
        raise InputError(f"coordinates must have shape ({n}, 2), got {place.shape}.")
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
    group = np.zeros(n, dtype=np.int64) if groups is None else as_array("groups", groups)
    if group.shape != (n,) or group.dtype.kind not in "iu":
        raise InputError(f"groups must be {n} whole numbers, got {group.dtype} of shape {group.shape}.")
    color = np.array(PALETTE)[group % len(PALETTE)]
    size = 4 if posterior.n_vertices > 2000 else 14
    ax.scatter(place[:, 0], place[:, 1], s=size, c=color, linewidths=0, zorder=2)
    bare(ax)


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

    need_forest(posterior)
    labels = labels_of(posterior, names)
    n_labels = whole_number("n_labels", n_labels, minimum=0)
    n_branches = whole_number("n_branches", n_branches, minimum=0)
    shown, parent, edge = largest_tree(posterior)
    place, leaves, children = sector_layout(parent, np.ones(len(parent)))
    branch = branches(parent, leaves, n_branches)
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
    bare(ax)
    order = np.argsort(-degree, kind="stable")
    texts = [_text(labels[shown[k]]) for k in order]
    place_labels(ax, place[order], texts, count=n_labels)


def forest_neighborhood(
    posterior: Posterior,
    vertex: int,
    ax: Axes,
    *,
    names: Sequence[Any] | npt.NDArray[Any] | None = None,
    size: int = 25,
    max_branches: int = 8,
) -> None:
    """The part of the forest around one vertex, as an outline, one name a line; edge width by correlation.

    It grows from the vertex outwards to `size` vertices, always by the one nearest to it in expected
    distance; of a hub's many branches only the nearest `max_branches` are shown.
    """
    need_forest(posterior)
    labels = labels_of(posterior, names)
    size = whole_number("size", size, minimum=1)
    max_branches = whole_number("max_branches", max_branches, minimum=1)
    (vertex,) = check_rows([vertex], posterior.n_vertices).tolist()
    distance = posterior.distances([vertex])[0]
    shown, parent, edge = grow(posterior, vertex, distance, size, max_branches)
    depth, row = outline_layout(np.array(parent))
    correlation = posterior.joint.correlation.mean(axis=1)
    for child, above in enumerate(parent):
        if above >= 0:
            value = float(correlation[edge[child]])
            ax.plot(
                [depth[above], depth[above], depth[child]],
                [row[above], row[child], row[child]],
                color=EDGE_COLOR,
                linewidth=0.6 + 2.6 * max(value, 0) ** 4,
                alpha=0.6,
                zorder=1,
                solid_capstyle="round",
                solid_joinstyle="round",
            )
    ax.scatter(depth, row, s=26, color=[PALETTE[3], *[PALETTE[0]] * (len(shown) - 1)], zorder=2)
    for k, v in enumerate(shown):
        ax.annotate(
            _text(labels[v]),
            (depth[k], row[k]),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=10 if k == 0 else 8,
            fontweight="bold" if k == 0 else "normal",
            zorder=3,
        )
    bare(ax)
    ax.set_aspect("auto")
    ax.set_xlim(-0.3, max(depth.max() + 2.5, 4))  # room for the names
    ax.set_ylim(row.max() + 0.7, -0.7)  # from the top down
