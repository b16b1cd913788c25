"""The registry of models: what each is called, which estimator it is, and how it can be asked to rank.

Commands, runs, the reproduction and the report ask it, so a new model is one `Method` here, and one of your
own a call of `register`. Options, their defaults and their descriptions stand in one place only, the
estimator's signature and docstring; importing this module imports no estimator.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from acvae._util.docstrings import described_parameters
from acvae._util.options import option, the_option
from acvae._util.plugins import load_plugins
from acvae.exceptions import OptionError, did_you_mean

__all__ = [
    "BASELINES",
    "DEFAULT_METHOD",
    "METHODS",
    "RANKINGS",
    "Method",
    "Option",
    "RankedBy",
    "method_named",
    "method_of",
    "option_names",
    "register",
]


class RankedBy(NamedTuple):
    """A way to rank all vertices from one: how it is said in a sentence, and in a narrow column."""

    name: str
    title: str
    short: str
    by: str  # what `acvae neighbors --by` calls it


RANKINGS = {
    ranking.name: ranking
    for ranking in (
        RankedBy("link", "probability of a link", "link probability", "link"),
        RankedBy("bp", "belief propagation", "forest", "distance"),
        RankedBy("graph", "the whole graph", "whole graph", "distance"),
        RankedBy("joint", "correlated embeddings", "correlated embeddings", "distance"),
        RankedBy("independent", "independent embeddings", "embeddings alone", "distance"),
        RankedBy("pairwise", "pair network", "pair network", "pairs"),
        RankedBy("hops", "hops in a random tree", "hops", "distance"),
        RankedBy("hops-untied", "hops in a random tree, ties broken", "hops, ties broken", "distance"),
    )
}


class Option(NamedTuple):
    """One option of an estimator, as its signature and its docstring have it."""

    name: str
    annotation: str
    default: Any
    text: str


@dataclass(frozen=True)
class Method:
    """A model by name.

    Attributes
    ----------
    name
        As on the command line and in config files.
    estimator
        Name of a class in `acvae.models`, or of one that was registered; None for a baseline that is not
        trained.
    label
        As in tables and beside a progress bar.
    rankings
        The ways it can be asked for distances, its own first, and the label of each in the paper's tables.
    summary
        One line for the help: what it is for.
    fixed
        Options that make this variant of the class.
    without
        Options of the class that have no part in this variant.
    learns_links
        Whether links are what it is fitted for, so that it is judged by `links_` rather than by distances.
    completes
        Whether it takes vertices without features, and completes them (`impute`).
    """

    name: str
    estimator: str | None
    label: str
    rankings: Mapping[str, str]
    summary: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    learns_links: bool = False
    completes: bool = False

    @property
    def ranking(self) -> str:
        """How its own posterior ranks."""
        return next(iter(self.rankings))

    @property
    def correlated(self) -> bool:
        """Whether it says anything of the correlation of two vertices."""
        return self.ranking != "independent"

    @property
    def estimator_class(self) -> Any:
        """The estimator."""
        from acvae.models.registry import estimator_named

        return estimator_named(self.estimator)

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options it takes, in the order of its class."""
        return tuple(option.name for option in self.described)

    @property
    def described(self) -> tuple[Option, ...]:
        """The options it takes, with their defaults and what they mean."""
        hidden = {*self.fixed, *self.without, "progress"}
        return tuple(one for one in _options_of(self.estimator) if one.name not in hidden)

    def takes(self, name: str) -> bool:
        """Whether it has an option, such as gamma, pair_hidden_dim or epochs."""
        return name in self.options

    def make(self, options: Mapping[str, Any], *, progress: bool = False) -> Any:
        """The untrained model; an option it does not take is answered with those it does."""
        known = self.options
        for given in options:
            if given not in known:
                raise OptionError(
                    f"{the_option(given)} does not apply to the model {self.name}, which takes "
                    f"{', '.join(map(option, known))}." + did_you_mean(given, known)
                )
        return self.estimator_class(**self.fixed, **options, progress=progress)


def _registry(*methods: Method) -> dict[str, Method]:
    return {method.name: method for method in methods}


DEFAULT_METHOD = "graph-gaussian"

METHODS = _registry(
    Method(
        *("graph-gaussian", "GraphGaussian", "GraphGaussian", {"graph": "GraphGaussian"}),
        "features as evidence on the whole graph; exact joint, links by leave-one-out",
        learns_links=True,
        completes=True,
    ),
    Method(
        *("acvae-eb", "ACVAE", "ACVAE_EB", {"bp": "ACVAE_EB+BP", "pairwise": "ACVAE_EB"}),
        "learns a spanning forest, the one that fits best; exact joint along it",
        {"objective": "empirical-bayes"},
    ),
    Method(
        *("acvae-sp", "ACVAE", "ACVAE_SP", {"bp": "ACVAE_SP+BP", "pairwise": "ACVAE_SP"}),
        "learns a spanning forest, the most conservative one; exact joint along it",
        {"objective": "saddle-point"},
    ),
    Method(
        *("cvae-graph", "CVAE", "CVAE_graph", {"graph": "CVAE_graph", "pairwise": "CVAE_graph, pairs"}),
        "all spanning forests at once; exact joint on the whole graph",
        {"correlated": True, "posterior": "graph"},
    ),
    Method(
        *("cvae-corr", "CVAE", "CVAE_corr", {"pairwise": "CVAE_corr"}),
        "all spanning forests at once; each pair by its own network, no joint",
        {"correlated": True, "posterior": "pairs"},
    ),
    Method(
        *("cvae-ind", "CVAE", "CVAE_ind", {"independent": "CVAE_ind"}),
        "a correlated prior, independent embeddings",
        {"correlated": False, "posterior": "pairs"},
        without=("gamma", "pair_hidden_dim", "batch_pairs"),
    ),
    Method(*("vae", "VAE", "VAE", {"independent": "VAE"}), "features alone, without the graph"),
    Method(
        *("graphsage", "GraphSAGE", "GraphSAGE", {"independent": "GraphSAGE"}),
        "a graph network, embeddings without uncertainty",
    ),
)

