"""Options chosen on links that are hidden from the train links; test links have no part in it.

`tune` tries every combination and fits the best to all links. `EdgeEstimator` is for scikit-learn's own
searches: its samples are edges, so that every splitter hides edges and never vertices.
"""

from __future__ import annotations

import inspect
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone

from acvae._util.checks import called, choice, is_mapping, seed_number, whole_number
from acvae._util.progress import Progress
from acvae._util.text import shown
from acvae.exceptions import GraphError, OptionError, did_you_mean
from acvae.graph import Graph
from acvae.models.conventions import Embedder
from acvae.models.inputs import prepare
from acvae.models.link_answers import check_graph_type
from acvae.models.scoring import BY, METRICS, score_links
from acvae.splits import split_edges

__all__ = ["EdgeEstimator", "Trial", "Tuning", "link_scorer", "tune"]


def link_scorer(metric: str = "ncrr", by: str = "link") -> Callable[..., float]:
    """A scorer for scikit-learn's searches over an `EdgeEstimator`, or for `cross_val_score`."""
    choice("metric", metric, METRICS)
    choice("by", by, BY)

    def scorer(estimator: Any, x: Any, y: Any = None) -> float:
        if isinstance(estimator, EdgeEstimator):
            return estimator.score(x, metric=metric, by=by)
        return score_links(estimator, y, metric=metric, by=by)

    return scorer


class EdgeEstimator(BaseEstimator):
    """A model whose samples are edges, as scikit-learn's searches need them.

        model = EdgeEstimator(GraphGaussian(), features, graph)
        search = GridSearchCV(model, {"model__latent_dim": [16, 64]}).fit(graph.edges)

    Parameters
    ----------
    model
        Any model of acvae, unfitted; its options are `model__latent_dim` and so on.
    features
        (n, D), as `fit` of the model takes them.
    graph
        The graph whose edges are given to `fit` and `score`: its vertices, names and weights.

    After `fit`: `model_`.
    """

    def __init__(self, model: Embedder, features: Any, graph: Graph) -> None:
        self.model = model
        self.features = features
        self.graph = graph

    def __sklearn_clone__(self) -> EdgeEstimator:
        """A clone shares features and graph, which no fit changes."""
        return type(self)(clone(self.model), self.features, self.graph)

    def fit(self, edges: npt.ArrayLike, y: Any = None) -> Self:
        """Fit the model to some edges (k, 2) of the graph."""
        check_model(self.model)
        self.model_ = clone(self.model).fit(self.features, self._part(edges))
        return self

    def score(self, edges: npt.ArrayLike, y: Any = None, *, metric: str = "ncrr", by: str = "link") -> float:
        """NCRR of edges (k, 2) that were not fitted on."""
        if not hasattr(self, "model_"):
            self.model._need_fit("score")
        return score_links(self.model_, self._part(edges), metric=metric, by=by)

    def _part(self, edges: npt.ArrayLike) -> Graph:
        check_graph_type(self.graph)
        given = Graph(self.graph.n_vertices, edges)
        missing = given.edges[~self.graph.has_edges(given.edges)]
        if len(missing):
            raise GraphError(f"{tuple(missing[0].tolist())} is not an edge of the graph; give graph.edges.")
        return self.graph.with_edges(given.has_edges(self.graph.edges))


@dataclass(frozen=True)
class Trial:
    """One combination of options, and what it had on hidden links."""

    options: dict[str, Any]
    score: float  # mean over splits
    scores: tuple[float, ...]  # (splits,)
    seconds: float  # of all its fits


@dataclass(frozen=True)
class Tuning:
    """What came of `tune`: the best first.

    Attributes
    ----------
    options, score
        Of the best.
    trials
        All combinations, the best first.
    model
        The best, fitted to all links; None with `refit=False`.
    """

    options: dict[str, Any]
    score: float
    trials: tuple[Trial, ...]
    model: Any

    def __str__(self) -> str:
        return "\n".join(
            f"{trial.score:.4f}  {', '.join(f'{k}={v!r}' for k, v in trial.options.items())}"
            for trial in self.trials
        )


