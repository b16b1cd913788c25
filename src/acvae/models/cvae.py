"""CVAE: a prior that averages over all spanning forests of the graph with equal weight."""

from __future__ import annotations

from typing import Any

import torch

from acvae._util.checks import choice, flag, real_number, whole_number
from acvae.exceptions import FeatureError, GraphError, OptionError
from acvae.families.autoencoding import AutoencodingFamily
from acvae.families.graph import GraphFamily, graph_posterior
from acvae.families.independent import IndependentFamily
from acvae.families.pairwise import PairwiseFamily
from acvae.forests import sampled_spanning_tree_probabilities, spanning_tree_probabilities
from acvae.gaussian.checks import check_memory
from acvae.gaussian.graph.joint import elimination_order
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.models.estimator import AutoencoderEstimator
from acvae.nn import Autoencoder, Likelihood
from acvae.nn.features import Features
from acvae.training import BatchSizes

__all__ = ["CVAE", "GraphEstimator"]

EDGE_WEIGHTS = ("exact", "sampled")
POSTERIORS = ("pairs", "graph")
TAU, TAU_ON_GRAPH = 0.99, 0.8


class GraphEstimator(AutoencoderEstimator):
    """What CVAE and ACVAE share: a graph is needed, and pairs are sampled beside vertices."""

    pair_hidden_dim: int
    tau: float | None
    gamma: float
    batch_edges: int
    batch_pairs: int

    def _pair_width(self) -> int | None:
        return self.pair_hidden_dim

    def _objective(self) -> dict[str, Any]:
        return {**super()._objective(), "tau": self.tau, "gamma": self.gamma}

    def _batch_sizes(self) -> BatchSizes:
        return BatchSizes(self.batch_vertices, self.batch_edges, self.batch_pairs)

    def _check_options(self) -> None:
        super()._check_options()
        whole_number("pair_hidden_dim", self.pair_hidden_dim, minimum=1)
        whole_number("batch_edges", self.batch_edges, minimum=1)
        pairs = whole_number("batch_pairs", self.batch_pairs, minimum=1)
        check_memory(f"batch_pairs={pairs:,}", 16 * pairs, "choose fewer")
        if self.tau is not None:
            real_number("tau", self.tau, above=-1, below=1)
        real_number("gamma", self.gamma, at_least=0)

    def _check_graph(self, graph: Graph | None, n_rows: int) -> Graph | None:
        graph = super()._check_graph(graph, n_rows)
        if graph is None:
            raise GraphError(f"{type(self).__name__} learns from a graph: call fit(features, graph).")
        if graph.n_edges == 0:
            raise GraphError(
                f"the graph has no edges, so {type(self).__name__} has no correlations to learn; use VAE."
            )
        return graph

    def pairwise_posterior(self, features: Any) -> Posterior:
        """What the pair network alone says of each pair, without a joint."""
        return self._inference_on(features).pairwise_posterior()

    def graph_posterior(self, features: Any) -> Posterior:
        """One joint on the whole training graph: every edge counts, by its weight in the trained prior.

        `features` (n, D) are those the model was trained on.
        """
        inference = self._inference_on(features)
        assert self.graph_ is not None
        assert self.weights_ is not None
        if inference.n_vertices != self.graph_.n_vertices:
            raise FeatureError(
                f"the model was trained on {self.graph_.n_vertices} rows of features, and graph_posterior "
                f"needs those, not {inference.n_vertices}."
            )
        return graph_posterior(inference, self.graph_, self.weights_)


class CVAE(GraphEstimator):
    """Correlated VAE of Tang et al. (2019): edge weights are spanning-tree probabilities and stay fixed.

    Parameters
    ----------
    correlated
        True: a pair network gives each pair a correlation, and distances are ranked by it, pair by pair
        (CVAE_corr). False: the posterior factorises (CVAE_ind), and γ has no part in the objective.
    latent_dim
        Dimensions of an embedding.
    hidden_dim
        Units of the hidden layers.
    pair_hidden_dim
        Units of the pair network's hidden layer.
    tau
        Correlation of the prior across an edge; by default 0.99, and 0.8 with `posterior="graph"`, where all
        edges count at once.
    gamma
        Strength of the negative-sampling regulariser.
    posterior
        What `posterior_` is of a correlated CVAE: `"pairs"`, the pair network's approximation of each pair on
        its own, as in the paper; or `"graph"`, one joint on the whole graph, in which every path between two
        vertices counts (`Posterior.on_graph`).
    edge_weights
        `"exact"`, or `"sampled"` for an estimate from random spanning trees, where the graph is too large.
    n_trees
        Number of sampled spanning trees; has no part in exact weights.
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

    def __init__(
        self,
        correlated: bool = True,
        latent_dim: int = 10,
        hidden_dim: int = 30,
        pair_hidden_dim: int = 100,
        *,
        tau: float | None = None,
        gamma: float = 0.1,
        posterior: str = "pairs",
        edge_weights: str = "exact",
        n_trees: int = 100,
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
        self.correlated = correlated
        self.latent_dim = latent_dim
        self.hidden_dim = hidden_dim
        self.pair_hidden_dim = pair_hidden_dim
        self.tau = tau
        self.gamma = gamma
        self.posterior = posterior
        self.edge_weights = edge_weights
        self.n_trees = n_trees
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
        if self.posterior == "graph":
            return "CVAE_graph"
        return "CVAE_corr" if self.correlated else "CVAE_ind"

    def _pair_width(self) -> int | None:
        return self.pair_hidden_dim if self.correlated else None

    def _check_options(self) -> None:
        super()._check_options()
        flag("correlated", self.correlated)
        choice("posterior", self.posterior, POSTERIORS)
        if self.posterior == "graph" and not self.correlated:
            raise OptionError(
                'posterior="graph" is for a correlated CVAE, and this one has correlated=False.'
            )
        choice("edge_weights", self.edge_weights, EDGE_WEIGHTS)
        whole_number("n_trees", self.n_trees, minimum=2)

    def _objective(self) -> dict[str, Any]:
        tau = self.tau
        if tau is None:
            tau = TAU_ON_GRAPH if self.posterior == "graph" else TAU
        return {**super()._objective(), "tau": tau}

    def _family(
        self, module: Autoencoder, features: Features, graph: Graph | None, device: torch.device
    ) -> AutoencodingFamily:
        assert graph is not None
        kind: type[AutoencodingFamily] = PairwiseFamily if self.correlated else IndependentFamily
        options = self._objective()
        if self.posterior == "graph":
            kind = GraphFamily
            # Refused before the weights are computed, if there is not the memory.
            options["order"] = elimination_order(graph.n_vertices, int(self.latent_dim), graph.edges)
        if self.edge_weights == "exact":
            weights = spanning_tree_probabilities(graph)
        else:
            weights = sampled_spanning_tree_probabilities(graph, self.n_trees, self.seed).probabilities
        return kind(module, features, graph, weights, **options, device=device)
