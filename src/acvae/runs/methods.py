"""The models by the names of the command line: which class each is, and which options it takes."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from acvae._util.checks import choice
from acvae.exceptions import OptionError, did_you_mean

__all__ = ["METHODS", "Method", "make_model", "method_options"]


@dataclass(frozen=True)
class Method:
    """A class of `acvae`, what fixes the variant, and the options that have no part in it.

    `kinds` are the ways it can be asked for distances, its own first: by belief propagation on its forest,
    by the joint on the whole graph, by its pair network, by independent embeddings. `defaults` are options
    that are others here than the class's own.
    """

    model: str
    kinds: tuple[str, ...]
    fixed: dict[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    defaults: dict[str, Any] = field(default_factory=dict)


METHODS = {
    "acvae-eb": Method("ACVAE", ("bp", "pairwise"), {"objective": "empirical-bayes"}),
    "acvae-sp": Method("ACVAE", ("bp", "pairwise"), {"objective": "saddle-point"}),
    "cvae-graph": Method(
        "CVAE", ("graph", "pairwise"), {"correlated": True, "posterior": "graph"}, defaults={"tau": 0.8}
    ),
    "cvae-corr": Method("CVAE", ("pairwise",), {"correlated": True, "posterior": "pairs"}),
    "cvae-ind": Method(
        "CVAE",
        ("independent",),
        {"correlated": False, "posterior": "pairs"},
        ("gamma", "pair_hidden_dim", "batch_pairs"),
    ),
    "vae": Method("VAE", ("independent",)),
    "graphsage": Method("GraphSAGE", ("independent",)),
}


def method_options(name: str) -> tuple[str, ...]:
    """The options that a method takes, in the order of its class."""
    method = METHODS[choice("model", name, tuple(METHODS))]
    hidden = {*method.fixed, *method.without, "self", "progress"}
    parameters = inspect.signature(_class(method).__init__).parameters
    return tuple(option for option in parameters if option not in hidden)


def make_model(name: str, options: dict[str, Any], *, progress: bool) -> Any:
    """The untrained model; an option it does not take is answered with those it does."""
    method, known = METHODS[choice("model", name, tuple(METHODS))], method_options(name)
    for option in options:
        if option not in known:
            raise OptionError(
                f"the model {name} has no option {option}; it has {', '.join(known)}."
                + did_you_mean(option, known)
            )
    return _class(method)(**method.fixed, **{**method.defaults, **options}, progress=progress)


def _class(method: Method) -> Any:
    from acvae import models

    return getattr(models, method.model)
