"""Unseen vertices join a joint on a whole graph, with any number of edges, or with features, or both.

Known vertices are updated: the joint is that of the larger graph, with the scales and strengths of the fit.
Or they are held fixed: a new vertex v with edges of strengths a_u has, given its neighbours, the precision
J_vv = h_v + Σ_u a_u and the mean (c·r_v + Σ_u a_u·z_u)/J_vv, and integrating it out leaves the known as they
were. In the form of a Laplacian that is an edge of strength a_u to each neighbour, one of −a_u·a_w/J_vv
between any two neighbours, and −a_u·h_v/J_vv on the diagonal of each.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.edge_lists import as_weights
from acvae._util.matrices import blank_rows
from acvae.datasets.missing import check_finite
from acvae.exceptions import FeatureError, GraphError, OptionError
from acvae.families.edge_strengths import LEAST_WEIGHT, mean_weight
from acvae.families.graph_gaussian import GraphGaussianFit, dimensions
from acvae.gaussian.checks import check_memory
from acvae.gaussian.graph.scales import ScalesJoint
from acvae.gaussian.graph.solver import solver_named
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.links.ranking import LinkRanking
from acvae.models.extension import all_names, ids_of_ends, new_vertices, pairs_of
from acvae.models.link_answers import LinkAnswers

if TYPE_CHECKING:
    from acvae.models.graph_gaussian import GraphGaussian

__all__ = ["GraphExtension", "extend"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


BYTES_A_PAIR = 230  # of a tie between two vertices, as it is held while they are collected
MOST = 1e6  # weight of a new edge, over the mean of the known


class GraphExtension(LinkAnswers):
    """The joint and the graph with the new vertices, whose ids come after all known ones.

    Links of the new vertices are asked for as a model's: `predict_links`, `link_probability`, `links_`.

    Attributes
    ----------
    posterior, graph
        Of all vertices; also as `posterior_` and `graph_`, as a model calls them.
    vertices
        (k,) ids of the new vertices in both.
    """

    def __init__(
        self, posterior: Posterior, graph: Graph, vertices: IntArray, fitted: GraphGaussianFit
    ) -> None:
        self.posterior = self.posterior_ = posterior
        self.graph = self.graph_ = graph
        self.vertices = vertices
        self._fit = fitted

    def __repr__(self) -> str:
        return f"GraphExtension({len(self.vertices)} new of {self.graph.n_vertices:,} vertices)"

    @cached_property
    def links_(self) -> LinkRanking:
        """The model's heads on the numbers of pairs in the larger graph, where known vertices are updated."""
        return self._fit.ranking


class Precision(NamedTuple):
    """One scale's: diagonal h (N,), pairs (m, 2) and their strengths (m,), evidence pull c·r (N, d)."""

    diagonal: FloatArray
    edges: IntArray
    strength: FloatArray
    pull: FloatArray


def extend(
    model: GraphGaussian,
    features: Any,
    edges: Any,
    *,
    known: str,
    names: Iterable[Any] | None,
    weights: npt.ArrayLike | None,
) -> GraphExtension:
    """See `GraphGaussian.extend`."""
    fitted, graph = model._fit, model.graph_
    if known == "fixed" and fitted.solver.restricts:
        raise OptionError(
            "known='fixed' makes negative strengths, which solver='local' does not take: use "
            "known='update', or fit with solver='exact'."
        )
    listed = None if names is None else list(names)
    evidence, seen = _evidence(model, features, listed)
    k, n = len(seen), graph.n_vertices
    fresh = new_vertices(k, listed, features, graph)
    ends = _ends(edges, fresh, graph)
    _check_new(ends, graph, n)
    own_weights = None if weights is None else _checked(weights, ends, graph)
    everyone = Graph(
        n + k,
        np.concatenate([graph.edges, ends]),
        all_names(graph, fresh),
        _weights(graph, len(ends), own_weights),
    )
    precisions = []
    for t, scale in zip(fitted.scales, fitted.statistics.scales, strict=True):
        own = fitted.precision * seen
        strength = fitted.new_strengths(t, len(ends), own_weights)
        start = Precision(
            np.concatenate([scale.gaussian.diagonal, 1 + own]),
            graph.edges,
            scale.gaussian.strength,
            np.concatenate([fitted.pull, own[:, None] * evidence]),
        )
        if known == "update":
            precisions.append(_joined(start, ends, strength))
        else:
            precisions.append(_conditional(start, ends, strength, n, scale.mean))
    joined = fitted.among(
        everyone, np.concatenate([fitted.rows, evidence]), np.concatenate([fitted.seen, seen])
    )
    return GraphExtension(_posterior(model, precisions), everyone, np.arange(n, n + k), joined)


