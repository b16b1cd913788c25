"""Saved models: one safetensors file, with JSON for all that is not an array. Nothing is ever unpickled."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.arrays import names_array, parse_json, read_arrays, write_arrays
from acvae._util.checks import whole_number
from acvae._util.history import checked_history
from acvae._util.version import __version__
from acvae.exceptions import OptionError, SavedModelError
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.stored import Stored
from acvae.graph import Graph
from acvae.models.registry import estimator_named

__all__ = ["FORMAT_VERSION", "load", "save_model"]

FORMAT = "acvae-model"
FORMAT_VERSION = 2
POSTERIOR = "posterior."

Arrays = dict[str, npt.NDArray[Any]]


def save_model(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model; the file appears whole or not at all."""
    if estimator_named(type(model).__name__) is not type(model):
        raise OptionError(
            f"only models that acvae knows can be saved: give acvae.methods.register(name, "
            f"{type(model).__name__}) a name for yours first."
        )
    if not isinstance(getattr(model, "likelihood", ""), str):
        raise OptionError("only models with a named likelihood can be saved, not one of your own making.")
    arrays, learnt = model._pack()
    own, of_posterior = model.posterior_.pack()
    arrays |= {POSTERIOR + name: array for name, array in own.items()}
    about: dict[str, Any] = {
        "model": type(model).__name__,
        "options": model.get_params(deep=False),
        "n_features": model.n_features_in_,
        "history": model.history_,
        "posterior": of_posterior,
        "learnt": learnt,
        "acvae": __version__,
    }
    if hasattr(model, "feature_names_in_"):
        about["feature_names"] = model.feature_names_in_.tolist()
    if model.weights_ is not None:
        arrays["weights"] = model.weights_
    if model.graph_ is not None:
        about["n_vertices"] = model.graph_.n_vertices
        arrays["graph.edges"] = model.graph_.edges
        if model.graph_.weights is not None:
            arrays["graph.weights"] = model.graph_.weights
        if model.graph_.names is not None:
            arrays["graph.names"] = names_array(model.graph_.names)
    write_arrays(path, arrays, about, format=FORMAT, version=FORMAT_VERSION)


def load(path: str | PathLike[str]) -> Any:
    """Read a model written by `save`: its options, networks, graph, history and posterior."""
    arrays, about = read_arrays(path, format=FORMAT, version=FORMAT_VERSION, what="saved model")
    try:
        model = _class_of(about["model"])(**about["options"])
        graph = None
        if "graph.edges" in arrays:
            names = parse_json(arrays["graph.names"], "the names") if "graph.names" in arrays else None
            weights = arrays.get("graph.weights")
            graph = Graph(about["n_vertices"], arrays["graph.edges"], names, weights=weights)
        posterior = Posterior.unpack(_under(POSTERIOR, arrays), about["posterior"])
        if graph is not None and graph.n_vertices != posterior.n_vertices:
            raise ValueError(f"its graph has {graph.n_vertices} vertices, its posterior others.")
        model.n_features_in_ = whole_number("its n_features", about["n_features"], minimum=0)
        if "feature_names" in about:
            model.feature_names_in_ = _feature_names(about["feature_names"], model.n_features_in_)
        model.graph_ = graph
        model.history_ = checked_history(about["history"])
        model.weights_ = _weights(arrays, graph)
        model.posterior_ = posterior
        model._unpack(arrays, about.get("learnt", {}))
    except (KeyError, AttributeError, TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise SavedModelError(f"{path} is not a complete saved model: {error}") from error
    return model


def _class_of(name: Any) -> type[Any]:
    found = estimator_named(name)
    if found is None:
        raise ValueError(
            f"it is a {str(name)[:40]!r}, and there is no such model; if that is yours, "
            "acvae.methods.register it first."
        )
    return found


def _feature_names(names: Any, count: int) -> npt.NDArray[Any]:
    if not isinstance(names, list) or len(names) != count or not all(isinstance(n, str) for n in names):
        raise ValueError(f"its feature_names are not {count} texts.")
    return np.array(names, dtype=object)


def _weights(arrays: Arrays, graph: Graph | None) -> npt.NDArray[Any] | None:
    if "weights" not in arrays:
        return None
    return Stored(arrays).numbers("weights", (0 if graph is None else graph.n_edges,))


def _under(prefix: str, arrays: Arrays) -> Arrays:
    return {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
