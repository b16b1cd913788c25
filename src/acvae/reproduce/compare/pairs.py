"""AUC and average precision of hidden links against as many random pairs that are no links.

NCRR, MRR and Hits@k rank all candidates of a vertex; these two are over pairs of the whole graph, as the
papers on graph auto-encoders report them. The same pass over the rows serves both kinds.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from acvae.exceptions import GraphError
from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.reproduce.compare.ranking import Block

__all__ = ["Recorder", "auc", "average_precision", "random_non_links"]


class Recorder:
    """The same ranking, which keeps the distances of some pairs as they stream by.

    The distance of a pair is the mean of those in the rows of its two ends: a ranking need not be symmetric.
    Only rows that were asked for are seen.
    """

    def __init__(self, ranking: Ranking, pairs: npt.NDArray[np.int64]) -> None:
        self._ranking = ranking
        both = np.concatenate([pairs, pairs[:, ::-1]])
        order = np.argsort(both[:, 0], kind="stable")
        self._number = order % max(len(pairs), 1)
        self._other = both[order, 1]
        counts = np.bincount(both[:, 0], minlength=ranking.n_vertices)
        self._first = np.concatenate([[0], np.cumsum(counts)])
        self._sum, self._seen = np.zeros(len(pairs)), np.zeros(len(pairs))

    @property
    def n_vertices(self) -> int:
        return self._ranking.n_vertices

    def distance_blocks(
        self, rows: npt.ArrayLike | None = None, block_rows: int | None = None
    ) -> Iterator[Block]:
        """Pass the blocks on."""
        position = np.empty(self.n_vertices, dtype=np.int64)
        for ids, columns, block in self._ranking.distance_blocks(rows, block_rows):
            position[columns] = np.arange(len(columns))
            for r, row in enumerate(ids):
                at = slice(self._first[row], self._first[row + 1])
                number = self._number[at]
                self._sum[number] += block[r, position[self._other[at]]]
                self._seen[number] += 1
            yield ids, columns, block

    @property
    def distances(self) -> npt.NDArray[np.float64]:
        """(pairs,), not a number where neither row was asked for."""
        return np.where(self._seen > 0, self._sum / np.maximum(self._seen, 1), np.nan)


def random_non_links(count: int, train: Graph, test: Graph, seed: int) -> npt.NDArray[np.int64]:
    """`count` distinct pairs u < v (k, 2) of vertices that have some link, joined in neither graph."""
    linked = np.flatnonzero(train.degrees + test.degrees)
    available = len(linked) * (len(linked) - 1) // 2 - train.n_edges - test.n_edges
    if count > available:
        raise GraphError(f"{count} pairs without a link are needed, but there are {max(available, 0)}.")
    rng = np.random.default_rng(seed)
    found = np.empty((0, 2), dtype=np.int64)
    while len(found) < count:
        drawn = np.sort(linked[rng.integers(len(linked), size=(2 * count + 16, 2))], axis=1)
        drawn = drawn[drawn[:, 0] < drawn[:, 1]]
        drawn = np.concatenate([found, drawn[~train.has_edges(drawn) & ~test.has_edges(drawn)]])
        first = np.unique(drawn, axis=0, return_index=True)[1]  # each pair once, in the order drawn
        found = drawn[np.sort(first)][:count]
    return found


def auc(links: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> float:
    """P(a link is nearer than a non-link), ties counted half, from distances."""
    if len(links) == 0 or len(others) == 0:
        return float("nan")
    rank = rankdata(-np.concatenate([links, others]))[: len(links)]
    return float((rank.sum() - len(links) * (len(links) + 1) / 2) / (len(links) * len(others)))


def average_precision(links: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> float:
    """Σ precision·Δrecall over the distinct distances, nearest first; tied pairs come together."""
    if len(links) == 0 or len(others) == 0:
        return float("nan")
    bounds, counts = np.unique(links, return_counts=True)
    hits = np.cumsum(counts)
    wrong = np.searchsorted(np.sort(others), bounds, side="right")
    return float((counts * hits / (hits + wrong)).sum() / len(links))
