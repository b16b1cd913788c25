"""How good probabilities of links are: hidden links against a weighted sample of pairs that are none."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.checks import seed_number, whole_number
from acvae.exceptions import GraphError
from acvae.graph import Graph
from acvae.links.calibration import Calibration, calibration, hidden_pairs

__all__ = ["LinkEvaluation", "evaluate_links", "weighted_auc", "weighted_average_precision"]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


class LinkEvaluation(NamedTuple):
    """Scores of log-odds, in which every hidden pair of the graph counts."""

    auc: float  # probability that a hidden link comes before a hidden pair that is none
    average_precision: float  # mean share of links among the pairs down to each link
    calibration: Calibration  # error, log_loss, and the reliability curve with bands
    n_links: int
    n_pairs: float  # hidden pairs, links among them, that the sample stands for

    def as_dict(self) -> dict[str, Any]:
        """What JSON can hold: the scores, and the reliability curve as a list of bins."""
        curve = self.calibration
        names = ("log_odds", "predicted", "observed", "low", "high", "links", "pairs", "counted")
        columns = zip(*(getattr(curve, name).tolist() for name in names), strict=True)
        return {
            "auc": self.auc,
            "average_precision": self.average_precision,
            "calibration_error": curve.error,
            "calibration_error_of_links": curve.link_error,
            "log_loss": curve.log_loss,
            "links": self.n_links,
            "pairs": self.n_pairs,
            "reliability": [dict(zip(names, row, strict=True)) for row in columns],
        }


def evaluate_links(
    ranking: Any, train: Graph, test: Graph, seed: int = 0, *, size: int = 200_000
) -> LinkEvaluation:
    """Score the probabilities of a ranking (`model.links_`) on the links of `test`, which it has not seen.

    Parameters
    ----------
    ranking
        Anything with `n_vertices` and `log_odds(i, j)`.
    size
        About how many pairs that are no links are drawn; each is weighted by how many it stands for.
    """
    for name, graph in (("train", train), ("test", test)):
        if not isinstance(graph, Graph):
            raise GraphError(f"the {name} links must be an acvae.Graph, not {type(graph).__name__}.")
        if graph.n_vertices != ranking.n_vertices:
            raise GraphError(
                f"the {name} graph has {graph.n_vertices} vertices, the ranking {ranking.n_vertices}."
            )
    if train.has_edges(test.edges).any():
        raise GraphError("some test edges are train edges too; split_edges gives disjoint ones.")
    size, seed = whole_number("size", size, minimum=1), seed_number("seed", seed)
    pairs = hidden_pairs(train, test, size=size, seed=seed)
    odds = np.asarray(ranking.log_odds(pairs.i, pairs.j), dtype=np.float64)
    found = calibration(odds, pairs)
    return LinkEvaluation(
        weighted_auc(odds, pairs.link, pairs.weight),
        weighted_average_precision(odds, pairs.link, pairs.weight),
        found,
        int(pairs.link.sum()),
        float(pairs.weight.sum()),
    )


def _levels(scores: FloatArray, link: BoolArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weights of links and of others at each distinct score, the best first."""
    levels, place = np.unique(-scores, return_inverse=True)
    good = np.bincount(place, weight * link, len(levels))
    return np.asarray(good, np.float64), np.asarray(
        np.bincount(place, weight * ~link, len(levels)), np.float64
    )


def weighted_auc(scores: FloatArray, link: BoolArray, weight: FloatArray) -> float:
    """P(score of a link > score of another), equal ones half; NaN if either is missing."""
    good, bad = _levels(scores, link, weight)
    total = good.sum() * bad.sum()
    after = bad.sum() - np.cumsum(bad) + bad / 2
    return float((good * after).sum() / total) if total > 0 else float("nan")


def weighted_average_precision(scores: FloatArray, link: BoolArray, weight: FloatArray) -> float:
    """Mean over links of the share of links among all pairs that score no lower; NaN without links."""
    good, bad = _levels(scores, link, weight)
    precision = np.cumsum(good) / np.maximum(np.cumsum(good + bad), 1e-300)
    return float((good * precision).sum() / good.sum()) if good.sum() > 0 else float("nan")