def _checked(weights: npt.ArrayLike, ends: IntArray, graph: Graph) -> FloatArray:
    """Weights of new edges, neither too large nor too small to be computed with beside the known ones."""
    own, unit = as_weights(weights, ends), mean_weight(graph)
    if len(own) and own.max() / MOST > unit:
        raise GraphError(
            f"a new edge has the weight {own.max():g}, beside a mean of {unit:g} of the known ones: at most "
            f"{MOST:g} times as much can be computed with."
        )
    if len(own) and own.min() / unit < LEAST_WEIGHT:
        raise GraphError(
            f"a new edge has the weight {own.min():g}, beside a mean of {unit:g} of the known ones: at least "
            f"{LEAST_WEIGHT:g} times as much can be computed with."
        )
    return own


def _weights(graph: Graph, count: int, given: FloatArray | None) -> FloatArray | None:
    """Of all edges, if any are known or given: known ones without have 1, `count` new ones the mean."""
    if given is None and (graph.weights is None or graph.n_edges == 0):
        return None
    known = np.ones(graph.n_edges) if graph.weights is None else graph.weights
    return np.concatenate([known, np.full(count, mean_weight(graph)) if given is None else given])


def _joined(start: Precision, ends: IntArray, strength: FloatArray) -> Precision:
    """With all new edges."""
    edges = np.concatenate([start.edges, ends])
    return start._replace(edges=edges, strength=np.concatenate([start.strength, strength]))


