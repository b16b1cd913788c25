"""Whether probabilities of hidden links hold: ours as they are, rules by Platt's scaling.

Hidden links are judged against all hidden pairs that are none, by a weighted sample (`acvae.links`). A rule
has no probabilities, so it is given log-odds a·score + b, or a·log(score) + b, that fit best to *validation
links*, which the rule of `split_edges` takes out of the train links, for the rule without them: all that a
user could have. Beside that, as a bound from below that nobody can reach, the same with a and b fitted to the
very pairs that are judged.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.seeds import stream_seed
from acvae.gaussian.rankings import Ranking
from acvae.links.calibration import HiddenPairs, calibration, hidden_pairs, platt
from acvae.methods import METHODS
from acvae.reproduce.compare.method import Contender
from acvae.reproduce.compare.pairs import Recorder
from acvae.splits import EdgeSplit, split_edges

__all__ = ["METRICS", "our_probabilities", "rule_probabilities"]

METRICS = {
    "calibration_error": "calibration error, by pairs",
    "calibration_error_of_links": "by links",
    "log_loss": "log-loss a link",
}
LEAST = 1e-6  # of a rule's largest score; its logarithm is not taken below

FloatArray = npt.NDArray[np.float64]


def our_probabilities(name: str, features: Any, split: EdgeSplit) -> dict[str, Any]:
    """Figures of a model of ours, with its defaults, fitted to the train links."""
    model = METHODS[name].make({"seed": split.seed}).fit(features, split.train)
    pairs = hidden_pairs(split.train, split.test, seed=split.seed)
    return _figures(np.asarray(model.links_.log_odds(pairs.i, pairs.j), dtype=np.float64), pairs)


def rule_probabilities(
    rule: Contender, options: dict[str, Any], features: Any, split: EdgeSplit
) -> dict[str, Any]:
    """Figures of a rule with these options, its scores scaled in the better of two ways."""
    inner = split_edges(split.train, seed=stream_seed(split.seed, "calibration") % 2**31)
    known = _scores(rule, options, features, inner)
    judged = _scores(rule, options, features, split)
    losses, found, bounds = {}, {}, {}
    for form, change in FORMS.items():
        score, pairs = known
        a, b = platt(change(score), pairs.link, pairs.weight)
        losses[form] = calibration(a * change(score) + b, pairs).log_loss
        score, pairs = judged
        found[form] = _figures(a * change(score) + b, pairs)
        a, b = platt(change(score), pairs.link, pairs.weight)
        bounds[form] = _figures(a * change(score) + b, pairs)
    best = min(losses, key=lambda form: losses[form])
    bound = min(bounds.values(), key=lambda figures: figures["log_loss"])
    own = {f"bound_{key}": bound[key] for key in METRICS}
    return {**found[best], **own, "scaled": best, "options": options}


def _scores(
    rule: Contender, options: dict[str, Any], features: Any, split: EdgeSplit
) -> tuple[FloatArray, HiddenPairs]:
    """Scores of the hidden pairs of a split by the rule on its train links."""
    pairs = hidden_pairs(split.train, split.test, seed=split.seed)
    return scores_of(rule.fit(features, split.train, seed=split.seed, **options), pairs), pairs


def _logarithm(score: FloatArray) -> FloatArray:
    least = LEAST * max(float(score.max()), 1e-300)
    return np.asarray(np.log(np.maximum(score, least)))


FORMS: dict[str, Callable[[FloatArray], FloatArray]] = {"score": lambda x: x, "log score": _logarithm}


def scores_of(ranking: Ranking, pairs: HiddenPairs) -> FloatArray:
    """(k,) mean of the scores that a pair has in the rows of its two ends."""
    recorder = Recorder(ranking, np.stack([pairs.i, pairs.j], axis=1))
    for _ in recorder.distance_blocks():
        pass
    return -recorder.distances


def _figures(log_odds: FloatArray, pairs: HiddenPairs) -> dict[str, Any]:
    found = calibration(log_odds, pairs)
    return {
        "calibration_error": found.error,
        "calibration_error_of_links": found.link_error,
        "log_loss": found.log_loss,
        "links": int(pairs.link.sum()),
        "pairs": float(pairs.weight.sum()),
    }
