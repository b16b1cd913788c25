"""Unseen vertices join a trained joint as leaves of its forest, without touching what was there.

A leaf adds one vertex and one edge to the product that is the joint, and integrating it out gives back the
joint as it was. So every marginal of the known vertices stays what it is, to the bit, and those of the new
ones are exact: nothing is trained, and nothing is approximated beyond what the networks say of new features.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from acvae import objectives
from acvae._util.checks import as_array, as_list
from acvae._util.frames import is_frame
from acvae._util.text import shown
from acvae._util.vertex_names import examples, is_range
from acvae.exceptions import FeatureError, GraphError, UnknownNameError
from acvae.families.amortized import PAIRS_AT_A_TIME, ROWS_AT_A_TIME, AmortizedInference
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph

if TYPE_CHECKING:
    from acvae.models import ACVAE

__all__ = ["Extension", "all_names", "attach_leaves", "extend", "ids_of_ends", "new_vertices", "pairs_of"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

SAME_MEANS = 1e-3  # rounding differs with the size of a batch, other rows by far more


class Extension(NamedTuple):
    """The joint and the graph with the new vertices, whose ids come after all known ones."""

    posterior: Posterior
    graph: Graph
    vertices: IntArray  # (k,) ids of the new vertices in both
    attached_to: IntArray  # (k,) id of the known vertex each hangs on, −1 for none


def extend(
    model: ACVAE,
    features: Any,
    edges: Any,
    *,
    known_features: Any = None,
    names: Iterable[Any] | None = None,
) -> Extension:
    """See `ACVAE.extend`."""
    fresh = model._inference_on(features)
    if fresh.n_vertices == 0:
        raise FeatureError("there are no new vertices: features has no rows.")
    known_graph, posterior = model.graph_, model.posterior_
    assert known_graph is not None
    new_graph = new_vertices(fresh.n_vertices, names, features, known_graph)
    new, known = _resolve(edges, new_graph, known_graph)
    mean, std = fresh.marginals()
    logits = _pair_logits(model, fresh, known_features, new, known)
    mass = _masses(posterior, mean, std, logits, new, known, model.tau)
    chosen = _preferred(new, mass, maximum=model.objective == "saddle-point")
    attached_to = np.full(fresh.n_vertices, -1, dtype=np.int64)
    attached_to[new[chosen]] = known[chosen]
    correlation = np.zeros(mean.shape)
    correlation[new[chosen]] = objectives.MAX_CORRELATION * np.tanh(0.5 * logits[chosen])
    n = known_graph.n_vertices
    return Extension(
        attach_leaves(posterior, mean, std, attached_to, correlation),
        Graph(
            n + fresh.n_vertices,
            np.concatenate([known_graph.edges, np.stack([known, new + n], axis=1)]),
            all_names(known_graph, new_graph),
        ),
        np.arange(n, n + fresh.n_vertices),
        attached_to,
    )


def attach_leaves(
    posterior: Posterior,
    mean: npt.ArrayLike,
    std: npt.ArrayLike,
    attached_to: npt.ArrayLike,
    correlation: npt.ArrayLike,
) -> Posterior:
    """The joint with k more vertices, each a leaf on a known one, or on its own.

    Parameters
    ----------
    mean, std
        (k, d) of the new vertices.
    attached_to
        (k,) the known vertex each hangs on; −1 for none.
    correlation
        (k, d) with that vertex; rows without one are not read.
    """
    leaf = np.flatnonzero(np.asarray(attached_to) >= 0)
    new_edges = np.stack([np.asarray(attached_to)[leaf], leaf + posterior.n_vertices], axis=1)
    return Posterior(
        np.concatenate([posterior.mean, mean]),
        np.concatenate([posterior.std, std]),
        np.concatenate([posterior.forest, new_edges]),
        np.concatenate([posterior.joint.correlation, np.asarray(correlation, dtype=np.float64)[leaf]]),
        dtype=posterior.mean.dtype,
    )


# ---------------------------------------------------------------------- edges and names


def _resolve(edges: Any, new_graph: Graph, known_graph: Graph) -> tuple[IntArray, IntArray]:
    """The ends of all edges as ids: among the new vertices, and among the known."""
    pairs = pairs_of(edges, "(new vertex, known vertex)")
    return (
        ids_of_ends([p[0] for p in pairs], new_graph, "new vertices"),
        ids_of_ends([p[1] for p in pairs], known_graph, "known vertices"),
    )


def pairs_of(edges: Any, what: str, advice: str = "") -> list[tuple[Any, ...]]:
    """Edges of any kind as a list of pairs, whose ends are not looked at yet; `advice` ends the message."""
    if hasattr(edges, "detach"):
        edges = as_array("edges", edges, GraphError)
    if hasattr(edges, "to_numpy"):
        edges = edges.to_numpy()
    pairs = []
    for edge in as_list("edges", edges, GraphError):
        try:
            pair = () if isinstance(edge, (str, bytes)) else tuple(edge)
        except Exception:  # no pair, whatever else
            pair = ()
        if len(pair) != 2:
            raise GraphError(f"each edge is a pair {what}, but one is {shown(edge)}.{advice}")
        pairs.append(pair)
    return pairs


def ids_of_ends(ends: list[Any], graph: Graph, what: str) -> IntArray:
    """Whole numbers are ids; anything else is a name."""
    out = np.empty(len(ends), dtype=np.int64)
    for at, end in enumerate(ends):
        if isinstance(end, (int, np.integer)) and not isinstance(end, bool):
            if not 0 <= end < graph.n_vertices:
                raise GraphError(
                    f"edge {at} has {end}, but the ids of the {what} are 0…{graph.n_vertices - 1}."
                )
            out[at] = end
        elif graph.names is None:
            raise UnknownNameError(
                f"no vertex {shown(end)}; the {what} have no names, their ids are 0…{graph.n_vertices - 1}."
            )
        else:
            out[at] = graph.index(end)
    return out


def new_vertices(count: int, names: Iterable[Any] | None, features: Any, known: Graph) -> Graph:
    """The new vertices without edges, with the names given or else those of a data frame's index.

    An index 0 … k−1 holds no names, nor do numbers where the known vertices have none.
    """
    if names is None and is_frame(features):
        index = np.asarray(features.index)
        counts = is_range(index) or (known.names is None and index.dtype.kind in "iuf")
        names = None if counts else index
    fresh = Graph(count, [], names)
    if fresh.names is not None:
        taken = set(range(known.n_vertices) if known.names is None else known.names.tolist())
        twice = [name for name in fresh.names.tolist() if name in taken]
        if twice:
            raise GraphError(
                f"new vertices are called as known ones are: {examples(twice)}. Give them other names, by "
                "names=, or leave them out."
            )
    return fresh


def all_names(known: Graph, new: Graph) -> list[Any] | None:
    """Names of all, if either part has any; a known vertex without one keeps its id, a new one is "new-i"."""
    if known.names is None and new.names is None:
        return None
    first = range(known.n_vertices) if known.names is None else known.names.tolist()
    last = [f"new-{i}" for i in range(new.n_vertices)] if new.names is None else new.names.tolist()
    return [*first, *last]


# ---------------------------------------------------------------------- what the networks say


@torch.no_grad()
def _pair_logits(
    model: ACVAE, fresh: AmortizedInference, known_features: Any, new: IntArray, known: IntArray
) -> FloatArray:
    """Pre-activations c (m, d) of the pair encoder for pairs of a new and a known vertex."""
    if len(new) == 0:
        return np.empty((0, model.latent_dim))
    there = _known_inference(model, known_features)
    ids, slot = np.unique(known, return_inverse=True)
    _check_same_means(there, ids, model.posterior_)
    network = fresh.module.pair_encoder
    assert network is not None
    halves = torch.cat([_halves(fresh, np.arange(fresh.n_vertices)), _halves(there, ids)])
    ends = torch.from_numpy(np.stack([new, fresh.n_vertices + slot])).to(fresh.device)
    chunks = [network.pairs(halves, i, j) for i, j in _columns(ends)]
    return torch.cat(chunks).cpu().numpy().astype(np.float64)


def _columns(ends: Tensor) -> list[tuple[Tensor, Tensor]]:
    return [(part[0].contiguous(), part[1].contiguous()) for part in ends.split(PAIRS_AT_A_TIME, dim=1)]


def _halves(inference: AmortizedInference, ids: IntArray) -> Tensor:
    network = inference.module.pair_encoder
    assert network is not None
    rows = torch.from_numpy(ids).to(inference.device).split(ROWS_AT_A_TIME)
    return torch.cat([network.halves(inference.features.rows(part)) for part in rows])


def _known_inference(model: ACVAE, known_features: Any) -> AmortizedInference:
    if known_features is None:
        known_features = model._fitted_features
    if known_features is None:
        raise FeatureError(
            "extend needs known_features=, the matrix the model was trained on: the correlation along an "
            "edge is read from the features of both its ends, and a model that was loaded does not have "
            "those of its fit, as a file does not hold them."
        )
    inference = model._inference_on(known_features)
    if inference.n_vertices != model.posterior_.n_vertices:
        raise FeatureError(
            f"known_features has {inference.n_vertices} rows, but the model was trained on "
            f"{model.posterior_.n_vertices}."
        )
    return inference


def _check_same_means(inference: AmortizedInference, ids: IntArray, posterior: Posterior) -> None:
    """Features in another order, or scaled otherwise, would give correlations that mean nothing."""
    for part in torch.from_numpy(ids).to(inference.device).split(ROWS_AT_A_TIME):
        mean, _ = inference.module.encoder(inference.features.rows(part))
        given, trained = mean.cpu().numpy(), posterior.mean[part.cpu().numpy()]
        if not np.allclose(given, trained, rtol=SAME_MEANS, atol=SAME_MEANS):
            row = int(part[int(np.abs(given - trained).max(axis=1).argmax())])
            raise FeatureError(
                f"known_features is not the matrix the model was trained on: vertex {row} gets another "
                "embedding from it. Rows and columns must be in the order they had in fit, and their numbers "
                "must not have been changed since."
            )


# ---------------------------------------------------------------------- which edge


def _masses(
    posterior: Posterior,
    mean: npt.NDArray[Any],
    std: npt.NDArray[Any],
    logits: FloatArray,
    new: IntArray,
    known: IntArray,
    tau: float,
) -> FloatArray:
    """m_e (m,) of the new edges (eq. mass)."""
    mean_i, std_i, mean_j, std_j, c = (
        torch.from_numpy(x.astype(np.float64))
        for x in (mean[new], std[new], posterior.mean[known], posterior.std[known], logits)
    )
    return np.asarray(objectives.edge_mass(mean_i, std_i, mean_j, std_j, c, tau).numpy())


def _preferred(new: IntArray, mass: FloatArray, *, maximum: bool) -> IntArray:
    """For each new vertex that has edges, the number of the one the objective prefers; ties by edge order."""
    order = np.lexsort((-mass if maximum else mass, new))
    _, first = np.unique(new[order], return_index=True)
    return order[first]
