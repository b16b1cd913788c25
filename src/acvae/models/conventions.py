"""scikit-learn's conventions, which all models keep: what it calls a transformer, with named columns."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import exceptions as sklearn_exceptions
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from acvae import exceptions
from acvae.exceptions import FeatureError

__all__ = ["Embedder", "column_names"]

COUNTS = ("multinomial", "poisson")  # likelihoods that take nothing below zero


class NotFittedError(exceptions.NotFittedError, sklearn_exceptions.NotFittedError):
    """This package's error and scikit-learn's in one, so that tools of either kind catch it."""


class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer from features to embeddings that is fitted on a graph too.

    `fit(features, graph)` takes the graph where others take labels, so that a pipeline passes it on:
    `make_pipeline(MaxAbsScaler(), VAE()).fit(features, graph)`. Where features are a data frame, its columns
    are remembered as `feature_names_in_` and compared with those of later ones.
    """

    latent_dim: int

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("transform", "fit_transform"):
            if name in vars(cls):
                setattr(cls, name, _features_by_keyword(vars(cls)[name]))

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

    def _need_fit(self, what: str) -> None:
        if not hasattr(self, "module_"):
            raise NotFittedError(f"{what} needs a fitted model: call fit(features, graph) first.")

    def _remember_columns(self, names: npt.NDArray[Any] | None) -> None:
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

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


def _features_by_keyword(method: Callable[..., Any]) -> Callable[..., Any]:
    """scikit-learn wraps these methods for `set_output` and then takes the features by position only."""

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if "features" in named:
            arguments = (named.pop("features"), *arguments)
        return method(self, *arguments, **named)

    return call


def column_names(features: Any) -> npt.NDArray[Any] | None:
    """(D,) the columns of a data frame, if all are strings; None for what has no such names."""
    names = list(getattr(features, "columns", ()))
    if not names or not all(isinstance(name, str) for name in names):
        return None
    return np.array(names, dtype=object)
