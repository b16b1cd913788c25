"""Strengths of edges in GraphGaussian's prior, from weights of any size: only their ratios count.

    a_e = t·(1 + c)/d̄ · w_e/w̄

with the scale t, the precision c of the evidence, and the mean degree d̄ of vertices that have an edge.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.exceptions import GraphError
from acvae.graph import Graph

__all__ = [
    "LEAST_WEIGHT",
    "check_weights",
    "mean_weight",
    "over_mean",
    "relative_weights",
    "strength_of_one",
    "strengths",
]

FloatArray = npt.NDArray[np.float64]

LEAST_WEIGHT = 1e-300  # of an edge, over the mean
LARGEST = float(np.finfo(np.float64).max)


def strengths(graph: Graph, scale: float, precision: float, like: Graph | None = None) -> FloatArray:
    """(m,) a_e of every edge at a scale t."""
    return relative_weights(graph, like) * strength_of_one(graph, scale, precision)


def relative_weights(graph: Graph, like: Graph | None = None) -> FloatArray:
    """(m,) weights of the edges over their mean, or over that of another graph; ones where there are none."""
    if graph.weights is None or graph.n_edges == 0:
        return np.ones(graph.n_edges)
    return over_mean(graph.weights, graph if like is None else like)


def over_mean(weights: FloatArray, graph: Graph) -> FloatArray:
    """Weights (k,) over the mean of the graph's."""
    return _scaled(graph, weights) / _scaled_mean(graph)


def mean_weight(graph: Graph) -> float:
    """Of its edges; one where none has a weight."""
    with np.errstate(over="ignore"):
        mean = float(np.ldexp(_scaled_mean(graph), _exponent(graph)))
    return min(mean, LARGEST)


def check_weights(graph: Graph) -> None:
    """Refuse weights that are nothing beside their mean."""
    relative = relative_weights(graph)
    if graph.weights is not None and relative.min(initial=1) < LEAST_WEIGHT:
        e = int(relative.argmin())
        raise GraphError(
            f"the edge {tuple(graph.edges[e].tolist())} has the weight {graph.weights[e]:g}, beside a mean "
            f"of {mean_weight(graph):g}: less than {LEAST_WEIGHT:g} times the mean cannot be computed with. "
            "Leave out edges that do not count, or give weights of a narrower range."
        )


def _exponent(graph: Graph) -> int:
    """Of the power of two that brings the largest weight to 1/2…1: no sum overflows, and none is rounded."""
    return 0 if graph.weights is None or graph.n_edges == 0 else int(np.frexp(graph.weights.max())[1])


def _scaled(graph: Graph, weights: FloatArray) -> FloatArray:
    return np.asarray(np.ldexp(weights, -_exponent(graph)), dtype=np.float64)


def _scaled_mean(graph: Graph) -> float:
    """Mean weight of the graph, scaled as its weights are."""
    if graph.weights is None or graph.n_edges == 0:
        return 1.0
    return float(np.mean(_scaled(graph, graph.weights)))


def strength_of_one(graph: Graph, scale: float, precision: float) -> float:
    """The strength of an edge of mean weight at a scale t."""
    linked = max(1, int((graph.degrees > 0).sum()))
    return scale * (1 + precision) * linked / max(1, 2 * graph.n_edges)
