"""The joint on a forest given some of its vertices: exact, by one pass up and one pass down.

In standardised coordinates a child given its parent is N(ρ·parent, s) with s = 1 − ρ². What is observed in
the subtree below a vertex i is, to i, a likelihood exp(−½·A·x_i² + B·x_i). Up the tree these add, and child c
hands its parent

    a = ρ²·A_c / (1 + s·A_c),   b = ρ·B_c / (1 + s·A_c),      or  a = ρ²/s,  b = ρ·x_c/s  if c is observed.

Down the tree a root that is not observed has variance 1/(1 + A) and mean B/(1 + A), and a child given its
parent and all evidence is normal with gain g = ρ/(1 + s·A), variance w = s/(1 + s·A) and offset B·w, so that

    mean_c = g·mean_p + B·w,    variance_c = g²·variance_p + w,    corr(c, p) = g·std_p/std_c,

with mean_p = x_p and variance_p = 0 under an observed parent. Only positive numbers are added to make
precisions and variances, and none is subtracted: nothing cancels, however close a correlation is to one.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from acvae.forests.rooted import RootedForest

__all__ = ["ConditionedForest", "condition"]

FloatArray = npt.NDArray[np.float64]


class ConditionedForest(NamedTuple):
    """What is left in standardised coordinates; rows of observed vertices and of their edges mean nothing."""

    mean: FloatArray  # (n, d)
    std: FloatArray  # (n, d)
    correlation: FloatArray  # (m, d) of the edges as they were numbered


def condition(
    forest: RootedForest,
    correlation: npt.NDArray[Any],
    observed: npt.NDArray[np.bool_],
    standard: FloatArray,
) -> ConditionedForest:
    """Condition on `standard` (n, d), of which the rows where `observed` (n,) is true are read; O(n·d)."""
    return ConditionedForest(
        *_condition(
            forest.vertex,
            forest.parent,
            forest.edge,
            np.ascontiguousarray(correlation, dtype=np.float64),
            observed,
            standard,
        )
    )


@numba.njit(cache=True, nogil=True)
def _condition(vertex: Any, parent: Any, edge: Any, rho: Any, observed: Any, x: Any) -> Any:
    n, d = x.shape
    precision = np.zeros((n, d))  # A and B, by vertex id
    shift = np.zeros((n, d))
    for at in range(n - 1, -1, -1):  # children before their parents
        if parent[at] < 0 or observed[vertex[parent[at]]]:
            continue  # nothing passes through an observed vertex
        child, above, e = vertex[at], vertex[parent[at]], edge[at]
        for k in range(d):
            r = rho[e, k]
            s = (1 - r) * (1 + r)
            if observed[child]:
                precision[above, k] += r * r / s
                shift[above, k] += r * x[child, k] / s
            else:
                share = 1 / (1 + s * precision[child, k])
                precision[above, k] += r * r * precision[child, k] * share
                shift[above, k] += r * shift[child, k] * share
    mean = np.zeros((n, d))
    std = np.ones((n, d))
    correlation = np.zeros(rho.shape)
    for at in range(n):  # parents before their children
        v = vertex[at]
        if observed[v]:
            continue
        above = vertex[parent[at]] if parent[at] >= 0 else -1
        for k in range(d):
            if above < 0:
                variance = 1 / (1 + precision[v, k])
                mean[v, k] = variance * shift[v, k]
                std[v, k] = np.sqrt(variance)
                continue
            r = rho[edge[at], k]
            s = (1 - r) * (1 + r)
            share = 1 / (1 + s * precision[v, k])
            gain, own = r * share, s * share
            if observed[above]:
                mean[v, k] = gain * x[above, k] + own * shift[v, k]
                std[v, k] = np.sqrt(own)
            else:
                passed = gain * std[above, k]
                mean[v, k] = gain * mean[above, k] + own * shift[v, k]
                std[v, k] = np.sqrt(passed * passed + own)
                correlation[edge[at], k] = passed / std[v, k]
    return mean, std, correlation
