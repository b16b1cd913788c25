"""One number for how well a fitted model ranks links that it has not seen."""

from __future__ import annotations

from typing import Any

from acvae import metrics
from acvae._util.checks import choice
from acvae.exceptions import GraphError
from acvae.graph import Graph

__all__ = ["BY", "METRICS", "score_links"]

BY = ("link", "distance")
METRICS = ("ncrr", "mrr", "hits")


def score_links(model: Any, hidden: Graph, *, metric: str = "ncrr", by: str = "link") -> float:
    """How well a fitted model ranks links that it has not seen, among all vertices; 1 is best.

    Parameters
    ----------
    hidden
        Graph on the model's vertices; links that the model was fitted on do not count.
    metric
        `"ncrr"`, `"mrr"` or `"hits"` (a hidden link among the first ten).
    by
        Rank by `"link"` (`model.links_`) or by the posterior's `"distance"`.
    """
    choice("metric", metric, METRICS)
    choice("by", by, BY)
    n = model.posterior_.n_vertices
    if not isinstance(hidden, Graph):
        raise GraphError(
            f"links to score come as an acvae.Graph, such as split.test of acvae.split_edges, not as "
            f"{type(hidden).__name__}."
        )
    train = Graph(n, []) if model.graph_ is None else model.graph_
    if hidden.n_vertices != n:
        raise GraphError(f"the links to score are on {hidden.n_vertices} vertices, the model is on {n}.")
    new = hidden.with_edges(~train.has_edges(hidden.edges))
    if new.n_edges == 0:
        raise GraphError(
            "the model was fitted on all of these links; score those that were hidden from it, such as "
            "split.test of acvae.split_edges."
        )
    ranking = model.links_ if by == "link" else model.posterior_
    return float(getattr(metrics.evaluate(ranking, train, new), metric).test)
