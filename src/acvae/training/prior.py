"""Prior structures: the edge weights that training uses, and what an epoch does to them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from acvae.forests.weights import WeightState, initial_weights, round_to_forest, settled_share, update_weights
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

    def update(self, masses: FloatArray) -> None:
        """Move the weights, once an epoch, if the prior adapts."""


class FixedPrior:
    """Weights that stay: CVAE's uniform mixture over all spanning forests."""

    adaptive = False

    def __init__(self, weights: FloatArray) -> None:
        self.weights = weights
        self.settled = settled_share(weights)

    def update(self, masses: FloatArray) -> None:
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

    def update(self, masses: FloatArray) -> None:
        self.state, info = update_weights(
            self.state, masses, self.graph, maximum=self.maximum, step_size=self.step_size
        )
        self.settled = info.settled

    def forest(self, masses: FloatArray) -> npt.NDArray[np.bool_]:
        """(m,) the single forest the weights stand for now."""
        return round_to_forest(self.state, self.graph, masses, maximum=self.maximum)
