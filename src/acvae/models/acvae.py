"""ACVAE: a prior that adapts its edge weights until a single spanning forest is left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

from acvae._util.checks import choice, real_number
from acvae._util.seeds import stream_seed
from acvae.families.forest import ForestFamily
from acvae.graph import Graph
from acvae.models.cvae import GraphEstimator
from acvae.nn import Autoencoder, Likelihood
from acvae.nn.features import Features

if TYPE_CHECKING:
    from acvae.models.extension import Extension

__all__ = ["ACVAE"]


class ACVAE(GraphEstimator):
    """Adaptive correlated VAE: networks and the prior's spanning forest are learnt in turns (alg. 1).

    After training, the embeddings have one joint Gaussian on the learnt forest, and `posterior_` answers
    every question about pairs exactly, by belief propagation along forest paths.

    Parameters
    ----------
    objective
        "empirical-bayes": weights move to the forest of least edge mass, the tightest bound.
        "saddle-point": to the forest of largest mass, the most conservative bound.
    latent_dim
        Dimensions of an embedding.
    hidden_dim
        Units of the hidden layers.
    pair_hidden_dim
        Units of the pair network's hidden layer.
    tau
        Correlation of the prior across an edge.
    gamma
        Strength of the negative-sampling regulariser.
    weight_step
        α of the soft update, once per epoch: w ← (1 − α)·w + α·ŵ.
    likelihood
        "multinomial" (the paper's), "bernoulli", "poisson", "gaussian", or a module of your own.
    epochs
        Passes over the edges.
    learning_rate
        Adam's step size.
    batch_vertices
        Vertices per step.
    batch_edges
        Edges per step.
    batch_pairs
        Random pairs per step, for the regulariser.
    seed
        Fixes everything that is random.
    device
        "auto", "cpu", "cuda", …
    progress
        Show progress on standard error.
    """

    tau: float

    def __init__(
        self,
        objective: str = "empirical-bayes",
        latent_dim: int = 10,
        hidden_dim: int = 30,
        pair_hidden_dim: int = 100,
        *,
        tau: float = 0.99,
        gamma: float = 0.1,
        weight_step: float = 0.1,
        likelihood: str | Likelihood = "multinomial",
        epochs: int = 200,
        learning_rate: float = 1e-3,
        batch_vertices: int = 64,
        batch_edges: int = 256,
        batch_pairs: int = 256,
        seed: int = 0,
        device: str = "auto",
        progress: bool = True,
    ) -> None:
        self.objective = objective
        self.latent_dim = latent_dim
        self.hidden_dim = hidden_dim
        self.pair_hidden_dim = pair_hidden_dim
        self.tau = tau
        self.gamma = gamma
        self.weight_step = weight_step
        self.likelihood = likelihood
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_vertices = batch_vertices
        self.batch_edges = batch_edges
        self.batch_pairs = batch_pairs
        self.seed = seed
        self.device = device
        self.progress = progress
        self._check_options()

    def _label(self) -> str:
        return "ACVAE_EB" if self.objective == "empirical-bayes" else "ACVAE_SP"

    def _check_options(self) -> None:
        super()._check_options()
        real_number("tau", self.tau, above=-1, below=1)
        choice("objective", self.objective, ("empirical-bayes", "saddle-point"))
        real_number("weight_step", self.weight_step, above=0, at_most=1)

    def _family(
        self, module: Autoencoder, features: Features, graph: Graph | None, device: torch.device
    ) -> ForestFamily:
        assert graph is not None
        return ForestFamily(
            module,
            features,
            graph,
            maximum=self.objective == "saddle-point",
            step_size=self.weight_step,
            seed=stream_seed(self.seed, "forest"),
            **self._objective(),
            device=device,
        )

    def _keep(self, features: Any) -> None:
        self._fitted_features = features

    def extend(
        self, features: Any, edges: Any, *, known_features: Any = None, names: Iterable[Any] | None = None
    ) -> Extension:
        """Attach unseen vertices to the forest, without training; the model itself stays as it is.

        Each becomes a leaf, on the end of the one of its edges whose mass the objective prefers: the least
        for empirical Bayes, the largest for the saddle point. Marginals of known vertices are unchanged to
        the bit, those of the new ones exact, and `nearest` works at once.

        Parameters
        ----------
        features
            (k, D) of the new vertices.
        edges
            Pairs (new vertex, known vertex). A whole number is an id, 0 … k−1 for the new ones; anything else
            is a name. New vertices without edges are embedded by their features alone.
        known_features
            (n, D) the matrix the model was trained on, by default what `fit` was given: the correlation along
            an edge is read from the features of both its ends. A file of a model does not hold them, so after
            `acvae.load` they are needed where there are edges; only the rows at their ends are looked at.
        names
            k names of the new vertices, by default those in the index of a data frame; without these,
            "new-0", "new-1", … if the known ones have names.

        Returns
        -------
        `posterior` and `graph` of all n + k vertices, the ids n … n+k−1 of the new ones in them (`vertices`),
        and the known vertex each hangs on (`attached_to`, −1 for none).
        """
        from acvae.models.extension import extend

        self._need_fit("extend")
        return extend(self, features, edges, known_features=known_features, names=names)
