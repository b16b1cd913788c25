"""Tuning, scores of pairs, intervals, the store, and the two other tasks."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

import acvae
from acvae.datasets import Dataset
from acvae.exceptions import DataError, FeatureError, GraphError, UnknownNameError
from acvae.reproduce.compare import (
    RULES,
    Method,
    Scores,
    Store,
    classification,
    completion,
    interval,
    methods,
    pairs,
    rank_links,
    rules,
    score_links,
    tuning,
)
from acvae.reproduce.compare.tasks import TASKS


def small(seed: int = 0, n: int = 40) -> Dataset:
    """Two groups, links mostly within, features that tell the group."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 2
    ends = np.array([(i, j) for i in range(n) for j in range(i)])
    chance = np.where(kind[ends[:, 0]] == kind[ends[:, 1]], 0.3, 0.02)
    graph = acvae.Graph(n, ends[rng.random(len(ends)) < chance])
    own = (kind[:, None] == np.arange(60) % 2) * 0.4 + 0.05
    return Dataset("small", sp.csr_array((rng.random((n, 60)) < own).astype(np.float32)), graph, labels=kind)


# ---------------------------------------------------------------------- pairs


def test_auc_and_average_precision_against_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    for ties in (False, True):
        links, others = rng.random(30), rng.random(50) + 0.2
        if ties:
            links, others = links.round(1), others.round(1)
        truth = np.repeat([1, 0], [30, 50])
        scores = -np.concatenate([links, others])
        assert pairs.auc(links, others) == pytest.approx(roc_auc_score(truth, scores))
        assert pairs.average_precision(links, others) == pytest.approx(average_precision_score(truth, scores))


def test_non_links_are_distinct_pairs_that_are_in_neither_graph() -> None:
    split = acvae.split_edges(small().graph, seed=0)
    found = pairs.random_non_links(100, split.train, split.test, 3)
    assert len(np.unique(found, axis=0)) == 100
    assert (found[:, 0] < found[:, 1]).all()
    assert not (split.train.has_edges(found) | split.test.has_edges(found)).any()
    np.testing.assert_array_equal(found, pairs.random_non_links(100, split.train, split.test, 3))
    triangle = acvae.Graph(3, [[0, 1], [1, 2]])
    with pytest.raises(GraphError, match="there are 0"):
        pairs.random_non_links(1, triangle, acvae.Graph(3, [[0, 2]]), 0)


def test_a_recorder_keeps_the_mean_of_both_directions() -> None:
    table = np.random.default_rng(0).random((6, 6))
    wanted = np.array([[0, 1], [4, 2], [1, 5]])
    recorder = pairs.Recorder(Scores(6, lambda rows: table[rows], random_ties=False), wanted)
    for _ in recorder.distance_blocks([0, 1, 2, 4], 3):
        pass
    expected = [-(table[0, 1] + table[1, 0]) / 2, -(table[4, 2] + table[2, 4]) / 2, -table[1, 5]]
    np.testing.assert_allclose(recorder.distances, expected)


def test_scores_of_links_are_those_of_the_metrics_and_of_the_dense_pairs() -> None:
    split = acvae.split_edges(small().graph, seed=1)
    ranking = rules.katz(split.train, 0.5)
    found = score_links(ranking, split.train, split.test, seed=1)
    expected = acvae.metrics.evaluate(ranking, split.train, split.test)
    assert (found["ncrr"], found["mrr"], found["hits_at_10"]) == (
        expected.ncrr.test,
        expected.mrr.test,
        expected.hits.test,
    )
    assert 0.5 < found["auc"] <= 1
    assert 0.5 < found["average_precision"] <= 1
    assert found == score_links(ranking, split.train, split.test, seed=1)


# ---------------------------------------------------------------------- tuning


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

    method = Method("m", "M", "rule", fit, ({"good": False}, {"good": True}))
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

    method = Method("m", "M", "network", fit, epochs=100, every=2)
    choice = tuning.choose(method, data.features, split.train, 0)
    assert choice.options == {"epochs": 4}
    assert ran[-1] == 4 + 2 * tuning.PATIENCE


def test_a_graph_too_small_for_validation_edges_is_refused() -> None:
    pair = acvae.Graph(3, [[0, 1]])
    with pytest.raises(GraphError, match="1 train edges"):
        tuning.choose(next(m for m in RULES if m.name == "katz"), np.eye(3), pair, 0)


# ---------------------------------------------------------------------- the table


def test_the_interval_is_students() -> None:
    found = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    # t of 0.975 with four degrees of freedom is 2.776; the standard error is √(2.5/5).
    assert found.mean == 3.0
    assert found.half == pytest.approx(2.776445 * np.sqrt(0.5), rel=1e-6)
    assert str(interval([0.25])) == "0.250"
    assert str(interval([None])) == "–"


