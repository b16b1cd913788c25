"""What the auto-encoding models share: options checked at the door, one fit, one posterior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch

from acvae._util.checks import real_number, whole_number
from acvae._util.seeds import stream_seed
from acvae.engine.distributed import join, local_device
from acvae.exceptions import FeatureError, OptionError
from acvae.families import inference
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.models.conventions import Embedder, check_graph_type, column_names
from acvae.nn import Autoencoder, Likelihood, as_features, make_likelihood
from acvae.nn.features import Features
from acvae.training import BatchSizes, Callback, Checkpoint, Plan, Prior, Problem, train

__all__ = ["AutoencoderEstimator", "resolve_device"]


class AutoencoderEstimator(Embedder):
    """Base of VAE, CVAE and ACVAE: a subclass says which prior it trains with and lists its options.

    After `fit`: `posterior_`, `history_` (one dict per epoch), `module_` (the networks), `graph_`,
    `weights_` (edge weights at the end, or None), `n_features_in_`, and `feature_names_in_` where features
    came as a data frame.
    """

    latent_dim: int
    hidden_dim: int
    likelihood: str | Likelihood
    epochs: int
    learning_rate: float
    batch_vertices: int
    seed: int
    device: str
    progress: bool

    # ------------------------------------------------------------------ what a subclass says

    def _label(self) -> str:
        """Name shown beside the progress bar."""
        return type(self).__name__

    def _pair_width(self) -> int | None:
        """Hidden size of the pair encoder, or None for no pair encoder."""
        return None

    def _constants(self) -> tuple[float, float]:
        """τ and γ of the objective."""
        return 0.0, 0.0

    def _make_prior(self, graph: Graph | None) -> Prior | None:
        """The prior's edge weights at the start; None trains without edges."""
        return None

    def _batch_sizes(self) -> BatchSizes:
        return BatchSizes(vertices=self.batch_vertices)

    def _check_graph(self, graph: Graph | None, n_rows: int) -> Graph | None:
        if graph is None:
            return None
        check_graph_type(graph)
        if graph.n_vertices != n_rows:
            raise FeatureError(
                f"there are {n_rows} rows of features but {graph.n_vertices} vertices; "
                "row i must describe vertex i."
            )
        return graph

    def _check_options(self) -> None:
        whole_number("latent_dim", self.latent_dim, minimum=1)
        whole_number("hidden_dim", self.hidden_dim, minimum=1)
        whole_number("epochs", self.epochs, minimum=0)
        whole_number("batch_vertices", self.batch_vertices, minimum=1)
        whole_number("seed", self.seed, minimum=0)
        real_number("learning_rate", self.learning_rate, above=0)
        make_likelihood(self.likelihood, 1)

    # ------------------------------------------------------------------ what users call

    def networks(self, n_features: int) -> Autoencoder:
        """The networks that `fit` trains, as they are before; a subclass may put others in."""
        return Autoencoder(
            n_features,
            latent_dim=self.latent_dim,
            hidden_dim=self.hidden_dim,
            pair_hidden_dim=self._pair_width(),
            likelihood=self.likelihood,
            generator=torch.Generator().manual_seed(stream_seed(self.seed, "networks")),
        )

    def fit(
        self,
        features: Any,
        graph: Graph | None = None,
        *,
        callbacks: Sequence[Callback] = (),
        checkpoint: Checkpoint | None = None,
    ) -> Self:
        """Train on a feature matrix (n, D), sparse or dense, and a graph on its n rows.

        With a `checkpoint` the training can be stopped, and the same call goes on where it was. Under
        `torchrun`, processes share the edges and each ends with the same model.
        """
        self._check_options()
        device = local_device(resolve_device(self.device))
        inputs = as_features(features, device)
        if inputs.n_rows < 2 or inputs.n_columns == 0:
            raise FeatureError(
                f"at least two data points with one feature are needed, got a matrix of "
                f"{inputs.n_rows} rows and {inputs.n_columns} columns."
            )
        graph = self._check_graph(graph, inputs.n_rows)
        module = self.networks(inputs.n_columns).to(device)
        module.likelihood.check(inputs)
        prior = self._make_prior(graph)
        problem = self._problem(module, inputs, graph if prior is not None else None, device)
        plan = Plan(
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch_sizes=self._batch_sizes(),
            seed=int(self.seed),
            progress=self.progress,
            label=self._label(),
        )
        world = join(device)
        history = train(problem, prior, plan, callbacks, checkpoint, world)
        posterior = inference.posterior(problem, prior, world)  # may still fail, and then nothing has changed
        self.module_ = module
        self.n_features_in_ = inputs.n_columns
        self._remember_columns(column_names(features))
        self.graph_ = graph
        self.history_ = history
        self.weights_: npt.NDArray[np.float64] | None = None if prior is None else prior.weights
        self.posterior_: Posterior = posterior
        return self

    def transform(self, features: Any) -> npt.NDArray[np.float32]:
        """Means (k, d) of the embeddings of any rows with the same features, seen or unseen."""
        mean, _ = self._problem_on(features).marginals()
        return mean

    # ------------------------------------------------------------------ inside

    def _problem(
        self, module: Autoencoder, features: Features, graph: Graph | None, device: torch.device
    ) -> Problem:
        tau, gamma = self._constants()
        return Problem(module, features, graph, tau, gamma, device)

    def _problem_on(self, features: Any) -> Problem:
        """The trained networks on other features, without a graph."""
        self._need_fit("transform")
        self._check_columns(features)
        device = resolve_device(self.device)
        inputs = as_features(features, device)
        self._check_width(inputs.n_columns)
        self.module_.likelihood.check(inputs)
        return self._problem(self.module_.to(device), inputs, None, device)


def resolve_device(device: str) -> torch.device:
    """`"auto"` is CUDA where there is one and the CPU elsewhere; any torch device name is taken as it is."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError):
        raise OptionError(f"device={device!r} is unknown; use 'auto', 'cpu' or 'cuda'.") from None
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise OptionError(f"device={device!r} was asked for, but no CUDA device is available here.")
    return chosen