def tune(
    model: Embedder,
    features: Any,
    graph: Any,
    grid: Mapping[str, Sequence[Any]],
    *,
    splits: int = 1,
    fraction: float = 0.05,
    metric: str = "ncrr",
    by: str = "link",
    observed: Any = None,
    seed: int = 0,
    refit: bool = True,
    progress: bool = True,
) -> Tuning:
    """Choose options on links hidden from `graph`, which are the train links: never give it test links.

    Parameters
    ----------
    model
        Unfitted, with the options that are not to be chosen; it is not changed.
    features, graph
        As `fit` takes them.
    grid
        Values of every option to choose; all combinations are tried.
    splits
        How often links are hidden; scores are means over these.
    fraction
        Share of its links that each vertex gives to the hidden ones, at least one (`split_edges`).
    metric, by
        What counts, as in `score_links`.
    observed
        (n,) which vertices have features, for models that take it.
    seed
        Of the hidden links.
    refit
        Fit the best to all links at the end.
    progress
        Show progress on standard error.
    """
    choice("metric", metric, METRICS)
    choice("by", by, BY)
    splits, seed = whole_number("splits", splits, minimum=1), seed_number("seed", seed)
    check_model(model)
    combinations = _combinations(model, grid)
    takes_observed = "observed" in inspect.signature(model.fit).parameters
    if observed is not None and not takes_observed:
        raise OptionError(f"{type(model).__name__} takes no observed=: every vertex needs features.")
    given, whole = features, graph
    more = {} if observed is None else {"observed": observed}
    if features is not None:
        inputs = prepare(
            features, graph, observed=observed, uses_weights=True, takes_observed=takes_observed, stacklevel=3
        )
        given, whole = inputs.features, inputs.graph
        more = {} if inputs.observed is None else {"observed": inputs.observed}
    check_graph_type(whole)
    parts = [split_edges(whole, seed=seed + s, fraction=fraction) for s in range(splits)]
    if not all(part.train.n_edges and part.test.n_edges for part in parts):
        raise GraphError(f"{whole.n_edges} links are too few to hide some of them and learn from others.")
    trials = []
    with Progress(len(combinations) * splits, "tune", show=progress) as shown:
        for options in combinations:
            started, scores = time.perf_counter(), []
            for part in parts:
                fitted = clone(model).set_params(**options, progress=False).fit(given, part.train, **more)
                scores.append(score_links(fitted, part.test, metric=metric, by=by))
                shown.advance(1)
            took = time.perf_counter() - started
            trials.append(Trial(options, float(np.mean(scores)), tuple(scores), took))
    trials.sort(key=lambda trial: -trial.score)  # stable: the first of equals
    best = trials[0]
    chosen = None
    if refit:
        more = {} if observed is None else {"observed": observed}
        chosen = clone(model).set_params(**best.options).fit(features, graph, **more)
    return Tuning(best.options, best.score, tuple(trials), chosen)


def check_model(model: Any) -> None:
    """A model of this package, not a class or anything else."""
    if not isinstance(model, Embedder):
        raise OptionError(
            f"model must be a model of acvae such as acvae.GraphGaussian(), not {called(model)}."
        )


def _combinations(model: Embedder, grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All of them; an option that the model does not have is answered with those it has."""
    if not is_mapping(grid):
        raise OptionError(f"grid must be a dict from options to lists of values, not {shown(grid)}.")
    known = model.get_params(deep=False)
    for name, values in grid.items():
        if name not in known:
            raise OptionError(
                f"{type(model).__name__} has no option {shown(name)} to choose; it has {', '.join(known)}."
                + did_you_mean(name, known)
            )
        given: Any = values
        several = isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim > 0)
        if isinstance(given, (str, bytes)) or not several or not len(given):
            raise OptionError(f"grid[{name!r}] must be a list of values to try, not {shown(values)}.")
    if not grid:
        raise OptionError("the grid is empty: name an option and values to try, as {'latent_dim': [16, 64]}.")
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
