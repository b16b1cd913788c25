"""Whether probabilities of hidden links hold: ours as they are, rules by Platt's scaling.

Hidden links are judged against all hidden pairs that are none, by a weighted sample (`acvae.links`). A rule
has no probabilities, so it is given the best log-odds a·score + b, or a·log(score) + b, *for the very pairs
that it is judged on*: more than a user could have, and so a bound from below on the log-loss it can reach.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.links.calibration import HiddenPairs, calibration, hidden_pairs, platt
from acvae.methods import METHODS
from acvae.reproduce.compare.method import Method
from acvae.reproduce.compare.pairs import Recorder
from acvae.reproduce.compare.ranking import Ranking
from acvae.splits import EdgeSplit

__all__ = ["METRICS", "our_probabilities", "rule_probabilities"]

METRICS = {"calibration_error": "calibration error", "log_loss": "log-loss a link"}
LEAST = 1e-6  # of a rule's largest score; its logarithm is not taken below

FloatArray = npt.NDArray[np.float64]


def our_probabilities(name: str, features: Any, split: EdgeSplit) -> dict[str, Any]:
    """Figures of a model of ours, with its defaults, fitted to the train links."""
    model = METHODS[name].make({"seed": split.seed}).fit(features, split.train)
    pairs = hidden_pairs(split.train, split.test, seed=split.seed)
    return _figures(np.asarray(model.links_.log_odds(pairs.i, pairs.j), dtype=np.float64), pairs)


def rule_probabilities(
    rule: Method, options: dict[str, Any], features: Any, split: EdgeSplit
) -> dict[str, Any]:
    """Figures of a rule with these options, its scores scaled in the better of two ways."""
    ranking = rule.fit(features, split.train, seed=split.seed, **options)
    pairs = hidden_pairs(split.train, split.test, seed=split.seed)
    score = scores_of(ranking, pairs)
    least = LEAST * max(float(score.max()), 1e-300)
    found = {
        "score": _scaled(score, pairs),
        "log score": _scaled(np.log(np.maximum(score, least)), pairs),
    }
    best = min(found, key=lambda form: found[form]["log_loss"])
    return {**found[best], "scaled": best, "options": options}


def scores_of(ranking: Ranking, pairs: HiddenPairs) -> FloatArray:
    """(k,) mean of the scores that a pair has in the rows of its two ends."""
    recorder = Recorder(ranking, np.stack([pairs.i, pairs.j], axis=1))
    for _ in recorder.distance_blocks():
        pass
    return -recorder.distances


def _scaled(score: FloatArray, pairs: HiddenPairs) -> dict[str, Any]:
    a, b = platt(score, pairs.link, pairs.weight)
    return _figures(a * score + b, pairs)


def _figures(log_odds: FloatArray, pairs: HiddenPairs) -> dict[str, Any]:
    found = calibration(log_odds, pairs)
    return {
        "calibration_error": found.error,
        "log_loss": found.log_loss,
        "links": int(pairs.link.sum()),
        "pairs": float(pairs.weight.sum()),
    }
