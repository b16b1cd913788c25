"""The estimators by the names of their classes, as saved models name them; imported when they are met."""

from __future__ import annotations

import importlib
from typing import Any

from acvae._util.plugins import load_plugins
from acvae.exceptions import OptionError

__all__ = ["estimator_named", "register_estimator"]

# A class, or where it is found: "module:Class".
_ESTIMATORS: dict[str, str | type[Any]] = {
    "ACVAE": "acvae.models.acvae:ACVAE",
    "CVAE": "acvae.models.cvae:CVAE",
    "GraphGaussian": "acvae.models.graph_gaussian:GraphGaussian",
    "GraphSAGE": "acvae.models.graphsage:GraphSAGE",
    "VAE": "acvae.models.vae:VAE",
}


def estimator_named(name: object) -> type[Any] | None:
    """The class of that name, or None if there is none; models of installed packages are among them."""
    if not isinstance(name, str):
        return None
    if name not in _ESTIMATORS:
        load_plugins()
    found = _ESTIMATORS.get(name)
    if isinstance(found, str):
        module, _, attribute = found.partition(":")
        cls: type[Any] = getattr(importlib.import_module(module), attribute)
        return cls
    return found


def register_estimator(estimator: str | type[Any]) -> str:
    """Let models of a class be saved and loaded; its name.

    `estimator` is the class, or "module:Class" to have it imported when it is needed.
    """
    if isinstance(estimator, str):
        module, _, name = estimator.partition(":")
        if not module or not name.isidentifier():
            raise OptionError(f"an estimator is a class or 'module:Class', not {estimator!r}.")
    elif isinstance(estimator, type) and callable(getattr(estimator, "fit", None)):
        module, name = estimator.__module__, estimator.__name__
    else:
        raise OptionError(f"an estimator is a class with fit, or 'module:Class', not {estimator!r}.")
    known = _ESTIMATORS.get(name, estimator)
    home = known.partition(":")[0] if isinstance(known, str) else known.__module__
    if home != module:  # a class that is defined once more in the same place takes the place of the first
        raise OptionError(f"there is a model {name} in {home} already; give the class another name.")
    _ESTIMATORS[name] = estimator
    return name
