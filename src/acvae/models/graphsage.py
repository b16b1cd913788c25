"""GraphSAGE (Hamilton et al., 2017): the paper's baseline that knows the graph but not uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from acvae._util.checks import real_number, seed_number, whole_number
from acvae._util.options import option
from acvae._util.seeds import stream_seed
from acvae.engine.distributed import local_device
from acvae.exceptions import GraphError
from acvae.families.sage import SageFamily
from acvae.gaussian.checks import check_memory
from acvae.graph import Graph
from acvae.models.estimator import FamilyEstimator, check_network_memory, resolve_device
from acvae.models.inputs import prepare
from acvae.models.link_answers import check_graph_type
from acvae.nn.sage import SageGraph, SageNetwork
from acvae.training import Callback, Checkpoint

__all__ = ["GraphSAGE"]


class GraphSAGE(FamilyEstimator):
    """GraphSAGE with mean aggregators, trained without labels; squared distances rank.

    Two layers of PyTorch Geometric's `SAGEConv` with a ReLU between give every vertex an embedding of
    length one. For every edge (u, v) of the graph and Q vertices n_q drawn with probability ∝ degree^0.75,
    the loss is

        −log σ(z_u·z_v) − Σ_q log σ(−z_u·z_{n_q}),

    with one draw of Q vertices shared by the edges of a step, as in the authors' program. Neighbourhoods
    are taken whole, not sampled: the first layer averages features, which never change, so its averages are
    computed once, and a step costs no more than the neighbours of its own vertices.

    Needs PyTorch Geometric: pip install 'acvae[baselines]'.

    Parameters
    ----------
    latent_dim
        Dimensions of an embedding.
    hidden_dim
        Units of the layer between.
    n_negatives
        Q, the vertices drawn against every edge.
    epochs
        Passes over the edges.
    learning_rate
        Adam's step size.
    batch_edges
        Edges per step.
    seed
        Fixes everything that is random.
    device
        "auto", "cpu", "cuda", …
    progress
        Show progress on standard error.

    After `fit`: `posterior_` (the embeddings as means, with a negligible standard deviation and no
    correlations), `history_` (one dict per epoch; `elbo` is minus the loss), `module_`, `graph_`,
    `n_features_in_`, and `feature_names_in_` where features came as a data frame.
    """

    module_: SageNetwork

    def __init__(
        self,
        latent_dim: int = 10,
        hidden_dim: int = 30,
        *,
        n_negatives: int = 20,
        epochs: int = 100,
        learning_rate: float = 1e-3,
        batch_edges: int = 256,
        seed: int = 0,
        device: str = "auto",
        progress: bool = True,
    ) -> None:
        self.latent_dim = latent_dim
        self.hidden_dim = hidden_dim
        self.n_negatives = n_negatives
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_edges = batch_edges
        self.seed = seed
        self.device = device
        self.progress = progress
        self._check_options()

    def _check_options(self) -> None:
        whole_number("latent_dim", self.latent_dim, minimum=1)
        whole_number("hidden_dim", self.hidden_dim, minimum=1)
        whole_number("n_negatives", self.n_negatives, minimum=1)
        whole_number("epochs", self.epochs, minimum=0)
        whole_number("batch_edges", self.batch_edges, minimum=1)
        seed_number("seed", self.seed)
        real_number("learning_rate", self.learning_rate, above=0)

    # ------------------------------------------------------------------ what users call

    def networks(self, n_features: int) -> SageNetwork:
        """The network that `fit` trains, as it is before."""
        h, d = int(self.hidden_dim), int(self.latent_dim)
        check_network_memory(2 * h * (n_features + d))
        return SageNetwork(n_features, h, d, seed=stream_seed(self.seed, "networks"))

    def fit(
        self,
        features: Any,
        graph: Any = None,
        *,
        callbacks: Sequence[Callback] = (),
        checkpoint: Checkpoint | None = None,
    ) -> Self:
        """Train on a feature matrix (n, D), sparse or dense, and a graph on its n rows."""
        self._check_options()
        given = prepare(features, graph, model="GraphSAGE")
        inputs = self._inputs(given.features, given.graph)
        if inputs.graph.n_edges == 0:
            raise GraphError("the graph has no edges, so GraphSAGE has no neighbours to learn from; use VAE.")
        steps = min(int(self.batch_edges), inputs.graph.n_edges) * int(self.n_negatives)
        check_memory(
            "the negatives of a step",
            8 * steps * int(self.latent_dim),
            f"choose fewer {option('n_negatives')}",
        )
        module = self.networks(inputs.n_features).to(inputs.device)
        family = SageFamily(
            module, inputs, n_negatives=self.n_negatives, batch_edges=self.batch_edges, name="GraphSAGE"
        )
        self._train(family, callbacks, checkpoint)
        self.n_features_in_ = inputs.n_features
        self._remember_columns(given.feature_names)
        self.graph_ = inputs.graph
        self.weights_ = None
        return self

    def transform(self, features: Any, graph: Graph | None = None) -> npt.NDArray[np.float32]:
        """Embeddings (k, d) of any vertices with the same features, seen or unseen, in their own graph."""
        self._need_fit("transform")
        self._check_columns(features)
        inputs = self._inputs(features, graph)
        self._check_width(inputs.n_features)
        return SageFamily(self.module_.to(inputs.device), inputs).embeddings().cpu().numpy()

    # ------------------------------------------------------------------ inside

    def _inputs(self, features: Any, graph: Graph | None) -> SageGraph:
        if graph is None:
            raise GraphError("GraphSAGE averages over neighbours: give it a graph, fit(features, graph).")
        check_graph_type(graph)
        return SageGraph(features, graph, local_device(resolve_device(self.device)))
