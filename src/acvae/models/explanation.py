"""Why a link: how much each statistic of the pair adds, which features are shared, through whom it flows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.gaussian.evidence import REAL
from acvae.gaussian.graph.solver import Gaussian
from acvae.links.prediction import probability_of
from acvae.links.statistics.symmetry import symmetric

if TYPE_CHECKING:
    from acvae.models.graph_gaussian import GraphGaussian

__all__ = ["Explanation", "explain", "shapley_values"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

REFERENCE_PAIRS = 2_000  # random pairs whose mean statistics are what a pair is compared with
_KNOWN: WeakKeyDictionary[Any, FloatArray] = WeakKeyDictionary()
MOST_EXACT = 16  # statistics, whose mixtures are 65,536
ORDERS, ORDERS_AT_A_TIME = 1_000, 50  # in which more are told, and as many reversed
MOST = 5  # statistics, shared features and neighbours that are named
MOST_PUSHED = 200  # edges of an end that are left out in turn where each takes two pushes


class Explanation(NamedTuple):
    """What a link's log-odds are made of.

    Attributes
    ----------
    i, j
        The two vertices, by name where there are names.
    probability, reference
        Probability of a link, and that of a pair with the mean statistics of random pairs.
    statistics
        Name, value, and what it adds to the log-odds over the reference, on average over the orders in which
        they may be told; these add up exactly. Of more than 16, as of three scales, the orders are 2,000.
    shared_features
        Name or number of each feature that both have, and how telling it is; the most telling first.
    paths
        (of, neighbour, share): whose neighbour, which, and the share of the covariance K_ij that is lost when
        the edge to it is removed; largest first, and negative where it grows. Exact with solver "exact"; with
        "local" never further from zero than the exact one, none where a solve does not tell K_ij from zero,
        and of an end with more than 200 neighbours for the 200 that hand it most.
    linked
        Whether the two are linked in the graph that the model was fitted to.
    """

    i: Any
    j: Any
    probability: float
    reference: float
    statistics: list[tuple[str, float, float]]
    shared_features: list[tuple[Any, float]]
    paths: list[tuple[Any, Any, float]]
    linked: bool

    def __str__(self) -> str:
        lines = [f"{self.i} – {self.j}: probability of a link {self.probability:.3g}"]
        if self.linked:
            lines.append("  They are linked already; the link itself is part of what follows.")
        strongest = sorted(self.statistics, key=lambda s: -abs(s[2]))
        for name, value, adds in strongest[:MOST]:
            lines.append(f"  {name} = {value:.3g} {_adds(adds)}")
        rest = strongest[MOST:]
        if rest:
            lines.append(
                f"  the {len(rest)} others in .statistics: {_adds(sum(s[2] for s in rest))} together"
            )
        return "\n".join([*lines, *(f"  {sentence}" for sentence in self.words())])

    def words(
        self,
        feature_names: Sequence[Any] | None = None,
        *,
        most: int = MOST,
        least: float = 0.01,
        called: Mapping[Any, str] | None = None,
    ) -> list[str]:
        """The features that both have, and through whom correlation flows, in a sentence each.

        At most `most` are named, of neighbours only those with a share of at least `least`; of a neighbour of
        both the larger share is told. Features that the model knows by number are called by `feature_names`,
        vertices as `called` says.
        """
        said = []
        if self.shared_features:
            features = [name for name, _ in self.shared_features[:most]]
            if feature_names is not None:
                features = [feature_names[f] if isinstance(f, int) else f for f in features]
            more = len(self.shared_features) - most
            kind = "features " if all(isinstance(f, int) for f in features) else ""
            more_of_them = f" and {more} more" if more > 0 else ""
            said.append(f"both have {kind}{', '.join(map(str, features))}{more_of_them}")
        through: dict[Any, list[tuple[Any, float]]] = {}
        for of, by, share in self.paths:
            if share >= least:
                through.setdefault(by, []).append((of, share))
        if through:
            names = called or {}
            told = (
                f"{names.get(by, by)} "
                f"(linked to {'both' if len(ends) > 1 else names.get(ends[0][0], ends[0][0])}, "
                f"{ends[0][1]:.0%})"
                for by, ends in list(through.items())[:most]
            )
            said.append(f"correlation flows through {', '.join(told)}")
        return said


def _adds(amount: float) -> str:
    return f"{'adds' if amount >= 0 else 'takes'} {abs(amount):.2f}"


def explain(model: GraphGaussian, i: int, j: int) -> Explanation:
    """See `GraphGaussian.explain`."""
    ranking, graph = model.links_, model.graph_
    names = graph.names
    label = (lambda v: int(v)) if names is None else (lambda v: names[v])
    statistics = ranking.statistics
    pair = symmetric(statistics.pairs(np.array([i]), np.array([j])), statistics.directed)[0].astype(
        np.float64
    )
    typical = _typical(statistics, graph.n_vertices)
    adds = shapley_values(ranking.probability, pair, typical)
    odds = ranking.probability(np.stack([pair, typical]).astype(np.float32)).astype(np.float64)
    told = list(statistics.names)
    ends = ("the log degrees", "the neighbours' log degrees", "company")
    for last, what in zip(range(1, statistics.directed + 1), ends, strict=False):
        told[-2 * last : len(told) - 2 * last + 2] = f"sum of {what}", f"difference of {what}"
    chance = probability_of(odds)
    start, neighbours = graph.csr
    return Explanation(
        label(i),
        label(j),
        float(chance[0]),
        float(chance[1]),
        [(name, float(v), float(x)) for name, v, x in zip(told, pair, adds, strict=True)],
        _shared(model, i, j),
        [(label(of), label(by), share) for of, by, share in _paths(model, i, j)],
        bool(j in neighbours[start[i] : start[i + 1]]),
    )


def _typical(statistics: Any, n: int) -> FloatArray:
    """(F,) mean statistics of random pairs; found once for all explanations of a model."""
    if statistics not in _KNOWN:
        a, b = np.random.default_rng(0).integers(0, n, (2, REFERENCE_PAIRS))
        apart = a != b
        numbers = symmetric(statistics.pairs(a[apart], b[apart]), statistics.directed)
        _KNOWN[statistics] = numbers.astype(np.float64).mean(axis=0)
    return _KNOWN[statistics]


def shapley_values(head: Any, pair: FloatArray, typical: FloatArray) -> FloatArray:
    """(F,) what each statistic adds to the log-odds, averaged over all orders in which they may be told.

    They sum to the difference. Exact by all 2^F mixtures of the pair's statistics and the typical ones; of
    more than `MOST_EXACT` statistics by a sample of orders.
    """
    return (_of_all_orders if len(pair) <= MOST_EXACT else _of_some_orders)(head, pair, typical)


def _of_all_orders(head: Any, pair: FloatArray, typical: FloatArray) -> FloatArray:
    count = len(pair)
    subsets = np.arange(2**count)
    inside = subsets[:, None] >> np.arange(count) & 1  # (2^F, F)
    value = head(np.where(inside, pair, typical).astype(np.float32)).astype(np.float64)
    weight = 1 / (count * np.array([comb(count - 1, size) for size in range(count)]))
    out = np.zeros(count)
    for f in range(count):
        without = subsets[inside[:, f] == 0]
        gain = value[without | 1 << f] - value[without]
        out[f] = (weight[inside[without].sum(axis=1)] * gain).sum()
    return out


def _of_some_orders(
    head: Any, pair: FloatArray, typical: FloatArray, orders: int = ORDERS, seed: int = 0
) -> FloatArray:
    """Over random orders, each with its reverse: what two statistics do together is then shared exactly."""
    count = len(pair)
    rng = np.random.default_rng(seed)
    total = np.zeros(count)
    for first in range(0, orders, ORDERS_AT_A_TIME):
        size = min(ORDERS_AT_A_TIME, orders - first)
        place = rng.permuted(np.tile(np.arange(count), (size, 1)), axis=1)  # (b, F) of each statistic
        place = np.concatenate([place, count - 1 - place])
        told = place[:, None, :] < np.arange(count + 1)[:, None]  # (2·b, F + 1, F) after each step
        mixed = np.where(told, pair, typical).astype(np.float32).reshape(-1, count)
        gain = np.diff(head(mixed).astype(np.float64).reshape(len(place), count + 1), axis=1)
        total += np.take_along_axis(gain, place, axis=1).sum(axis=0)
    return total / (2 * orders)


def _shared(model: GraphGaussian, i: int, j: int) -> list[tuple[Any, float]]:
    """Features that both have, by how much each says; of real-valued ones those far on the same side.

    None where the features of either say nothing, or are not observed.
    """
    features, evidence = model._features, model._fit.evidence
    if features is None or evidence is None or not model._fit.seen[[i, j]].all():
        return []
    both = features[[i, j]]
    x, y = np.asarray(both.toarray() if sp.issparse(both) else both, dtype=np.float64)
    product = (x - evidence.shift) * (y - evidence.shift) * evidence.scale**2
    if evidence.kind in REAL:
        product[(x - evidence.shift) * (y - evidence.shift) <= 0] = 0
    order = np.argsort(-product, kind="stable")
    order = order[product[order] > 0][:100]
    columns = getattr(model, "feature_names_in_", None)
    return [(int(f) if columns is None else columns[f], float(product[f])) for f in order]


def _paths(model: GraphGaussian, i: int, j: int) -> list[tuple[int, int, float]]:
    """Edges of i and of j by the share of K_ij that goes with them: (of whom, neighbour, share)."""
    statistics = model._fit.statistics
    gaussian = statistics.scales[0].gaussian
    edges = np.flatnonzero((gaussian.edges == i).any(axis=1) | (gaussian.edges == j).any(axis=1))
    if statistics.solver.restricts and len(edges) > MOST_PUSHED:
        edges = _likely(gaussian, i, j, edges)
    covariance, without = gaussian.without_each(i, j, edges)
    if covariance <= 0:
        return []
    out = []
    for (u, v), left in zip(gaussian.edges[edges].tolist(), without, strict=True):
        of = i if i in (u, v) else j
        out.append((of, u + v - of, float(1 - left / covariance)))
    return sorted(out, key=lambda path: -path[2])


def _likely(gaussian: Gaussian, i: int, j: int, edges: IntArray) -> IntArray:
    """Of either end's edges the `MOST_PUSHED` that hand it most of K_ij = (Σ_k a_ik·K_kj)/J_ii."""
    unit = np.zeros((gaussian.n_vertices, 2))
    unit[[j, i], [0, 1]] = 1
    kept = []
    for of, column in zip((i, j), gaussian.solve(unit).T, strict=True):
        own = edges[(gaussian.edges[edges] == of).any(axis=1)]
        handed = gaussian.strength[own] * column[gaussian.edges[own].sum(axis=1) - of]
        kept.append(own[np.argsort(-handed, kind="stable")[:MOST_PUSHED]])
    return np.unique(np.concatenate(kept))
