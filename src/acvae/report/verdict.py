"""The first sentence of a page: are the predicted links any good?"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from acvae import metrics
from acvae.methods import METHODS, RANKINGS
from acvae.report.entry import Entry
from acvae.reproduce.compare.rules import common_neighbours
from acvae.runs.collapse import collapse_warning, spread_of

__all__ = ["Verdict", "verdict"]

MOST_VERTICES = 8_000  # above, common neighbours are not counted for the page
FEW = 0.1  # of the vertices with a true link among the first ten: nothing to be proud of


class Verdict(NamedTuple):
    """Sentences in plain text."""

    text: str
    tone: str  # "good", "fair", "poor" or "unknown"
    warning: str | None


def verdict(entry: Entry) -> Verdict:
    """How good the predicted links are against chance and against counting common neighbours; collapse."""
    text, tone = _links(entry)
    return Verdict(text, tone, _collapse(entry))


def _links(entry: Entry) -> tuple[str, str]:
    links = (entry.scores or {}).get("link_prediction") or {}
    kind = next((kind for kind in (*RANKINGS, *links) if kind in links), None)
    score = {} if kind is None else links[kind]
    test, chance = (_number(score, "ncrr", part) for part in ("test", "random"))
    if test is None or not chance:
        if entry.test is None or entry.test.n_edges == 0:
            return (
                "All links were trained on, so that there are none to judge the predicted ones by.",
                "unknown",
            )
        return "Nobody has scored this run yet: acvae evaluate RUN does.", "unknown"
    times = test / chance
    rule = _common_neighbors(entry)
    how = (
        "no better than chance"
        if times < 1.5
        else "somewhat better than chance"
        if times < 4
        else "much better than chance"
    )
    tone = "poor" if times < 1.5 else "fair" if times < 4 else "good"
    hits, hits_chance = (_number(score, "hits_at_10", part) for part in ("test", "random"))
    if hits is not None and times >= 1.5:
        if hits_chance is not None and hits < 1.5 * hits_chance:
            how, tone = "better than chance as a whole, but not among the first ten", "poor"
        elif hits < FEW:
            tone = "fair"
    sentence = f"Predicted links are {how}"
    if rule is not None and times >= 1.5:
        if test >= 1.05 * rule:
            sentence += " and better than counting common neighbours"
        elif test > 0.95 * rule:
            sentence += " and about as good as counting common neighbours"
        else:
            sentence += ", but counting common neighbours does better"
            tone = "poor" if tone == "poor" else "fair"
    figures = f"NCRR {_shown(test)} on held-out links; chance has {_shown(chance)}"
    figures += "" if rule is None else f", common neighbours {_shown(rule)}"
    sentence += f" ({figures})."
    if hits is not None:
        of_chance = "" if hits_chance is None else f"; by chance for {_percent(hits_chance)}"
        sentence += (
            f" For {_percent(hits)} of the vertices with held-out links, one of these is among the first ten "
            f"predicted{of_chance}."
        )
    return sentence, tone


def _collapse(entry: Entry) -> str | None:
    method = METHODS.get(entry.model)  # a page may be of a posterior that no model of ours made
    text = None if method is None else collapse_warning(spread_of(entry.posterior), method)
    return None if text is None else text[0].upper() + text[1:]


# ---------------------------------------------------------------------- the rule to beat


def _common_neighbors(entry: Entry) -> float | None:
    """Test NCRR of the rule: as it is stored, or counted where that is quick."""
    stored = (entry.scores or {}).get("common_neighbors")
    if stored is not None:
        return _number(stored, "ncrr", "test") if isinstance(stored, dict) else None
    if entry.test is None or entry.test.n_edges == 0 or entry.graph.n_vertices > MOST_VERTICES:
        return None
    found = metrics.ncrr(common_neighbours(entry.graph), entry.graph, entry.test).test
    return found if math.isfinite(found) else None


def _number(score: dict[str, Any], metric: str, part: str) -> float | None:
    value = (score.get(metric) or {}).get(part)
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _shown(value: float) -> str:
    return f"{value:.3f}" if value >= 0.01 else f"{value:.4f}"


def _percent(value: float) -> str:
    return (
        f"{100 * value:.0f}%"
        if value >= 0.1
        else f"{100 * value:.1f}%"
        if value >= 0.001
        else "less than 0.1%"
    )