BASELINES = _registry(
    Method(
        *("random-tree", None, "random tree"),
        {"hops": "*hops in a random tree*", "hops-untied": "*the same, ties broken at random*"},
        "hops in a random spanning tree, where nothing is learnt",
    ),
)


def register(
    name: str,
    estimator: str | type[Any],
    *,
    label: str | None = None,
    rankings: Mapping[str, str] | str = "joint",
    summary: str = "",
    fixed: Mapping[str, Any] | None = None,
    without: tuple[str, ...] = (),
    learns_links: bool = False,
    completes: bool = False,
) -> Method:
    """Add a model of your own, so that files, runs, comparisons, the report and the commands know it.

    Parameters
    ----------
    name
        As on the command line and in config files: small letters, digits and hyphens.
    estimator
        The class, such as a subclass of `acvae.models.estimator.FamilyEstimator`; or "module:Class", which is
        imported when it is needed.
    label
        As in tables; by default the name of the class.
    rankings
        How its posterior ranks, a name in `RANKINGS`; or several, its own first, with the label of each.
    summary, fixed, without, learns_links, completes
        As in `Method`.
    """
    from acvae.models.registry import register_estimator

    if not isinstance(name, str) or not name.replace("-", "").isalnum() or name != name.lower():
        raise OptionError(f"a model's name is of small letters, digits and hyphens, not {name!r}.")
    ranked = {rankings: ""} if isinstance(rankings, str) else dict(rankings)
    if not ranked:
        raise OptionError(f"the model {name} needs a way to rank, one of {', '.join(RANKINGS)}.")
    for ranking in ranked:
        from acvae._util.checks import choice  # with NumPy, which help does without

        choice("ranking", ranking, tuple(RANKINGS))
    of_class = register_estimator(estimator)
    known = {**METHODS, **BASELINES}.get(name)
    if known is not None and known.estimator != of_class:
        raise OptionError(f"there is a model {name!r} already, {known.label}; choose another name.")
    called = label or of_class
    METHODS[name] = Method(
        *(name, of_class, called, {ranking: text or called for ranking, text in ranked.items()}, summary),
        fixed=dict(fixed or {}),
        without=tuple(without),
        learns_links=learns_links,
        completes=completes,
    )
    _options_of.cache_clear()
    return METHODS[name]


def method_named(name: object, *, baselines: bool = False) -> Method:
    """The method of that name; an unknown one is answered with those there are."""
    if isinstance(name, str) and name not in METHODS:
        load_plugins()
    known = {**METHODS, **BASELINES} if baselines else METHODS
    from acvae._util.checks import choice  # with NumPy, which help does without

    return known[choice("model", name, tuple(known))]


def method_of(model: Any) -> Method:
    """The method that an estimator is of."""
    for method in METHODS.values():
        same = all(getattr(model, option, None) == value for option, value in method.fixed.items())
        if method.estimator == type(model).__name__ and same:
            return method
    raise OptionError(f"a {type(model).__name__} is not one of the models {', '.join(METHODS)}.")


def option_names() -> tuple[str, ...]:
    """Every option that any method takes, those of installed packages too."""
    load_plugins()
    return tuple(dict.fromkeys(name for method in METHODS.values() for name in method.options))


@cache
def _options_of(estimator: str | None) -> tuple[Option, ...]:
    """All options of an estimator. What its docstring leaves to others' is taken from theirs."""
    from acvae.models.registry import estimator_named

    if estimator is None:
        return ()
    names = dict.fromkeys([estimator, *(m.estimator for m in METHODS.values() if m.estimator is not None)])
    texts: dict[str, str] = {}
    for name in reversed(names):
        texts |= described_parameters(getattr(estimator_named(name), "__doc__", "") or "")
    cls: Any = estimator_named(estimator)
    parameters = inspect.signature(cls.__init__).parameters.values()
    return tuple(
        Option(p.name, _annotation(p), p.default, texts.get(p.name, ""))
        for p in parameters
        if p.name != "self"
    )


def _annotation(parameter: inspect.Parameter) -> str:
    """As it is written; without one, what the default is."""
    if parameter.annotation is inspect.Parameter.empty:
        return type(parameter.default).__name__
    annotation = parameter.annotation
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
