"""Edge weights of the adaptive prior: a point of the spanning-forest polytope, moved by soft updates.

A weight w_e is the probability that edge e is in a random maximal acyclic subgraph (definition 2 of the
paper). The weights of a component with k vertices sum to k − 1, and each lies in [0, 1]; both survive every
update, because a soft update is a convex combination with the indicator of a spanning forest.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.checks import flag, instance, real_array, real_number, seed_number
from acvae.exceptions import GraphError
from acvae.forests.kruskal import spanning_forest
from acvae.graph import Graph

__all__ = [
    "SETTLED_WITHIN",
    "ForestPart",
    "WeightInfo",
    "WeightState",
    "initial_weights",
    "merge_forests",
    "move_weights",
    "part_forest",
    "round_to_forest",
    "settled_share",
    "update_weights",
]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

# A weight this close to 0 or 1 counts as settled.
SETTLED_WITHIN = 0.01


class WeightState(NamedTuple):
    """Weights (m,) after `step` updates."""

    weights: FloatArray
    step: int


class WeightInfo(NamedTuple):
    """What one update saw: the best forest (m,), its total mass, and the share of settled weights."""

    forest: BoolArray
    forest_mass: float
    settled: float


def initial_weights(graph: Graph, seed: int | np.random.Generator = 0) -> WeightState:
    """Indicator of the spanning forest of random edge weights, a vertex of the polytope."""
    instance("the graph", graph, Graph, GraphError)
    own = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed_number("seed", seed))
    random = own.random(graph.n_edges)
    return WeightState(spanning_forest(graph.n_vertices, graph.edges, random).astype(np.float64), 0)


def update_weights(
    state: WeightState,
    masses: npt.ArrayLike,
    graph: Graph,
    *,
    maximum: bool,
    step_size: float = 0.1,
) -> tuple[WeightState, WeightInfo]:
    """One soft update (eq. soft-update): w ← (1 − α)·w + α·ŵ.

    ŵ is the indicator of the spanning forest of `graph` with the smallest total mass (empirical Bayes) or
    the largest (saddle point, `maximum=True`). The inputs are left as they are.
    """
    _check_state(state, graph)
    mass = real_array("masses", masses, GraphError, finite=False)
    forest = spanning_forest(graph.n_vertices, graph.edges, mass, maximum)
    return move_weights(state, forest, float(mass[forest].sum()), step_size=step_size)


def move_weights(
    state: WeightState, forest: BoolArray, forest_mass: float, *, step_size: float
) -> tuple[WeightState, WeightInfo]:
    """The soft update towards a forest (m,) that is already found."""
    step_size = real_number("step_size", step_size, at_least=0, at_most=1)
    # w + α(ŵ − w): a weight that is already 0 or 1 stays so to the bit.
    weights = forest - state.weights
    weights *= step_size
    weights += state.weights
    return WeightState(weights, state.step + 1), WeightInfo(forest, forest_mass, settled_share(weights))


def settled_share(weights: FloatArray) -> float:
    """Share of the weights within `SETTLED_WITHIN` of 0 or 1."""
    if len(weights) == 0:
        return 1.0
    nearest = 1 - weights
    np.minimum(weights, nearest, out=nearest)
    return float(np.mean(nearest <= SETTLED_WITHIN))


def round_to_forest(
    state: WeightState, graph: Graph, masses: npt.ArrayLike | None = None, *, maximum: bool
) -> BoolArray:
    """The single forest the weights stand for: their maximum spanning forest.

    Ties go by the current edge mass in the option's direction, then by edge order.
    """
    _check_state(state, graph)
    ties = None
    if masses is not None:
        ties = real_array("masses", masses, GraphError, finite=False) * (
            1 if flag("maximum", maximum) else -1
        )
    return spanning_forest(graph.n_vertices, graph.edges, state.weights, maximum=True, ties=ties)


def _check_state(state: WeightState, graph: Graph) -> None:
    instance("the graph", graph, Graph, GraphError)
    instance("the state", state, WeightState)
    if np.shape(state.weights) != (graph.n_edges,):
        raise GraphError(
            f"there are weights of shape {np.shape(state.weights)} for a graph of {graph.n_edges} edges."
        )


# ---------------------------------------------------------------------- a forest found in parts


class ForestPart(NamedTuple):
    """The best spanning forest of some of a graph's edges: their numbers, ascending, and what ranks them."""

    edges: npt.NDArray[np.int64]  # (k,) numbers in the edge list
    weights: FloatArray  # (k,)
    ties: FloatArray | None


def part_forest(
    graph: Graph, own: range, weights: FloatArray, ties: FloatArray | None = None, *, maximum: bool
) -> ForestPart:
    """The best spanning forest of the edges numbered `own`; `weights` and `ties` are theirs alone."""
    edges = graph.edges[own.start : own.stop]
    return _keep(ForestPart(np.arange(own.start, own.stop), weights, ties), graph, edges, maximum)


def merge_forests(graph: Graph, a: ForestPart, b: ForestPart, *, maximum: bool) -> ForestPart:
    """MSF(A ∪ B) from MSF(A) and MSF(B), to the same edges as if it had been found at once.

    Edges are in a strict order, by weight, ties and edge number, so that the best forest is the only one.
    """
    order = np.argsort(np.concatenate([a.edges, b.edges]))
    numbers = np.concatenate([a.edges, b.edges])[order]
    weights = np.concatenate([a.weights, b.weights])[order]
    ties = None
    if a.ties is not None and b.ties is not None:
        ties = np.concatenate([a.ties, b.ties])[order]
    return _keep(ForestPart(numbers, weights, ties), graph, graph.edges[numbers], maximum)


def _keep(found: ForestPart, graph: Graph, edges: npt.NDArray[np.int64], maximum: bool) -> ForestPart:
    """Of some edges those that are in their best forest."""
    mask = spanning_forest(graph.n_vertices, edges, found.weights, maximum, ties=found.ties)
    return ForestPart(
        found.edges[mask], found.weights[mask], None if found.ties is None else found.ties[mask]
    )
