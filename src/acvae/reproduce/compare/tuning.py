"""Options chosen on validation edges, which are taken out of the train edges as test edges are out of all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae import metrics
from acvae._util.seeds import stream_seed
from acvae.exceptions import GraphError
from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.reproduce.compare.method import Contender
from acvae.reproduce.compare.ranking import Block
from acvae.splits import split_edges

__all__ = ["Choice", "choose", "validation_ncrr"]

PATIENCE = 5  # looks without a better score, after which training ends


@dataclass(frozen=True)
class Choice:
    """The options that ranked the validation edges best, and what each tried gave."""

    options: dict[str, Any]
    tried: list[dict[str, Any]] = field(default_factory=list)


def choose(method: Contender, features: Any, train: Graph, seed: int) -> Choice:
    """Try a method's grid: fit without the validation edges, rank those, keep the best NCRR.

    Only the train graph is looked at. The number of epochs is the one after which the validation edges were
    ranked best. The caller fits again, on all train edges, with what was chosen.
    """
    if len(method.grid) == 1 and method.epochs == 0:
        return Choice(dict(method.grid[0]))
    inner = split_edges(train, seed=stream_seed(seed, "validation edges") % 2**31)
    if inner.train.n_edges == 0:
        raise GraphError(
            f"{train.n_edges} train edges leave none to train on when validation edges are taken out; "
            "options cannot be chosen on so small a graph."
        )

    def score(ranking: Ranking) -> float:
        return validation_ncrr(ranking, inner.train, inner.test, limit=method.looks, seed=seed)

    tried = []
    for options in method.grid:
        if method.epochs:
            watch = _Watch(score, method.every)
            method.fit(features, inner.train, seed=seed, watch=watch, epochs=method.epochs, **options)
            tried.append({**options, "epochs": watch.epoch, "ncrr": watch.best})
        else:
            ranking = method.fit(features, inner.train, seed=seed, **options)
            tried.append({**options, "ncrr": score(ranking)})
    best = max(tried, key=lambda row: row["ncrr"])
    return Choice({key: value for key, value in best.items() if key != "ncrr"}, tried)


class _Watch:
    """Looks at the validation edges now and then, and ends training when it no longer helps."""

    def __init__(self, score: Callable[[Ranking], float], every: int) -> None:
        self._score, self._every = score, every
        self.best, self.epoch, self._since = -1.0, 1, 0

    def __call__(self, epoch: int, ranking: Callable[[], Ranking]) -> bool:
        if epoch % self._every:
            return False
        score = self._score(ranking())
        self._since += 1
        if score > self.best:
            self.best, self.epoch, self._since = score, epoch, 0
        return self._since >= PATIENCE


def validation_ncrr(
    ranking: Ranking, train: Graph, hidden: Graph, *, limit: int | None = None, seed: int = 0
) -> float:
    """Test NCRR of hidden links, of at most `limit` vertices that have one, chosen at random."""
    vertices = np.flatnonzero(hidden.degrees)
    if limit is not None and len(vertices) > limit:
        vertices = np.sort(np.random.default_rng(seed).choice(vertices, limit, replace=False))
    ranks = metrics.link_ranks(_SomeRows(ranking, vertices), train, hidden)
    kept = np.isin(ranks.test_vertex, vertices)
    nothing = np.empty(0, dtype=np.int64)
    part = ranks._replace(
        train_vertex=nothing,
        train_rank=nothing,
        test_vertex=ranks.test_vertex[kept],
        test_rank=ranks.test_rank[kept],
    )
    return metrics.scores(part).ncrr.test


class _SomeRows:
    """A ranking that answers for some rows only; the ranks of the others stay zero."""

    def __init__(self, ranking: Ranking, rows: npt.NDArray[np.int64]) -> None:
        self._ranking, self._rows = ranking, rows

    @property
    def n_vertices(self) -> int:
        return self._ranking.n_vertices

    def distance_blocks(
        self, rows: npt.ArrayLike | None = None, block_rows: int | None = None
    ) -> Iterator[Block]:
        wanted = self._rows if rows is None else np.intersect1d(self._rows, np.asarray(rows))
        yield from self._ranking.distance_blocks(wanted, block_rows)
