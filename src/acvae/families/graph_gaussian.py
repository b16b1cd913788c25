"""The whole of GraphGaussian without its face: evidence, scales, heads, all by leave-one-out.

Scales are relative to the graph: at a scale t the strength of an edge is α = t·(1 + c)/(mean degree), so that
a vertex of mean degree hears its neighbours t times as loudly as its own prior and evidence. With edge
weights, a_e is α times the weight relative to their mean. Where all vertices have features, J is then 1 + c
times what it is without c: correlations, and cosines of means, do not depend on c, and only t is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.options import option
from acvae._util.progress import expect
from acvae._util.text import counted
from acvae.exceptions import FeatureError, GraphError, OptionError, PosteriorError
from acvae.families.completion import Completion, choose_completion
from acvae.families.edge_strengths import (
    check_weights,
    over_mean,
    relative_weights,
    strength_of_one,
    strengths,
)
from acvae.families.graph_gaussian_evidence import fit_evidence
from acvae.families.graph_gaussian_seconds import once_ordered
from acvae.gaussian.evidence import Evidence
from acvae.gaussian.graph.solver import Solver, solver_for, solver_named
from acvae.gaussian.stored import Stored
from acvae.graph import Graph
from acvae.links.candidates import CandidateRanking
from acvae.links.choosing import choose_scales
from acvae.links.fitting import Gather, fit_heads
from acvae.links.head import Head, start
from acvae.links.queries import gather
from acvae.links.ranking import LinkRanking
from acvae.links.statistics.graph import GraphStatistics
from acvae.links.statistics.scales import Scale, unit_rows

__all__ = ["GraphGaussianFit", "dimensions", "fit_graph_gaussian"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Report = Callable[[str, float], None]

SCALES = (1.5, 15.0)  # what "auto" begins with
PRECISION = 1.0  # of the evidence, relative to the prior's
OPTIONS = (SCALES, (0.5, 5.0), (5.0, 50.0))  # what "auto" tries, the usual one first
QUERIES = 20_000
LARGE, LARGE_QUERIES = 200_000, 10_000  # vertices from which on there are fewer


@dataclass
class GraphGaussianFit:
    """What was fitted, and the Gaussians, statistics and ranking made of it.

    Attributes
    ----------
    graph, evidence, rows, seen
        The train graph; the map of features or None; evidence (n, d); which vertices (n,) have any.
    scales, precision
        The scales t, and the evidence's precision c.
    order, probability
        The heads.
    solver
        How Gaussians are held.
    report
        What was tried and chosen, with held-out losses.
    observed
        Rows (n,) of features that count, also where they say nothing; None for all.
    like
        The graph whose mean weight counts as one; None for `graph`.
    """

    graph: Graph
    evidence: Evidence | None
    rows: FloatArray
    seen: BoolArray
    scales: tuple[float, ...]
    precision: float
    order: Head
    probability: Head
    solver: Solver
    report: dict[str, Any] = field(default_factory=dict)
    observed: BoolArray | None = None
    like: Graph | None = None
    _statistics: GraphStatistics | None = None
    _completion: Completion | None = None

    @property
    def statistics(self) -> GraphStatistics:
        """Of pairs, under the graph and all evidence."""
        if self._statistics is None:
            self._statistics = make_statistics(
                self.graph, self.rows, self.seen, self.scales, self.precision, self.solver, like=self.like
            )
        return self._statistics

    @property
    def ranking(self) -> LinkRanking:
        """Scores and probabilities of links."""
        kind = CandidateRanking if self.solver.restricts else LinkRanking
        return kind(self.statistics, self.order, self.probability)

    @property
    def pull(self) -> FloatArray:
        """(n, d) c·r, what the evidence adds to J·mean."""
        return self.precision * self.seen[:, None] * self.rows

    def among(self, graph: Graph, rows: FloatArray, seen: BoolArray) -> GraphGaussianFit:
        """The same on a larger graph, whose first vertices and edges are those of this one.

        `rows` (N, d) and `seen` (N,) are the evidence of all. Heads, and strengths of edges, stay the same.
        """
        own = strength_of_one(self.graph, 1.0, self.precision if self.seen.any() else 0.0)
        there = strength_of_one(graph, 1.0, self.precision if seen.any() else 0.0)
        return replace(
            self,
            graph=graph,
            rows=rows,
            seen=seen,
            scales=tuple(t * own / there for t in self.scales),
            solver=solver_named(self.solver.name, graph.n_vertices, graph.edges),
            like=self.graph if self.like is None else self.like,
            _statistics=None,
            _completion=None,
        )

    def new_strengths(self, scale: float, count: int, weights: FloatArray | None = None) -> FloatArray:
        """(count,) strengths of new edges at a scale, by weight as the known ones'; else all alike."""
        one = strength_of_one(self.graph, scale, self.precision if self.seen.any() else 0.0)
        if weights is None:
            return np.full(count, one)
        return one * over_mean(weights, self.graph)

    def impute(self, vertices: IntArray, features: Any) -> tuple[FloatArray, FloatArray]:
        """Expected features (r, D) of vertices from all evidence, and their standard deviations (r, D).

        By a Gaussian of its own (`completion`); `features` (n, D) are those that were fitted to.
        """
        if self.evidence is None or (self.observed is not None and not self.observed.any()):
            raise FeatureError("the model was fitted without features, so there are none to expect.")
        if not self.seen.any():  # no row says anything of another
            counts = features if self.observed is None else features[np.flatnonzero(self.observed)]
            table = counts.toarray() if sp.issparse(counts) else np.asarray(counts)
            mean, spread = (of(table, axis=0, dtype=np.float64) for of in (np.mean, np.std))
            return np.tile(mean, (len(vertices), 1)), np.tile(spread, (len(vertices), 1))
        if self._completion is None:
            weights = relative_weights(self.graph)
            told = np.ones(len(self.seen), dtype=bool) if self.observed is None else self.observed
            self._completion = choose_completion(self.solver, weights, features, told)
        return self._completion(vertices)

    def pack(self) -> dict[str, npt.NDArray[Any]]:
        """Arrays to save; the graph's own and the features' kind are not among them."""
        out: dict[str, npt.NDArray[Any]] = {
            "rows": self.rows,
            "seen": self.seen,
            "scales": np.array(self.scales),
            "precision": np.array(self.precision),
            **self.order.pack("order/"),
            **self.probability.pack("probability/"),
        }
        if self.observed is not None:
            out["observed"] = self.observed
        if self.evidence is not None:
            out.update({"evidence/" + name: array for name, array in self.evidence.pack().items()})
        return out

    @classmethod
    def unpack(
        cls, arrays: dict[str, npt.NDArray[Any]], kind: str | None, graph: Graph, solver: str = "exact"
    ) -> GraphGaussianFit:
        """Of arrays that may be anything, the kind of the features if any, the graph, and the solver."""
        stored, prefix = Stored(arrays), "evidence/"
        own = {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
        evidence = None if kind is None else Evidence.unpack(kind, own)
        scales = stored.numbers("scales", (None,), np.float64)
        if not (len(scales) and (scales > 0).all()):
            raise PosteriorError("its scales are not positive.")
        made = cls(
            graph,
            evidence,
            stored.numbers("rows", (graph.n_vertices, evidence.dimensions if evidence else 0)),
            stored.mask("seen", graph.n_vertices),
            tuple(scales.tolist()),
            stored.number("precision"),
            Head.unpack(arrays, "order/"),
            Head.unpack(arrays, "probability/"),
            solver_named(solver, graph.n_vertices, graph.edges),
            observed=stored.mask("observed", graph.n_vertices) if "observed" in arrays else None,
        )
        for head in (made.order, made.probability):
            if len(head.centre) != made.statistics.count:
                raise PosteriorError(
                    f"its heads read {len(head.centre)} numbers of a pair, and there are now "
                    f"{made.statistics.count}: the file is of an older version, fit the model again."
                )
        return made


def dimensions(fitted: GraphGaussianFit, latent_dim: int) -> tuple[IntArray, IntArray]:
    """Scale (d,) and column of the evidence (d,) of each dimension: the leading ones, scales in turn.

    Without evidence there is one dimension a scale, of column −1, whose mean is zero.
    """
    width = 0 if fitted.evidence is None else fitted.evidence.dimensions
    count = len(fitted.scales)
    if width == 0:
        return np.arange(count), np.full(count, -1)
    total = min(latent_dim, count * width)
    return np.arange(total) % count, np.arange(total) // count


def make_statistics(
    graph: Graph,
    rows: FloatArray,
    seen: BoolArray,
    scales: tuple[float, ...],
    precision: float,
    solver: Solver,
    told: Callable[[Scale], Scale] = lambda scale: scale,
    like: Graph | None = None,
) -> GraphStatistics:
    """The numbers of pairs: Gaussians given the evidence at every scale, and what goes with them.

    Each is `told` when it is made. An edge of mean weight counts as one, or one of the mean of another graph.
    """
    made: list[Scale] = []
    for t in scales:
        expect((len(scales) - len(made)) * solver.seconds)
        made.append(told(make_scale(graph, rows, seen, t, precision, solver, like)))
    labels = tuple(f"{t:g}" for t in scales)
    return GraphStatistics(
        tuple(made), labels, graph.edges, relative_weights(graph, like), unit_rows(rows), solver=solver
    )


class _Counted:
    """Tells the progress of a stage that makes so many scales."""

    def __init__(self, say: Report, stage: str, count: int) -> None:
        self._say, self._stage, self._count, self._made = say, stage, count, 0

    def __call__(self, scale: Scale) -> Scale:
        self._made += 1
        self._say(self._stage, min(0.99, self._made / (self._count + 1)))
        return scale


def make_scale(
    graph: Graph,
    rows: FloatArray,
    seen: BoolArray,
    scale: float,
    precision: float,
    solver: Solver,
    like: Graph | None = None,
) -> Scale:
    """The Gaussian given the evidence at a scale t, and its mean."""
    own = (precision * seen).astype(np.float64)
    gaussian = solver.gaussian(1 + own, strengths(graph, scale, precision if seen.any() else 0.0, like))
    return Scale(gaussian, gaussian.solve(_pull(own, rows)))


def _pull(precision: FloatArray, rows: FloatArray) -> FloatArray:
    """(n, d) c·r, in the precision that evidence is kept in."""
    return rows * precision[:, None].astype(rows.dtype)


def fit_graph_gaussian(
    features: Any,
    graph: Graph,
    *,
    latent_dim: int = 64,
    scales: str | tuple[float, ...] = "auto",
    observed: BoolArray | None = None,
    solver: str = "auto",
    seed: int = 0,
    progress: Report | None = None,
    plan: Report | None = None,
) -> GraphGaussianFit:
    """Fit by leave-one-out; `features` (n, D) may be None, `observed` (n,) says which rows of them count.

    `progress` is told of each stage which share is done, `plan` about how many seconds one will take.
    """
    say = progress or (lambda what, share: None)
    n = graph.n_vertices
    check_weights(graph)
    evidence, rows, seen, tried = fit_evidence(features, graph, latent_dim, observed, seed)
    if not seen.any() and graph.n_edges == 0:
        raise GraphError(
            f"there is nothing to learn from: a graph of {counted(n, 'vertex', 'vertices')} without edges, "
            f"and {'no features' if features is None else 'no vertex with features'}. Give features, or a "
            "graph with edges; where split_edges hid them all, as it does on a star, fit to the whole graph."
            if evidence is None
            else "there are no edges, and the features are the same for every vertex: nothing to learn from."
        )
    say("evidence", 1.0)
    chosen = solver_for(solver, n, graph.edges)
    say("elimination", 1.0)
    report: dict[str, Any] = {
        "features": None if evidence is None else evidence.kind,
        "solver": chosen.name,
        "evidence": tried,
    }
    if isinstance(scales, str) and scales != "auto":
        raise OptionError(f"{option('scales')} must be 'auto' or numbers above 0, not {scales!r}.")
    best = SCALES if isinstance(scales, str) else tuple(float(t) for t in scales)
    if not best or any(not (np.isfinite(t) and t > 0) for t in best):
        raise OptionError(f"{option('scales')} must be numbers above 0, got {scales!r}.")
    pairs = n * (n - 1) // 2
    choosing = isinstance(scales, str) and 0 < graph.n_edges < pairs
    for stage, seconds in once_ordered(chosen, n, choosing=choosing).items():
        (plan or (lambda stage, seconds: None))(stage, seconds)
    made = _Counted(say, "scales", len(best) + (sum(map(len, OPTIONS[1:])) if choosing else 0))
    statistics = make_statistics(graph, rows, seen, best, PRECISION, chosen, made)
    if choosing:
        best, report["scales"] = choose_scales(
            statistics,
            graph,
            OPTIONS,
            lambda t: made(make_scale(graph, rows, seen, t, PRECISION, chosen)),
            seed,
        )
        if best != SCALES:
            statistics = make_statistics(graph, rows, seen, best, PRECISION, chosen)
    say("scales", 1.0)

    def strip(rest: Graph) -> tuple[GraphStatistics, Gather]:
        """The numbers of pairs, and a way to gather them, with some of the edges."""
        beside = solver_for("local" if chosen.restricts else "auto", n, rest.edges)  # what memory is left for
        own = make_statistics(rest, rows, seen, best, PRECISION, beside)
        return own, partial(gather, own, rest)

    if 0 < graph.n_edges < pairs:
        order, probability, report["held_out"] = fit_heads(
            statistics,
            graph,
            partial(gather, statistics, graph),
            np.random.default_rng(seed),
            queries=QUERIES if n < LARGE else LARGE_QUERIES,
            seed=seed,
            progress=say,
            ranking=CandidateRanking if chosen.restricts else LinkRanking,
            strip=strip,
        )
    else:  # nothing to tell links from others by
        order = _unlearned(statistics.count)
        odds = np.log((graph.n_edges + 0.5) / (pairs - graph.n_edges + 0.5))
        probability = _constant(statistics.count, float(odds))
    say("probabilities", 1.0)
    return GraphGaussianFit(
        graph,
        evidence,
        rows,
        seen,
        best,
        PRECISION,
        order,
        probability,
        chosen,
        report,
        None if observed is None else np.array(observed),
        _statistics=statistics,
    )


def _unlearned(statistics: int) -> Head:
    """The sum of correlations and cosines as a head."""
    linear = np.ones(statistics, dtype=np.float32)
    linear[-4:] = 0  # those of degrees
    return _linear(linear, 0.0)


def _constant(statistics: int, log_odds: float) -> Head:
    """The same for all pairs."""
    return _linear(np.zeros(statistics, dtype=np.float32), log_odds)


def _linear(linear: npt.NDArray[np.float32], offset: float) -> Head:
    zero = start(len(linear), 1, seed=0)
    network = zero._replace(linear=linear, offset=np.array([offset], dtype=np.float32))
    return Head(np.zeros_like(linear), np.ones_like(linear), (network,))
