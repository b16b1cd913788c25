"""scikit-learn's conventions, which all models keep: what it calls a transformer, with named columns."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn import exceptions as sklearn_exceptions
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from acvae import exceptions
from acvae._util.checks import flag, whole_number
from acvae._util.stages import Stages
from acvae._util.targets import as_target
from acvae.exceptions import FeatureError, GraphError
from acvae.gaussian.checks import check_pairs
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.links.prediction import best_links, link_blocks, probability_of
from acvae.links.ranking import LinkRanking
from acvae.models.scoring import score_links
from acvae.models.vertices import names_of, vertex_ids

__all__ = ["Embedder", "check_apart", "check_graph_type", "column_names"]

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


class Embedder(_Transformer):
    """A transformer from features to embeddings that is fitted on a graph too.

    `fit(features, graph)` takes the graph where others take labels, so that a pipeline passes it on:
    `make_pipeline(MaxAbsScaler(), VAE()).fit(features, graph)`. Where features are a data frame, its columns
    are remembered as `feature_names_in_` and compared with those of later ones.
    """

    latent_dim: int
    posterior_: Posterior
    graph_: Graph | None
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

    def link_probability(self, i: Any, j: Any) -> Any:
        """Probability (...) of a link between vertices, if links are missing as `split_edges` hides them.

        That is one link of every vertex, or 5 % of them (`acvae.links.missing`). `i` and `j` are ids or
        names, one or arrays that broadcast.
        """
        self._need_fit("link_probability")
        a, b = check_pairs(self._ids(i), self._ids(j), self.posterior_.n_vertices)
        check_apart(a, b)
        odds = self.links_.log_odds(a.ravel(), b.ravel())
        found = probability_of(odds).reshape(a.shape)
        return float(found) if found.ndim == 0 else found

    def predict_links(
        self, rows: Any, k: int = 10, exclude: Graph | None = None, *, names: bool = False
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """The k likeliest new links of each vertex, with their probabilities.

        Parameters
        ----------
        rows
            Ids or names of vertices.
        exclude
            Links that are known and not to be told; by default those the model was fitted on.
        names
            Give names in place of ids, None where no vertex is left.

        Returns
        -------
        ids (r, k) and probabilities (r, k), best first. Where fewer than k vertices are left, −1 and 0.
        """
        self._need_fit("predict_links")
        ids, k, known = self._asked(rows, k, exclude)
        names = flag("names", names)
        best, probabilities = best_links(self.links_, ids, k, known)
        return (names_of(best, self.graph_) if names else best), probabilities

    def link_blocks(
        self, rows: Any = None, k: int = 10, exclude: Graph | None = None
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
        """`predict_links` of many vertices, by default all, some at a time: `(rows, ids, probabilities)`.

        Memory is that of a block of rows, however many are asked for.
        """
        self._need_fit("link_blocks")
        everyone = np.arange(self.posterior_.n_vertices) if rows is None else rows
        return link_blocks(self.links_, *self._asked(everyone, k, exclude))

    def _asked(
        self, rows: Any, k: Any, exclude: Graph | None
    ) -> tuple[npt.NDArray[np.int64], int, Graph | None]:
        """Vertices, how many links of each, and the links to leave out, as they should be."""
        ids = self._rows(rows)
        known = self.graph_ if exclude is None else exclude
        if known is not None:
            check_graph_type(known)
            if known.n_vertices != self.posterior_.n_vertices:
                raise GraphError(
                    f"the graph to exclude has {known.n_vertices} vertices, the model "
                    f"{self.posterior_.n_vertices}."
                )
        return ids, whole_number("k", k, minimum=1), known

    def nearest(
        self, rows: Any, k: int = 10, exclude: Graph | None = None, *, names: bool = False
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """`posterior_.nearest` by id or by name: the k nearest and their distances, both (r, k)."""
        self._need_fit("nearest")
        names = flag("names", names)
        ids, distances = self.posterior_.nearest(self._rows(rows), k, exclude)
        return (names_of(ids, self.graph_) if names else ids), distances

    def score(self, features: Any, graph: Graph, *, metric: str = "ncrr", by: str = "link") -> float:
        """How well the links of `graph` that were hidden from `fit` are ranked: NCRR, 1 is best.

        `model.fit(features, split.train).score(features, split.test)`. Features are there for scikit-learn's
        sake and not looked at. `metric` may be `"mrr"` or `"hits"`, `by` may be `"distance"`.
        """
        self._need_fit("score")
        return score_links(self, graph, metric=metric, by=by)

    def _ids(self, vertices: Any) -> npt.NDArray[np.int64]:
        """Ids of vertices that are given by id or by name, one or an array of any shape."""
        return vertex_ids(vertices, self.posterior_.n_vertices, self.graph_)

    def _rows(self, vertices: Any) -> npt.NDArray[np.int64]:
        """Ids of one vertex or a list of them, as a list."""
        ids = np.atleast_1d(self._ids(vertices))
        if ids.ndim != 1:
            raise GraphError(f"rows must be a list of vertices, got shape {ids.shape}.")
        return ids

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


def check_apart(i: npt.NDArray[np.int64], j: npt.NDArray[np.int64]) -> None:
    """Refuse a vertex with itself; ids of one shape."""
    if (i == j).any():
        same = int(i[i == j].flat[0])
        raise GraphError(f"a link joins two vertices, but vertex {same} was asked for with itself.")


def check_graph_type(graph: Any) -> None:
    """Anything but a Graph is answered with how to make one."""
    if not isinstance(graph, Graph):
        raise GraphError(
            f"graph must be an acvae.Graph, not {type(graph).__name__}; see Graph.from_edges, "
            "from_networkx, from_scipy, from_pyg and from_pandas."
        )


def column_names(features: Any) -> npt.NDArray[Any] | None:
    """(D,) the columns of a data frame, if all are strings; None for what has no such names."""
    columns = getattr(features, "columns", None)
    names = list(columns) if isinstance(columns, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        return None
    return np.array(names, dtype=object)
