"""GraphSAGE (Hamilton et al., 2017): the paper's baseline that knows the graph but not uncertainty."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from acvae._util.checks import real_number, whole_number
from acvae._util.progress import Progress
from acvae._util.seeds import stream_seed
from acvae.engine.distributed import ALONE, World
from acvae.exceptions import GraphError, OptionError, TrainingError
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.models.conventions import Embedder, check_graph_type, column_names
from acvae.models.estimator import resolve_device
from acvae.nn.sage import SageGraph, SageNetwork
from acvae.training.checkpoint import Checkpoint, Keeper, Parts
from acvae.training.state import StateCallback

__all__ = ["GraphSAGE"]

EMBEDDING_STD = 1e-6  # embeddings are points; a posterior wants a positive standard deviation
EVALUATION_NEGATIVES = 256


class GraphSAGE(Embedder):
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
    latent_dim, hidden_dim
        Size of an embedding and of the layer between.
    n_negatives
        Q.
    epochs
        Passes over the edges.
    learning_rate, batch_edges
        Adam's step size and edges per step.
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
        whole_number("seed", self.seed, minimum=0)
        real_number("learning_rate", self.learning_rate, above=0)

    # ------------------------------------------------------------------ what users call

    def networks(self, n_features: int) -> SageNetwork:
        """The network that `fit` trains, as it is before."""
        return SageNetwork(
            n_features, self.hidden_dim, self.latent_dim, seed=stream_seed(self.seed, "networks")
        )

    def fit(
        self,
        features: Any,
        graph: Graph | None = None,
        *,
        callbacks: Sequence[StateCallback] = (),
        checkpoint: Checkpoint | None = None,
    ) -> Self:
        """Train on a feature matrix (n, D), sparse or dense, and a graph on its n rows."""
        self._check_options()
        inputs = self._inputs(features, graph)
        if inputs.graph.n_edges == 0:
            raise GraphError("the graph has no edges, so GraphSAGE has no neighbours to learn from; use VAE.")
        module = self.networks(inputs.n_features).to(inputs.device)
        self.history_ = _train(self, module, inputs, callbacks, checkpoint)
        self.module_ = module
        self.n_features_in_ = inputs.n_features
        self._remember_columns(column_names(features))
        self.graph_ = inputs.graph
        self.weights_ = None
        self.posterior_: Posterior = _posterior(module, inputs)
        return self

    def transform(self, features: Any, graph: Graph | None = None) -> npt.NDArray[np.float32]:
        """Embeddings (k, d) of any vertices with the same features, seen or unseen, in their own graph."""
        self._need_fit("transform")
        self._check_columns(features)
        inputs = self._inputs(features, graph)
        self._check_width(inputs.n_features)
        return _embeddings(self.module_.to(inputs.device), inputs).cpu().numpy()

    # ------------------------------------------------------------------ inside

    def _inputs(self, features: Any, graph: Graph | None) -> SageGraph:
        if graph is None:
            raise GraphError("GraphSAGE averages over neighbours: give it a graph, fit(features, graph).")
        check_graph_type(graph)
        return SageGraph(features, graph, resolve_device(self.device))


@dataclass(frozen=True)
class SageState:
    """What a callback sees after an epoch; the negative loss stands where other models have an ELBO."""

    epoch: int
    epochs: int
    figures: dict[str, float]
    module: SageNetwork
    inputs: SageGraph
    n_negatives: int
    world: World = ALONE  # each process trains the whole model

    def elbo(self) -> float:
        """Minus the loss over all edges and a fixed sample of negatives: no bound, but a train objective."""
        return -_full_loss(self.module, self.inputs, self.n_negatives)

    def posterior(self, pairwise: bool = False) -> Posterior:
        if pairwise:
            raise OptionError("GraphSAGE has no pair network, so pairwise=True does not apply to it.")
        return _posterior(self.module, self.inputs)


def _train(
    model: GraphSAGE,
    module: SageNetwork,
    inputs: SageGraph,
    callbacks: Sequence[StateCallback],
    checkpoint: Checkpoint | None,
) -> list[dict[str, float]]:
    rng = np.random.default_rng(stream_seed(model.seed, "batches"))
    optimizer = torch.optim.Adam(module.parameters(), lr=model.learning_rate)
    draw = inputs.negative_sampler()
    history: list[dict[str, float]] = []
    keeper = None
    if checkpoint is not None:
        options = {**model.get_params(deep=False), "progress": None, "n_edges": inputs.graph.n_edges}
        keeper = Keeper(checkpoint, Parts(module, optimizer, rng, history, options))
    done = len(history)
    shown = Progress(model.epochs, "GraphSAGE", show=model.progress, done=done)
    with shown as progress, keeper or nullcontext():
        for epoch in range(done + 1, model.epochs + 1):
            started = time.perf_counter()
            losses = []
            edges = rng.permuted(rng.permutation(inputs.graph.edges), axis=1)  # either end may come first
            for start in range(0, len(edges), model.batch_edges):
                batch = edges[start : start + model.batch_edges]
                negatives = draw(model.n_negatives, rng)
                z, local = module.embed(inputs, np.concatenate([batch.T.ravel(), negatives]))
                loss = pair_loss(z, *local.split([len(batch), len(batch), len(negatives)]))
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                losses.append(loss.detach())
                if keeper is not None:
                    keeper.check_interrupt()
            mean_loss = float(torch.stack(losses).mean())
            if not np.isfinite(mean_loss):
                raise TrainingError(f"the loss became {mean_loss} in epoch {epoch}; lower learning_rate.")
            figures: dict[str, float] = {"epoch": epoch, "steps": len(losses), "elbo": -mean_loss}
            figures["seconds"] = time.perf_counter() - started
            seen = {**figures, "kl": float("nan"), "mean_correlation": float("nan")}
            state = SageState(epoch, model.epochs, seen, module, inputs, model.n_negatives)
            for callback in callbacks:
                figures.update(callback(state) or {})
            history.append(figures)
            if keeper is not None:
                keeper.after_epoch(last=epoch == model.epochs)
            progress.advance(loss=f"{mean_loss:.3f}")
    return history


def pair_loss(z: Tensor, u: Tensor, v: Tensor, negatives: Tensor) -> Tensor:
    """Mean over the pairs of −log σ(z_u·z_v) − Σ_q log σ(−z_u·z_q); u, v (b,), negatives (Q,) row numbers."""
    positive = logsigmoid((z[u] * z[v]).sum(-1))  # (b,)
    negative = logsigmoid(-z[u] @ z[negatives].T).sum(-1)  # (b,)
    return -(positive + negative).mean()


@torch.no_grad()
def _full_loss(module: SageNetwork, inputs: SageGraph, n_negatives: int) -> float:
    """The loss over every edge in both orders, with the sum over Q draws replaced by Q times a mean."""
    z = _embeddings(module, inputs).double()
    u, v = torch.from_numpy(inputs.graph.edges.T.copy()).to(inputs.device)
    sample = inputs.negative_sampler()(EVALUATION_NEGATIVES, np.random.default_rng(0))
    negative = logsigmoid(-z @ z[torch.from_numpy(sample).to(inputs.device)].T).mean(-1)  # (n,)
    positive = logsigmoid((z[u] * z[v]).sum(-1)).mean()
    return float(-positive - n_negatives * 0.5 * (negative[u] + negative[v]).mean())


@torch.no_grad()
def _embeddings(module: SageNetwork, inputs: SageGraph) -> Tensor:
    """(n, d) embedding of every vertex."""
    z, local = module.embed(inputs, np.arange(inputs.graph.n_vertices))
    return z[local]


def _posterior(module: SageNetwork, inputs: SageGraph) -> Posterior:
    mean = _embeddings(module, inputs).cpu().numpy()
    return Posterior(mean, np.full_like(mean, EMBEDDING_STD))
