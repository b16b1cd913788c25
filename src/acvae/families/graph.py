"""A joint on the whole graph: CVAE, read as the mean of the precisions of all spanning forests."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.engine.distributed import ALONE, World
from acvae.families.amortized import AmortizedInference
from acvae.families.autoencoding import AutoencodingFamily
from acvae.forests.elimination import Elimination
from acvae.gaussian.graph.joint import GraphJoint, elimination_order
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.nn import Autoencoder

__all__ = ["GraphFamily", "graph_posterior"]


class GraphFamily(AutoencodingFamily):
    """Trained as CVAE is; the posterior is one Gaussian, in which every edge counts by its weight.

    A graph whose elimination needs more memory than there is is refused here, before training; `order` is
    its `elimination_order`, if that is known already.
    """

    def __init__(
        self, module: Autoencoder, *arguments: Any, order: Elimination | None = None, **options: Any
    ) -> None:
        super().__init__(module, *arguments, **options)
        assert self.graph is not None
        if order is None:
            latent_dim = module.decoder.hidden.weight.shape[0]
            order = elimination_order(self.graph.n_vertices, latent_dim, self.graph.edges)
        self._order = order

    def posterior(self, world: World = ALONE, *, pairwise: bool = False) -> Posterior:
        """The joint, or the pair network's approximation of each pair."""
        if pairwise:
            return self.inference.pairwise_posterior()
        assert self.graph is not None
        assert self.weights is not None
        return graph_posterior(self.inference, self.graph, self.weights, self._order)


def graph_posterior(
    inference: AmortizedInference,
    graph: Graph,
    weights: npt.NDArray[np.float64],
    order: Elimination | None = None,
) -> Posterior:
    """The joint on a whole graph, every edge by its weight in the prior and its ρ by the pair network."""
    rho = inference.correlations(graph.edges)
    joint = GraphJoint.of_forests(graph.n_vertices, graph.edges, rho, weights, order)
    return Posterior.from_correlations(*inference.marginals(), joint)
