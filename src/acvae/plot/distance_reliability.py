"""How often a pair at a given expected distance is a link that was held out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from acvae._util.checks import instance, seed_number, whole_number
from acvae._util.intervals import wilson
from acvae.exceptions import GraphError, InputError
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.rankings import checked_blocks, need_posterior
from acvae.graph import Graph
from acvae.plot.style import EDGE_COLOR, PALETTE, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["reliability"]

FloatArray = npt.NDArray[np.float64]


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
    share, low, high = links / pairs, *wilson(links, pairs)
    ax.axhline(hit.mean(), color=EDGE_COLOR, linestyle="--", linewidth=1, label="all pairs")
    ax.plot(middle, share, color=PALETTE[0], marker="o", markersize=4, label="pairs at this distance")
    ax.fill_between(middle, low, high, color=PALETTE[0], alpha=0.2, linewidth=0)
    ax.set_yscale("symlog", linthresh=float(share[share > 0].min()))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("expected squared distance")
    ax.set_ylabel("share of test links")
    finish(ax, legend=True)


def _candidate_pairs(
    posterior: Posterior, train: Graph, test: Graph, sources: int, seed: int
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    n = need_posterior("a figure of distances", posterior).n_vertices
    for name, graph in (("train", train), ("test", test)):
        instance(f"the {name} links", graph, Graph, GraphError)
    if not train.n_vertices == test.n_vertices == n:
        raise GraphError(
            f"the posterior has {n} vertices, the train graph {train.n_vertices}, the test graph "
            f"{test.n_vertices}."
        )
    chosen = np.arange(n)
    if n > sources:
        chosen = np.sort(np.random.default_rng(seed_number("seed", seed)).choice(n, sources, replace=False))
    distances, hits = [], []
    for rows, columns, block in checked_blocks(posterior, chosen):
        position = np.empty(n, dtype=np.int64)
        position[columns] = np.arange(n)
        for row, i in zip(block, rows.tolist(), strict=True):
            candidate, link = np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
            candidate[position[[i, *train.neighbors(i)]]] = False
            link[position[test.neighbors(i)]] = True
            distances.append(row[candidate].astype(np.float64))
            hits.append(link[candidate])
    return np.concatenate(distances), np.concatenate(hits)
