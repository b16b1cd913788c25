"""A ranking of links as one file: its heads, and what their statistics are made of beside the posterior.

Statistics of a posterior are made again from it; those of Gaussians at several scales keep, for each, what it
is factorised from, and its mean.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.arrays import read_arrays, write_arrays
from acvae.exceptions import SavedModelError
from acvae.gaussian.graph.laplacian import LaplacianGaussian, elimination_of
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.links.head import Head
from acvae.links.ranking import LinkRanking
from acvae.links.statistics import GraphStatistics, Scale

__all__ = ["load_ranking", "save_ranking"]

FORMAT, VERSION = "acvae-links", 1


def save_ranking(ranking: LinkRanking, path: str | PathLike[str]) -> None:
    """Write it; the file appears whole or not at all, and the same ranking gives the same bytes."""
    arrays: dict[str, npt.NDArray[Any]] = {
        **ranking.order.pack("order/"),
        **ranking.probability.pack("probability/"),
    }
    statistics: Any = ranking.statistics
    about: dict[str, Any] = {"statistics": "posterior"}
    if isinstance(statistics, GraphStatistics):
        about = {"statistics": "scales", "labels": _labels(statistics)}
        for s, scale in enumerate(statistics.scales):
            arrays[f"{s}/diagonal"] = scale.gaussian.diagonal
            arrays[f"{s}/strength"] = scale.gaussian.strength
            arrays[f"{s}/mean"] = scale.mean
    write_arrays(path, arrays, about, format=FORMAT, version=VERSION)


def load_ranking(path: str | PathLike[str], posterior: Posterior, graph: Graph) -> LinkRanking:
    """What `save_ranking` wrote of a model with this posterior, fitted on this graph."""
    arrays, about = read_arrays(path, format=FORMAT, version=VERSION, what="ranking of links")
    try:
        order, probability = Head.unpack(arrays, "order/"), Head.unpack(arrays, "probability/")
        statistics: Any
        if about["statistics"] == "scales":
            statistics = _scales(arrays, about["labels"], graph)
        else:
            from acvae.links.of_posterior import PosteriorStatistics

            statistics = PosteriorStatistics(posterior, graph.degrees)
        if len(order.centre) != statistics.count or len(probability.centre) != statistics.count:
            raise ValueError("its heads read other statistics")
    except (KeyError, TypeError, ValueError) as error:
        raise SavedModelError(f"{path} is not a complete ranking of links: {error}.") from error
    return LinkRanking(statistics, order, probability)


def _labels(statistics: GraphStatistics) -> list[str]:
    """What each scale is called, from the names of its statistics."""
    return [name.rpartition(" ")[2] for name in statistics.names[: 2 * len(statistics.scales) : 2]]


def _scales(arrays: dict[str, npt.NDArray[Any]], labels: Any, graph: Graph) -> GraphStatistics:
    n, m = graph.n_vertices, graph.n_edges
    if not isinstance(labels, list) or not labels:
        raise ValueError("it names no scales")
    elimination = elimination_of(n, graph.edges)
    made = []
    for s in range(len(labels)):
        diagonal, strength, mean = (
            np.asarray(arrays[f"{s}/{name}"], dtype=np.float64) for name in ("diagonal", "strength", "mean")
        )
        if diagonal.shape != (n,) or strength.shape != (m,) or mean.ndim != 2 or len(mean) != n:
            raise ValueError(f"scale {s} does not fit {n} vertices and {m} edges")
        if not (np.isfinite(mean).all() and (diagonal > 0).all() and (strength > 0).all()):
            raise ValueError(f"scale {s} holds no precision")
        made.append(Scale(LaplacianGaussian(diagonal, graph.edges, strength, elimination), mean))
    return GraphStatistics(tuple(made), graph.degrees, tuple(str(label) for label in labels))
