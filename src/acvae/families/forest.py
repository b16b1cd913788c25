"""A joint on a learnt forest: ACVAE, whose prior adapts its edge weights until one forest is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import whole_number
from acvae.engine.distributed import ALONE, World
from acvae.families.autoencoding import AutoencodingFamily
from acvae.families.base import FamilyState
from acvae.families.shared_forest import shared_forest
from acvae.forests.weights import WeightState, initial_weights, move_weights
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.nn import Autoencoder
from acvae.nn.features import Features

__all__ = ["ForestFamily"]

FloatArray = npt.NDArray[np.float64]


class ForestFamily(AutoencodingFamily):
    """After each epoch the weights take a soft step w ← (1 − α)·w + α·ŵ (alg. 1).

    ŵ is the spanning forest of least edge mass (empirical Bayes), or of largest (`maximum`, the saddle
    point). `seed` draws the forest to start from.
    """

    def __init__(
        self,
        module: Autoencoder,
        features: Features,
        graph: Graph,
        *,
        maximum: bool,
        step_size: float = 0.1,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.maximum, self.step_size = maximum, step_size
        self.weight_state = initial_weights(graph, seed)
        super().__init__(module, features, graph, self.weight_state.weights, **options)

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "weight_step": self.step_size}

    def after_epoch(self, world: World = ALONE) -> dict[str, float]:
        """One soft step of the weights."""
        self.move_weights(self.edge_masses(world), world)
        return super().after_epoch(world)

    def move_weights(self, masses: FloatArray, world: World = ALONE) -> None:
        """One soft step towards the best forest of these masses, of the process's share of edges."""
        assert self.graph is not None
        forest, mass = shared_forest(world, self.graph, masses, maximum=self.maximum)
        state, _ = move_weights(self.weight_state, forest, mass, step_size=self.step_size)
        self._set(state)

    def forest(self, masses: FloatArray, world: World = ALONE) -> npt.NDArray[np.bool_]:
        """(m,) the single forest the weights stand for now; ties go by mass, in the option's direction."""
        assert self.graph is not None
        own = world.share(self.graph.n_edges).own
        ties = masses * (1 if self.maximum else -1)
        weights = self.weight_state.weights[own.start : own.stop]
        return shared_forest(world, self.graph, weights, ties, maximum=True)[0]

    def posterior(self, world: World = ALONE, *, pairwise: bool = False) -> Posterior:
        """The joint on the forest, read by belief propagation; or the pair network's word on each pair."""
        if pairwise:
            return self.inference.pairwise_posterior()
        assert self.graph is not None
        edges = self.graph.edges[self.forest(self.edge_masses(world), world)]
        return Posterior(*self.inference.marginals(), edges, self.inference.correlations(edges))

    def state(self) -> FamilyState:
        return FamilyState({"weights": self.weight_state.weights.copy()}, {"step": self.weight_state.step})

    def restore(self, state: FamilyState) -> None:
        weights = state.arrays["weights"]
        if weights.shape != self.weight_state.weights.shape:
            raise ValueError(f"{len(self.weight_state.weights)} edges, but weights of shape {weights.shape}")
        if weights.dtype != np.float64 or not ((weights >= 0) & (weights <= 1)).all():
            raise ValueError("weights are numbers from 0 to 1")
        self._set(WeightState(weights, whole_number("step", state.values["step"], minimum=0)))

    def _set(self, state: WeightState) -> None:
        self.weight_state, self.weights = state, state.weights
