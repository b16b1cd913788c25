"""scikit-learn's conventions, which all models keep: what it calls a transformer, with named columns."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn import exceptions as sklearn_exceptions
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from acvae import exceptions
from acvae._util.stages import Stages
from acvae._util.targets import as_target
from acvae.exceptions import FeatureError, GraphError
from acvae.graph import Graph
from acvae.links.ranking import LinkRanking
from acvae.models.link_answers import LinkAnswers
from acvae.models.scoring import score_links

__all__ = ["Embedder", "column_names"]

# How the time of learning links from a posterior is spent, about, in percent.
LINK_STAGES = {"leave-one-out": 60, "head": 30, "probabilities": 10}
LINK_SECONDS, LINK_SECONDS_A_VERTEX = 6.0, 1.5e-3  # a guess of all of it, on two cores
COUNTS = ("multinomial", "poisson")  # likelihoods that take nothing below zero


class NotFittedError(exceptions.NotFittedError, sklearn_exceptions.NotFittedError):
    """This package's error and scikit-learn's in one, so that tools of either kind catch it."""


def _features_by_keyword(method: Callable[..., Any]) -> Callable[..., Any]:
    """scikit-learn wraps these methods for `set_output` and then takes the features by position only."""

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if "features" in named:
            arguments = (named.pop("features"), *arguments)
        return method(self, *arguments, **named)

    return call


class _Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """scikit-learn's transformer, whose methods take features by name too."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("transform", "fit_transform"):
            if name in vars(cls):
                setattr(cls, name, _features_by_keyword(vars(cls)[name]))


class Embedder(LinkAnswers, _Transformer):
    """A transformer from features to embeddings that is fitted on a graph too.

    `fit(features, graph)` takes the graph where others take labels, so that a pipeline passes it on:
    `make_pipeline(MaxAbsScaler(), VAE()).fit(features, graph)`. Where features are a data frame, its columns
    are remembered as `feature_names_in_` and compared with those of later ones.
    """

    latent_dim: int
    _links: LinkRanking | None = None

    def fit(self, features: Any, graph: Graph | None = None) -> Self:
        """Train; every model has its own."""
        raise TypeError(f"{type(self).__name__} defines no fit.")  # abstract

    def fit_transform(self, features: Any, graph: Graph | None = None) -> npt.NDArray[np.float32]:
        """`fit`, then the means (n, d) of the embeddings."""
        mean: npt.NDArray[np.float32] = self.fit(features, graph).posterior_.mean
        return mean

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one file (safetensors with JSON in it); `acvae.load` reads it."""
        from acvae.models.persistence import save_model

        self._need_fit("save")
        save_model(self, as_target("path", path))

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """What was learnt beside the posterior, to be saved: arrays, and plain values."""
        return {}, {}

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], values: dict[str, Any]) -> None:
        """Take back what `_pack` gave, with options, graph and posterior already set."""

    # ------------------------------------------------------------------ links

    @property
    def links_(self) -> LinkRanking:
        """Scores and probabilities of links; metrics take it wherever they take a posterior.

        Read from the statistics of pairs under the posterior, by a small network that is trained on the
        graph's own links, each as if it were not there. Made when first asked, and then kept.
        """
        self._need_fit("links_")
        if self.graph_ is None or self.graph_.n_edges == 0:
            raise GraphError("links are learnt from links, and this model was fitted without any.")
        if self._links is None:
            from acvae.links.of_posterior import fit_links

            guess = LINK_SECONDS + LINK_SECONDS_A_VERTEX * self.graph_.n_vertices
            show = bool(getattr(self, "progress", False))
            with Stages("links", LINK_STAGES, seconds=guess, show=show) as stages:
                self._links = fit_links(
                    self.posterior_, self.graph_, seed=int(getattr(self, "seed", 0)), progress=stages.at
                )
        return self._links

    def use_links(self, ranking: LinkRanking) -> None:
        """Take a ranking that was made of this posterior before, instead of learning it once more."""
        self._need_fit("use_links")
        self._links = ranking

    def score(self, features: Any, graph: Graph, *, metric: str = "ncrr", by: str = "link") -> float:
        """How well the links of `graph` that were hidden from `fit` are ranked: NCRR, 1 is best.

        `model.fit(features, split.train).score(features, split.test)`. Features are there for scikit-learn's
        sake and not looked at. `metric` may be `"mrr"` or `"hits"`, `by` may be `"distance"`.
        """
        self._need_fit("score")
        return score_links(self, graph, metric=metric, by=by)

    # ------------------------------------------------------------------ what scikit-learn asks

    @property
    def _n_features_out(self) -> int:
        """How many columns `get_feature_names_out` names."""
        return self.latent_dim

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = getattr(self, "likelihood", None) in COUNTS
        tags.transformer_tags.preserves_dtype = []  # embeddings are float32, whatever the features are
        return tags

    # ------------------------------------------------------------------ checks that models share

    def _need_fit(self, what: str) -> None:
        if not hasattr(self, "posterior_"):
            raise NotFittedError(f"{what} needs a fitted model: call fit(features, graph) first.")

    def _remember_columns(self, names: npt.NDArray[Any] | None) -> None:
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_width(self, n_columns: int) -> None:
        """Refuse features of another width than the model was trained on."""
        if n_columns != self.n_features_in_:
            raise FeatureError(f"the model was trained on {self.n_features_in_} features, got {n_columns}.")

    def _check_columns(self, features: Any) -> None:
        """Refuse a data frame with other columns than the model was trained on, in scikit-learn's words.

        What has no names is taken by position, without a warning: features often are a data frame at first
        and a sparse matrix later.
        """
        trained, given = getattr(self, "feature_names_in_", None), column_names(features)
        if trained is None or given is None or np.array_equal(given, trained):
            return
        told = [
            f"Feature names {text}:\n- " + "\n- ".join(names[:5]) + ("\n- …\n" if len(names) > 5 else "\n")
            for text, names in (
                ("unseen at fit time", sorted(set(given) - set(trained))),
                ("seen at fit time, yet now missing", sorted(set(trained) - set(given))),
            )
            if names
        ]
        raise FeatureError(
            "The feature names should match those that were passed during fit.\n"
            + ("".join(told) or "Feature names must be in the same order as they were in fit.\n")
        )


def column_names(features: Any) -> npt.NDArray[Any] | None:
    """(D,) the columns of a data frame, if all are strings; None for what has no such names."""
    columns = getattr(features, "columns", None)
    names = list(columns) if isinstance(columns, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        return None
    return np.array(names, dtype=object)
