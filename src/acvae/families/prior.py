"""Prior structures: the edge weights that training uses, and what an epoch does to them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from acvae.elimination import Elimination
from acvae.engine.distributed import ALONE, World
from acvae.families.shared_forest import shared_forest
from acvae.forests.weights import WeightState, initial_weights, move_weights, settled_share
from acvae.graph import Graph

__all__ = ["AdaptivePrior", "FixedPrior", "Prior"]

FloatArray = npt.NDArray[np.float64]


class Prior(Protocol):
    """Weights w_e of the edges in the objective."""

    adaptive: bool

    @property
    def weights(self) -> FloatArray:
        """(m,) current weights."""

    @property
    def settled(self) -> float:
        """Share of the weights at 0 or 1."""

    def update(self, masses: FloatArray, world: World = ALONE) -> None:
        """Move the weights, once an epoch, if the prior adapts; `masses` are those of the world's share."""


class FixedPrior:
    """Weights that stay: CVAE's uniform mixture over all spanning forests.

    `order` is the order in which the graph is eliminated, if the posterior is to be one joint on all of it.
    """

    adaptive = False

    def __init__(self, weights: FloatArray, *, order: Elimination | None = None) -> None:
        self.weights, self.order = weights, order
        self.settled = settled_share(weights)

    def update(self, masses: FloatArray, world: World = ALONE) -> None:
        """Nothing to adapt."""


class AdaptivePrior:
    """ACVAE's weights: a soft step per epoch towards the forest of least or of largest mass."""

    adaptive = True

    def __init__(
        self,
        graph: Graph,
        *,
        maximum: bool,
        step_size: float,
        state: WeightState | None = None,
        seed: int = 0,
    ) -> None:
        self.graph, self.maximum, self.step_size = graph, maximum, step_size
        self.state = initial_weights(graph, seed) if state is None else state
        self.settled = settled_share(self.state.weights)

    @property
    def weights(self) -> FloatArray:
        return self.state.weights

    def update(self, masses: FloatArray, world: World = ALONE) -> None:
        forest, forest_mass = shared_forest(world, self.graph, masses, maximum=self.maximum)
        self.state, info = move_weights(self.state, forest, forest_mass, step_size=self.step_size)
        self.settled = info.settled

    def forest(self, masses: FloatArray, world: World = ALONE) -> npt.NDArray[np.bool_]:
        """(m,) the single forest the weights stand for now; ties go by mass, in the option's direction."""
        own = world.share(self.graph.n_edges).own
        ties = masses * (1 if self.maximum else -1)
        weights = self.weights[own.start : own.stop]
        return shared_forest(world, self.graph, weights, ties, maximum=True)[0]