def _conditional(
    start: Precision, ends: IntArray, strength: FloatArray, n: int, mean: FloatArray
) -> Precision:
    """New vertices one after the other, each given those before it, so that none of these hears of it."""
    diagonal, total = start.diagonal.copy(), len(start.diagonal)
    own = np.bincount(ends.max(axis=1, initial=0) - n) if len(ends) else np.zeros(1, dtype=np.int64)
    check_memory(
        f"known='fixed' with a new vertex of {own.max():,} edges, whose other ends are all tied",
        BYTES_A_PAIR * int((own * (own - 1) // 2).sum()),
        "use known='update', or give it fewer edges",
    )
    found: dict[tuple[int, int], float] = {}
    for e, a in zip(start.edges, start.strength, strict=True):
        found[int(e[0]), int(e[1])] = float(a)
    means = np.zeros((total, start.pull.shape[1]))
    means[:n] = mean
    first, last = ends.min(axis=1), ends.max(axis=1)
    for v in range(n, total):
        of_v = np.flatnonzero(last == v)
        near, a = first[of_v], strength[of_v]
        h = diagonal[v]
        whole = h + a.sum()
        means[v] = (start.pull[v] + a @ means[near]) / whole
        diagonal[near] -= a * h / whole
        for x, (u, b) in enumerate(zip(near, a, strict=True)):
            found[int(u), v] = found.get((int(u), v), 0.0) + float(b)
            for w, c in zip(near[x + 1 :], a[x + 1 :], strict=True):
                pair = (int(min(u, w)), int(max(u, w)))
                found[pair] = found.get(pair, 0.0) - float(b * c / whole)
    edges = np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
    values = np.array([found[int(u), int(v)] for u, v in edges])
    # The pull that gives exactly these means is J·mean; it is solved for below.
    i, j = edges.T
    pull = diagonal[:, None] * means
    flow = values[:, None] * (means[i] - means[j])
    np.add.at(pull, i, flow)
    np.add.at(pull, j, -flow)
    return Precision(diagonal, edges, values, pull)


def _posterior(model: GraphGaussian, precisions: list[Precision]) -> Posterior:
    """The joint of all vertices, in the dimensions of the model's own."""
    group, column = dimensions(model._fit, model.posterior_.latent_dim)
    edges = precisions[0].edges
    solver = solver_named(model.solver_, len(precisions[0].diagonal), edges)
    gaussians = [solver.gaussian(p.diagonal, p.strength) for p in precisions]
    means = [
        g.solve(p.pull) if p.pull.shape[1] else p.pull for g, p in zip(gaussians, precisions, strict=True)
    ]
    joint = ScalesJoint(
        edges,
        np.stack([p.strength for p in precisions]),
        np.stack([p.diagonal for p in precisions]),
        group,
        tuple(gaussians),
        solver=solver.name,
    )
    mean = np.zeros((len(precisions[0].diagonal), len(group)))
    for k, (s, c) in enumerate(zip(group, column, strict=True)):
        if c >= 0:
            mean[:, k] = means[s][:, c]
    return Posterior.from_correlations(mean, joint.std, joint, dtype=model.posterior_.mean.dtype)


def _evidence(
    model: GraphGaussian, features: Any, names: list[Any] | None
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Evidence (k, d) of the new vertices, and which have any."""
    evidence = model._fit.evidence
    if features is None:
        if names is None:
            raise FeatureError("how many new vertices there are must be known: give features, or names.")
        return np.zeros((len(names), model._fit.rows.shape[1])), np.zeros(len(names), dtype=bool)
    if evidence is None:
        raise FeatureError("the model was fitted without features: give None for those of new vertices.")
    table = model._as_rows(features)
    if table.shape[0] == 0:
        raise FeatureError("there are no new vertices: features has no rows.")
    missing = np.zeros(table.shape[0], dtype=bool) if sp.issparse(table) else np.isnan(table).all(axis=1)
    table = blank_rows(table, ~missing)
    check_finite(table, "Fill the gaps yourself; a dense row of NaN alone is a vertex without features.")
    rows, seen = evidence.project(table)
    return rows * ~missing[:, None], seen & ~missing


def _ends(edges: Any, fresh: Graph, graph: Graph) -> IntArray:
    """(m, 2) ids in the larger graph of pairs (new vertex, known or new vertex)."""
    pairs = pairs_of(edges, "(new vertex, vertex)", " Weights are given by weights=.")
    n = graph.n_vertices
    new = n + ids_of_ends([pair[0] for pair in pairs], fresh, "new vertices")
    among_new = np.array([_is_new(pair[1]) for pair in pairs], dtype=bool)
    other = np.empty(len(pairs), dtype=np.int64)
    for chosen, where, what, offset in (
        (among_new, fresh, "new vertices", n),
        (~among_new, graph, "known vertices", 0),
    ):
        at = np.flatnonzero(chosen)
        named = [pairs[t][1][1] if among_new[t] else pairs[t][1] for t in at]
        other[at] = offset + ids_of_ends(named, where, what)
    return np.sort(np.stack([other, new], axis=1), axis=1).reshape(-1, 2)


def _is_new(end: Any) -> bool:
    """Whether the other end of an edge is given as ("new", …)."""
    return isinstance(end, tuple) and len(end) == 2 and end[0] == "new"


def _check_new(ends: IntArray, graph: Graph, n: int) -> None:
    if len(np.unique(ends, axis=0)) != len(ends):
        raise GraphError("an edge of a new vertex is given twice.")
    if (ends[:, 0] == ends[:, 1]).any():
        raise GraphError("a new vertex cannot be linked with itself.")