def test_results_are_kept_and_not_made_again(tmp_path) -> None:
    data, store, task = small(), Store(tmp_path), TASKS["links"]
    chosen = [method for method in RULES if method.name in ("cosine", "katz")]
    said: list[str] = []
    task.run(data, chosen, range(2), store, said.append)
    assert len(said) == 8
    files = {path.name: path.read_bytes() for path in tmp_path.rglob("*.json")}
    assert sorted(files) == ["cosine.0.json", "cosine.1.json", "katz.0.json", "katz.1.json"]
    (tmp_path / "links" / "small" / "katz.1.json").unlink()
    task.run(data, chosen, range(2), store, said.append)
    assert len(said) == 10
    again = json.loads((tmp_path / "links" / "small" / "katz.1.json").read_text())
    before = json.loads(files["katz.1.json"])
    assert {k: v for k, v in again.items() if "seconds" not in k} == {
        k: v for k, v in before.items() if "seconds" not in k
    }
    rows = task.rows("small", ["katz", "cosine", "gae"], range(2), store)
    assert list(rows) == ["Katz", "cosine of the features"]
    assert rows["Katz"]["ncrr"].mean == pytest.approx(
        np.mean([found["ncrr"] for found in store.results("links", "small", "katz")])
    )
    assert store.methods("links", "small") == ["cosine", "katz"]
    text = task.table("small", ["katz"], range(2), store)
    assert "| Katz |" in text
    assert text.splitlines()[-1].endswith("| 2 |")
    (tmp_path / "links" / "small" / "katz.1.json").write_text('{"method": "other"}')
    with pytest.raises(DataError, match="katz"):
        store.get("links", "small", "katz", 1)


def test_methods_by_name_and_by_kind() -> None:
    assert methods.kinds("links", ["katz", "rules"])[0] == "katz"
    assert set(methods.kinds("links", ["networks"])) == {"node2vec", "gae", "vgae", "sage", "ncn"}
    assert methods.kinds("completion") == list(methods.methods_of("completion"))
    with pytest.raises(UnknownNameError, match="Did you mean 'katz'"):
        methods.kinds("links", ["kats"])


# ---------------------------------------------------------------------- completion


def test_recall_and_ndcg_against_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    found, true = rng.random((30, 80)), (rng.random((30, 80)) < 0.2).astype(float)
    quality = completion.ranking_quality(found, sp.csr_array(true))
    for k in (10, 20, 50):
        assert quality[f"ndcg_at_{k}"] == pytest.approx(ndcg_score(true, found, k=k))
        first = np.argsort(-found, axis=1)[:, :k]
        recall = np.take_along_axis(true, first, axis=1).sum(1) / true.sum(1)
        assert quality[f"recall_at_{k}"] == pytest.approx(recall.mean())


def test_no_hidden_feature_reaches_a_method() -> None:
    data = small()
    observed = completion.hidden_half(40, 0)
    assert observed.sum() == 20

    def complete(features, graph, kept, rows, seed):
        np.testing.assert_array_equal(kept, observed)
        assert features[~kept].nnz == 0
        np.testing.assert_array_equal(features[kept].toarray(), data.features[kept].toarray())
        return np.zeros((len(rows), 60))

    completion.score_completion(completion.Completion("m", "M", "rule", complete), data, 0)
    wrong = completion.Completion("m", "M", "rule", lambda *given: np.zeros((3, 3)))
    with pytest.raises(FeatureError, match=r"\(3, 3\)"):
        completion.score_completion(wrong, data, 0)


def test_means_and_propagation_against_loops() -> None:
    data = small(1)
    observed = completion.hidden_half(40, 5)
    rows = np.flatnonzero(~observed)
    x = data.features.toarray().astype(np.float64) * observed[:, None]
    given = (sp.csr_array(x), data.graph, observed, rows, 0)
    mean = x.sum(0) / 20
    for at, v in enumerate(rows):
        known = [u for u in data.graph.neighbors(v) if observed[u]]
        expected = x[known].mean(0) if known else np.zeros(60)
        np.testing.assert_allclose(completion.mean_of_neighbours(*given)[at], expected + 1e-6 * mean)
    degree = np.maximum(data.graph.degrees, 1)
    state = x.copy()
    for _ in range(40):
        following = np.zeros_like(state)
        for u, v in data.graph.edges:
            weight = 1 / np.sqrt(degree[u] * degree[v])
            following[u] += weight * state[v]
            following[v] += weight * state[u]
        following[observed] = x[observed]
        state = following
    np.testing.assert_allclose(completion.feature_propagation(*given), state[rows], atol=2e-5)
    np.testing.assert_allclose(completion.column_means(*given), np.repeat(mean[None], len(rows), axis=0))


# ---------------------------------------------------------------------- classification


def test_labels_are_drawn_by_class_and_features_classify() -> None:
    data = small()
    train, test = classification.draw_labels(data.labels, 5, 0)
    assert np.bincount(data.labels[train]).tolist() == [5, 5]
    assert len(np.union1d(train, test)) == 40
    assert not len(np.intersect1d(train, test))
    for name in ("raw-features", "svd"):
        found = classification.score_classification(
            methods.methods_of("classification")[name], data, 0, labels=8, draws=2
        )
        assert min(found["accuracy"]) > 0.8
        assert len(found["macro_f1"]) == 2
    bare = Dataset("bare", data.features, data.graph)
    with pytest.raises(DataError, match="no labels"):
        classification.score_classification(methods.methods_of("classification")["svd"], bare, 0)
