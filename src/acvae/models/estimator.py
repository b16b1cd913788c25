"""What the auto-encoding models share: options checked at the door, one fit, one posterior."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch

from acvae._util.checks import real_number, seed_number, whole_number
from acvae._util.options import setting
from acvae._util.progress import Waiting
from acvae._util.runaway import runaway
from acvae._util.seeds import stream_seed
from acvae.engine.distributed import join, local_device
from acvae.exceptions import FeatureError, OptionError, SavedModelError, TrainingWarning
from acvae.families.amortized import AmortizedInference
from acvae.families.autoencoding import AutoencodingFamily
from acvae.families.base import Family
from acvae.families.independent import IndependentFamily
from acvae.gaussian.checks import check_memory
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.models.conventions import Embedder
from acvae.models.inputs import prepare
from acvae.models.link_answers import check_graph_type
from acvae.nn import Autoencoder, Likelihood, as_features, make_likelihood
from acvae.nn.features import Features
from acvae.training import BatchSizes, Callback, Checkpoint, Plan, train

MODULE = "module."  # before the names of the networks' arrays in a file

__all__ = ["AutoencoderEstimator", "FamilyEstimator", "check_network_memory", "resolve_device"]


class FamilyEstimator(Embedder):
    """A model whose family is trained in the loop; a subclass makes the family."""

    epochs: int
    learning_rate: float
    seed: int
    device: str
    progress: bool

    def _train(self, family: Family, callbacks: Sequence[Callback], checkpoint: Checkpoint | None) -> None:
        """Train, and set what every such model has; if anything fails, nothing has changed."""
        plan = Plan(
            epochs=self.epochs, learning_rate=self.learning_rate, seed=int(self.seed), progress=self.progress
        )
        world = join(family.device)
        history = train(family, plan, callbacks, checkpoint, world)
        with Waiting(f"{family.name}: the posterior of all vertices", show=self.progress and world.rank == 0):
            posterior = family.posterior(world)
        self.module_ = family.module
        self.history_ = history
        self.posterior_: Posterior = posterior
        self._links = None  # those of a fit before were of another posterior
        diverged = runaway(history, posterior.latent_dim, self.learning_rate)
        if diverged is not None and world.rank == 0:
            warnings.warn(diverged, TrainingWarning, stacklevel=3)

    def networks(self, n_features: int) -> torch.nn.Module:
        """The networks that `fit` trains, as they are before."""
        raise TypeError(f"{type(self).__name__} defines no networks.")  # abstract

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        state = self.module_.state_dict()
        return {MODULE + name: tensor.detach().cpu().numpy() for name, tensor in state.items()}, {}

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], values: dict[str, Any]) -> None:
        own = {name.removeprefix(MODULE): a for name, a in arrays.items() if name.startswith(MODULE)}
        with torch.device("meta"):  # shapes without memory: what is declared may be anything
            _check_state(own, self.networks(self.n_features_in_).state_dict())
        module = self.networks(self.n_features_in_)
        module.load_state_dict({name: torch.from_numpy(array) for name, array in own.items()})
        self.module_ = module


def _check_state(arrays: dict[str, npt.NDArray[Any]], wanted: dict[str, torch.Tensor]) -> None:
    """Parameters of a file that may be anything, against those of the networks that it declares."""
    for name in sorted(arrays.keys() ^ wanted.keys()):
        raise SavedModelError(f"its networks {'lack' if name in wanted else 'do not have a'} {name!r}.")
    for name, tensor in wanted.items():
        array, kind = arrays[name], str(tensor.dtype).removeprefix("torch.")
        if array.shape != tuple(tensor.shape) or array.dtype != kind:
            raise SavedModelError(
                f"its {name!r} is {array.dtype} of shape {array.shape}, not {kind} of {tuple(tensor.shape)}."
            )
        if not np.isfinite(array).all():
            raise SavedModelError(f"its {name!r} is not finite everywhere.")


class AutoencoderEstimator(FamilyEstimator):
    """Base of VAE, CVAE and ACVAE: a subclass says which family it trains and lists its options.

    After `fit`: `posterior_`, `history_` (one dict per epoch), `module_` (the networks), `graph_`,
    `weights_` (edge weights at the end, or None), `n_features_in_`, and `feature_names_in_` where features
    came as a data frame.
    """

    latent_dim: int
    hidden_dim: int
    likelihood: str | Likelihood
    batch_vertices: int
    module_: Autoencoder
    _fitted_features: Any = None  # what `_keep` kept; not in files

    # ------------------------------------------------------------------ what a subclass says

    def _label(self) -> str:
        """Name shown beside the progress bar."""
        return type(self).__name__

    def _pair_width(self) -> int | None:
        """Hidden size of the pair encoder, or None for no pair encoder."""
        return None

    def _family(
        self, module: Autoencoder, features: Features, graph: Graph | None, device: torch.device
    ) -> AutoencodingFamily:
        """What is trained, on checked features and graph."""
        return IndependentFamily(module, features, **self._objective(), device=device)

    def _objective(self) -> dict[str, Any]:
        """The constants and batch sizes of the objective."""
        return {"sizes": self._batch_sizes(), "name": self._label()}

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
        seed_number("seed", self.seed)
        real_number("learning_rate", self.learning_rate, above=0)
        make_likelihood(self.likelihood, 1)

    # ------------------------------------------------------------------ what users call

    def networks(self, n_features: int) -> Autoencoder:
        """The networks that `fit` trains, as they are before; a subclass may put others in."""
        d, h, pair = int(self.latent_dim), int(self.hidden_dim), self._pair_width()
        check_network_memory(2 * h * (n_features + 2 * d) + (pair or 0) * (2 * n_features + d))
        return Autoencoder(
            n_features,
            latent_dim=d,
            hidden_dim=h,
            pair_hidden_dim=None if pair is None else int(pair),
            likelihood=self.likelihood,
            generator=torch.Generator().manual_seed(stream_seed(self.seed, "networks")),
        )

    def fit(
        self,
        features: Any,
        graph: Any = None,
        *,
        callbacks: Sequence[Callback] = (),
        checkpoint: Checkpoint | None = None,
    ) -> Self:
        """Train on features of n vertices and a graph of who is related to whom.

        Parameters
        ----------
        features
            (n, D): an array, a SciPy matrix, a tensor, or a data frame, whose index names the vertices. Also
            a PyTorch Geometric `Data` or a `Dataset`, which bring their graph.
        graph
            A `Graph`, edges (m, 2) as an array or data frame, a NetworkX graph, or an adjacency matrix.
            Data frames and named graphs are joined by name.

        With a `checkpoint` the training can be stopped, and the same call goes on where it was. Under
        `torchrun`, processes share the edges and each ends with the same model.
        """
        self._check_options()
        device = local_device(resolve_device(self.device))
        given = prepare(features, graph, model=type(self).__name__)
        if given.observed is not None:
            raise FeatureError(
                f"{type(self).__name__} needs the features of every vertex; use GraphGaussian."
            )
        inputs = as_features(given.features, device)
        if inputs.n_rows < 2 or inputs.n_columns == 0:
            raise FeatureError(
                f"at least two data points with one feature are needed, got a matrix of "
                f"{inputs.n_rows} rows and {inputs.n_columns} columns."
            )
        graph = self._check_graph(given.graph, inputs.n_rows)
        module = self.networks(inputs.n_columns).to(device)
        module.likelihood.check(inputs)
        with Waiting(f"{self._label()}: weights of the edges", show=self.progress and graph is not None):
            family = self._family(module, inputs, graph, device)
        self._train(family, callbacks, checkpoint)
        self.weights_: npt.NDArray[np.float64] | None = family.weights
        self.graph_ = graph
        self.n_features_in_ = inputs.n_columns
        self._remember_columns(given.feature_names)
        self._keep(given.features)
        return self

    def transform(self, features: Any) -> npt.NDArray[np.float32]:
        """Means (k, d) of the embeddings of any rows with the same features, seen or unseen."""
        mean, _ = self._inference_on(features).marginals()
        return mean

    # ------------------------------------------------------------------ inside

    def _keep(self, features: Any) -> None:
        """A model that is asked of the features of its fit later keeps them in memory."""

    def _inference_on(self, features: Any) -> AmortizedInference:
        """The trained networks on other features, without a graph."""
        self._need_fit("transform")
        self._check_columns(features)
        device = resolve_device(self.device)
        inputs = as_features(features, device)
        self._check_width(inputs.n_columns)
        self.module_.likelihood.check(inputs)
        return AmortizedInference(self.module_.to(device), inputs, device)


def check_network_memory(parameters: int) -> None:
    """Refuse networks that memory cannot hold: each number, its gradient and two moments."""
    check_memory("networks of these sizes", 16 * int(parameters), "choose smaller *_dim")


def resolve_device(device: str) -> torch.device:
    """`"auto"` is CUDA where there is one and the CPU elsewhere; any torch device name is taken as it is."""
    if not isinstance(device, (str, torch.device)):
        raise OptionError(f"{setting('device', device)} is unknown; use 'auto', 'cpu' or 'cuda'.")
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError, ValueError, OverflowError):
        raise OptionError(f"{setting('device', device)} is unknown; use 'auto', 'cpu' or 'cuda'.") from None
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise OptionError(f"{setting('device', device)} was asked for, but no CUDA device is available here.")
    return chosen
