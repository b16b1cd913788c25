"""Options are chosen on hidden train links."""

import numpy as np
import pytest

import acvae
from acvae.exceptions import GraphError
from acvae.reproduce.compare import (
    RULES,
    Contender,
    Scores,
    rank_links,
    rules,
    tuning,
)
from reproduce.compare.samples import small


def test_validation_ncrr_is_the_metric_and_on_some_vertices_its_part() -> None:
    split = acvae.split_edges(small().graph, seed=2)
    ranking = rules.pagerank(split.train)
    assert tuning.validation_ncrr(ranking, split.train, split.test) == pytest.approx(
        acvae.metrics.ncrr(ranking, split.train, split.test).test
    )
    ranks = acvae.metrics.link_ranks(ranking, split.train, split.test)
    chosen = np.random.default_rng(7).choice(np.flatnonzero(split.test.degrees), 5, replace=False)
    own = []
    for v in chosen:
        rank = ranks.test_rank[ranks.test_vertex == v]
        own.append((1 / rank).sum() / (1 / np.arange(1, len(rank) + 1)).sum())
    found = tuning.validation_ncrr(ranking, split.train, split.test, limit=5, seed=7)
    assert found == pytest.approx(np.mean(own))


def test_the_choice_sees_only_train_edges_and_takes_the_best() -> None:
    data = small()
    split = acvae.split_edges(data.graph, seed=0)
    seen = []

    def fit(features, graph, *, seed, watch=None, good):
        seen.append(graph)
        return rules.katz(graph) if good else Scores(40, lambda rows: -rules.katz(graph).rows(rows))

    method = Contender("m", "M", "rule", fit, ({"good": False}, {"good": True}))
    found = rank_links(method, data.features, split)
    assert found["options"] == {"good": True}
    assert [row["good"] for row in found["tried"]] == [False, True]
    inner = seen[0]
    assert split.train.has_edges(inner.edges).all()
    assert inner.n_edges < split.train.n_edges
    assert not any(split.test.has_edges(graph.edges).any() for graph in seen)
    np.testing.assert_array_equal(seen[-1].edges, split.train.edges)


def test_epochs_are_those_of_the_best_look_and_training_ends_after_some_that_do_not_help() -> None:
    data = small()
    split = acvae.split_edges(data.graph, seed=0)
    ran = []

    def fit(features, graph, *, seed, watch=None, epochs):
        for epoch in range(1, epochs + 1):
            worse = abs(epoch - 4)
            mixed = rules.Scores(
                40, lambda rows, w=worse: rules.katz(graph).rows(rows) * (1 if w == 0 else -w)
            )
            ran.append(epoch)
            if watch is not None and watch(epoch, lambda mixed=mixed: mixed):
                break
        return mixed

    method = Contender("m", "M", "network", fit, epochs=100, every=2)
    choice = tuning.choose(method, data.features, split.train, 0)
    assert choice.options == {"epochs": 4}
    assert ran[-1] == 4 + 2 * tuning.PATIENCE


def test_a_graph_too_small_for_validation_edges_is_refused() -> None:
    pair = acvae.Graph(3, [[0, 1]])
    with pytest.raises(GraphError, match="1 train edges"):
        tuning.choose(next(m for m in RULES if m.name == "katz"), np.eye(3), pair, 0)
