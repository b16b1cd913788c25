"""Saved models: one safetensors file, with JSON for all that is not an array. Nothing is ever unpickled."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from acvae._util.files import save_arrays
from acvae._util.version import __version__
from acvae.exceptions import OptionError, SavedModelError
from acvae.gaussian.forest.joint import ForestJoint
from acvae.gaussian.graph.joint import GraphJoint
from acvae.gaussian.pairwise import PairwiseMarginals
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph

__all__ = ["FORMAT_VERSION", "load", "save_model"]

FORMAT = "acvae-model"
FORMAT_VERSION = 1
PRECISION = ("links", "off_diagonal", "diagonal")

Arrays = dict[str, npt.NDArray[Any]]


def save_model(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model; the file appears whole or not at all."""
    from acvae import models

    if getattr(models, type(model).__name__, None) is not type(model):
        raise OptionError(
            f"only models of acvae can be saved, not a {type(model).__name__} of your own making."
        )
    if not isinstance(getattr(model, "likelihood", ""), str):
        raise OptionError("only models with a named likelihood can be saved, not one of your own making.")
    arrays: Arrays = {
        f"module.{name}": t.detach().cpu().numpy() for name, t in model.module_.state_dict().items()
    }
    arrays.update(_pack_posterior(model.posterior_))
    about: dict[str, Any] = {
        "model": type(model).__name__,
        "options": model.get_params(deep=False),
        "n_features": model.n_features_in_,
        "history": model.history_,
        "acvae": __version__,
    }
    if hasattr(model, "feature_names_in_"):
        about["feature_names"] = model.feature_names_in_.tolist()
    if model.weights_ is not None:
        arrays["weights"] = model.weights_
    if model.graph_ is not None:
        about["n_vertices"] = model.graph_.n_vertices
        arrays["graph.edges"] = model.graph_.edges
        if model.graph_.names is not None:
            arrays["graph.names"] = _pack_json(_plain_names(model.graph_.names))
    # The header of a safetensors file is limited in size, so long texts travel as arrays of bytes.
    arrays["about"] = _pack_json(about)
    save_arrays(path, arrays, {"format": FORMAT, "version": str(FORMAT_VERSION)})


def load(path: str | PathLike[str]) -> Any:
    """Read a model written by `save`: its options, networks, graph, history and posterior."""
    from acvae import models

    arrays = _read(Path(path))
    try:
        about = _unpack_json(arrays["about"])
        model = getattr(models, about["model"])(**about["options"])
        module = model.networks(about["n_features"])
        state = {
            k.removeprefix("module."): torch.from_numpy(v)
            for k, v in arrays.items()
            if k.startswith("module.")
        }
        module.load_state_dict(state)
        graph = None
        if "graph.edges" in arrays:
            names = _unpack_json(arrays["graph.names"]) if "graph.names" in arrays else None
            graph = Graph(about["n_vertices"], arrays["graph.edges"], names)
        posterior = _unpack_posterior(arrays)
    except (KeyError, AttributeError, TypeError, ValueError, RuntimeError) as error:
        raise SavedModelError(f"{path} is not a complete saved model: {error}") from error
    model.module_ = module
    model.n_features_in_ = about["n_features"]
    if "feature_names" in about:
        model.feature_names_in_ = np.array(about["feature_names"], dtype=object)
    model.graph_ = graph
    model.history_ = about["history"]
    model.weights_ = arrays.get("weights")
    model.posterior_ = posterior
    return model


def _read(path: Path) -> Arrays:
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise SavedModelError(f"there is no file {path}.")
    try:
        with safe_open(path, framework="np") as file:
            header = file.metadata() or {}
            if header.get("format") != FORMAT:
                raise SavedModelError(f"{path} is a safetensors file, but not a model saved by acvae.")
            version = int(header.get("version", 0))
            if version > FORMAT_VERSION:
                raise SavedModelError(
                    f"{path} was written in format {version}, this acvae ({__version__}) reads up to "
                    f"{FORMAT_VERSION}: upgrade acvae to open it."
                )
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    except (SafetensorError, OSError, ValueError) as error:
        if isinstance(error, SavedModelError):
            raise
        raise SavedModelError(f"{path} is not a saved model, or is damaged: {error}") from error


def _pack_posterior(posterior: Posterior) -> Arrays:
    arrays: Arrays = {"posterior.mean": posterior.mean, "posterior.std": posterior.std}
    correlations = posterior.correlations
    if isinstance(correlations, ForestJoint):
        arrays |= {"posterior.forest": correlations.edges, "posterior.correlation": correlations.values}
    elif isinstance(correlations, GraphJoint):
        arrays |= {f"posterior.precision.{name}": getattr(correlations, name) for name in PRECISION}
    elif isinstance(correlations, PairwiseMarginals):
        arrays |= {
            f"posterior.pairs.{name}": getattr(correlations, name)
            for name in ("first", "second", "weight", "bias")
        }
    else:
        raise OptionError(f"posteriors on {type(correlations).__name__} cannot be saved.")
    return arrays


def _unpack_posterior(arrays: Arrays) -> Posterior:
    mean, std = arrays["posterior.mean"], arrays["posterior.std"]
    if "posterior.forest" in arrays:
        return Posterior(
            mean, std, arrays["posterior.forest"], arrays["posterior.correlation"], dtype=mean.dtype
        )
    if "posterior.precision.links" in arrays:
        links, off_diagonal, diagonal = (arrays[f"posterior.precision.{name}"] for name in PRECISION)
        if diagonal.shape != mean.shape or off_diagonal.shape != (len(links), mean.shape[1]):
            raise ValueError("its precision does not fit its means.")
        joint = GraphJoint(links, off_diagonal, diagonal)
        return Posterior.from_correlations(mean, std, joint, dtype=mean.dtype)
    network = PairwiseMarginals(
        *(arrays[f"posterior.pairs.{name}"] for name in ("first", "second", "weight", "bias"))
    )
    return Posterior.from_correlations(mean, std, network, dtype=mean.dtype)


def _plain_names(names: npt.NDArray[Any]) -> list[Any]:
    listed: list[Any] = names.tolist()
    if not all(isinstance(name, (str, int)) for name in listed):
        raise OptionError("only graphs whose names are strings or whole numbers can be saved.")
    return listed


def _pack_json(value: Any) -> npt.NDArray[np.uint8]:
    return np.frombuffer(
        json.dumps(value, ensure_ascii=False, default=_plain_number).encode(), dtype=np.uint8
    )


def _plain_number(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise OptionError(f"a {type(value).__name__} among the model's options or history cannot be saved.")


def _unpack_json(data: npt.NDArray[np.uint8]) -> Any:
    return json.loads(data.tobytes())
