"""The rules as lines of the table, with the grids that are tried for those that have something to choose."""

from collections.abc import Callable
from typing import Any

from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.reproduce.compare import rules
from acvae.reproduce.compare.method import Contender, Fit, Watch
from acvae.reproduce.compare.ranking import Scores

__all__ = ["RULES"]

STRENGTHS = (0.1, 0.5, 0.9)
RESTARTS = (0.15, 0.5)
WEIGHTINGS = ("none", "idf")


def _on_graph(rule: Callable[..., Scores]) -> Fit:
    def fit(features: Any, graph: Graph, *, seed: int, watch: Watch | None = None, **options: Any) -> Ranking:
        return rule(graph, seed=seed, **options)

    return fit


def _cosine(features: Any, graph: Graph, *, seed: int, watch: Watch | None = None, **options: Any) -> Ranking:
    return rules.cosine(features, seed=seed, **options)


def _sum(rule: Callable[..., Scores], *own: str) -> Fit:
    """A rule, whose own options are called `own`, and the cosine of the features."""

    def fit(features: Any, graph: Graph, *, seed: int, watch: Watch | None = None, **options: Any) -> Ranking:
        first = rule(graph, **{name: options.pop(name) for name in own if name in options})
        return rules.with_cosine(first, features, seed=seed, **options)

    return fit


def _forms(*forms: tuple[str, tuple[float, ...]], weighting: str = "idf") -> tuple[dict[str, Any], ...]:
    return tuple(
        {"form": form, "weight": weight, "weighting": weighting}
        for form, weights in forms
        for weight in weights
    )


_LOCAL = _forms(("plain", (0.1, 0.3, 1.0, 3.0, 10.0)), ("row", (0.3,)))
_GLOBAL = _forms(("row", (0.03, 0.1, 0.3)), ("log", (0.3, 1.0, 3.0)))

RULES = (
    Contender(
        "cosine",
        "cosine of the features",
        "rule",
        _cosine,
        tuple({"weighting": weighting} for weighting in WEIGHTINGS),
    ),
    Contender(
        "preferential-attachment",
        "preferential attachment",
        "rule",
        _on_graph(rules.preferential_attachment),
    ),
    Contender("common-neighbours", "common neighbours", "rule", _on_graph(rules.common_neighbours)),
    Contender("adamic-adar", "Adamic–Adar", "rule", _on_graph(rules.adamic_adar)),
    Contender("resource-allocation", "resource allocation", "rule", _on_graph(rules.resource_allocation)),
    Contender(
        "katz",
        "Katz",
        "rule",
        _on_graph(rules.katz),
        tuple({"strength": strength} for strength in STRENGTHS),
    ),
    Contender(
        "pagerank",
        "personalised PageRank",
        "rule",
        _on_graph(rules.pagerank),
        tuple({"restart": restart} for restart in RESTARTS),
    ),
    Contender("adamic-adar-cosine", "Adamic–Adar + cosine", "rule", _sum(rules.adamic_adar), _LOCAL),
    Contender(
        "resource-allocation-cosine",
        "resource allocation + cosine",
        "rule",
        _sum(rules.resource_allocation),
        _LOCAL,
    ),
    Contender("pagerank-cosine", "PageRank + cosine", "rule", _sum(rules.pagerank, "restart"), _GLOBAL),
)
