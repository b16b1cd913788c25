"""Rules by blocks of rows against dense matrices and double loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import acvae
from acvae.exceptions import FeatureError, InputError, OptionError
from acvae.reproduce.compare import rules


def random_graph(n: int, m: int, seed: int) -> acvae.Graph:
    """With isolated vertices and several components, as often as not."""
    return acvae.Graph(n, np.random.default_rng(seed).integers(n, size=(m, 2)))


def dense(graph: acvae.Graph) -> np.ndarray:
    out = np.zeros((graph.n_vertices,) * 2)
    for u, v in graph.edges:
        out[u, v] = out[v, u] = 1
    return out


def all_rows(scores) -> np.ndarray:
    """From blocks of three rows, to have several."""
    out = np.full((scores.n_vertices,) * 2, np.nan)
    for rows, columns, block in scores.distance_blocks(None, 3):
        out[np.ix_(rows, columns)] = -block
    return out


def over_common(graph: acvae.Graph, weight) -> np.ndarray:
    n = graph.n_vertices
    neighbours = [set(graph.neighbors(v).tolist()) for v in range(n)]
    return np.array(
        [[sum(weight(u) for u in neighbours[i] & neighbours[j]) for j in range(n)] for i in range(n)]
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 12), st.integers(0, 30), st.integers(0, 1000))
def test_local_rules_against_a_double_loop(n: int, m: int, seed: int) -> None:
    graph = random_graph(n, m, seed)
    degree = graph.degrees
    for rule, weight in (
        (rules.common_neighbours, lambda u: 1),
        # The diagonal counts neighbours of degree one too, which are common to no pair; left out below.
        (rules.adamic_adar, lambda u: 1 / np.log(max(degree[u], 2))),
        (rules.resource_allocation, lambda u: 1 / degree[u]),
    ):
        np.testing.assert_allclose(all_rows(rule(graph)), over_common(graph, weight), atol=1e-10)
    np.testing.assert_allclose(
        all_rows(rules.preferential_attachment(graph)), np.outer(degree, degree), atol=1e-8
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 60), st.integers(1, 90), st.integers(0, 1000), st.sampled_from([0.1, 0.5, 0.9]))
def test_katz_and_pagerank_against_the_dense_inverse(n: int, m: int, seed: int, share: float) -> None:
    graph = random_graph(n, m, seed)
    a = dense(graph)
    if graph.n_edges:
        largest = np.linalg.eigvalsh(a)[-1]
        expected = np.linalg.inv(np.eye(n) - share / largest * a) - np.eye(n)
        np.testing.assert_allclose(all_rows(rules.katz(graph, share)), expected, rtol=1e-3, atol=1e-4)
    else:
        np.testing.assert_allclose(all_rows(rules.katz(graph, share)), 0, atol=1e-10)
    step = a / np.maximum(a.sum(1, keepdims=True), 1)
    expected = share * np.linalg.inv(np.eye(n) - (1 - share) * step)
    np.testing.assert_allclose(all_rows(rules.pagerank(graph, share)), expected, atol=1e-5)


def test_cosine_sparse_and_dense_and_with_idf() -> None:
    rng = np.random.default_rng(0)
    for density in (0.02, 0.6):
        x = sp.random_array((20, 40), density=density, random_state=rng, format="csr")
        full = x.toarray()
        for weighting in ("none", "idf"):
            w = full
            if weighting == "idf":
                w = full * np.log(20 / np.maximum((full > 0).sum(0), 1))
            length = np.linalg.norm(w, axis=1)
            with np.errstate(invalid="ignore"):
                expected = np.nan_to_num(w @ w.T / np.outer(length, length))
            np.testing.assert_allclose(all_rows(rules.cosine(x, weighting)), expected, atol=1e-10)


def test_a_rule_and_cosine_in_all_forms() -> None:
    graph = random_graph(15, 25, 3)
    x = np.random.default_rng(1).random((15, 4))
    alike = all_rows(rules.cosine(x))
    own = all_rows(rules.common_neighbours(graph)).round()
    plain = all_rows(rules.with_cosine(rules.common_neighbours(graph), x, 2.0))
    np.testing.assert_allclose(plain, own + 2 * alike, atol=1e-9)
    np.fill_diagonal(own, 0)
    largest = own.max(axis=1, keepdims=True)
    share = own / np.where(largest > 0, largest, 1)
    row = all_rows(rules.with_cosine(rules.common_neighbours(graph), x, 0.5, form="row"))
    np.testing.assert_allclose(row, share + 0.5 * alike, atol=1e-9)
    log = all_rows(rules.with_cosine(rules.common_neighbours(graph), x, 1.0, form="log"))
    np.testing.assert_allclose(log, np.log(np.maximum(share, 1e-6)) + alike, atol=1e-9)


def test_metrics_take_a_rule() -> None:
    graph = acvae.Graph(4, [[0, 1], [1, 2], [2, 3]])
    hidden = acvae.Graph(4, [[0, 2]])
    assert acvae.metrics.ncrr(rules.common_neighbours(graph), graph, hidden).test == 1.0


def test_what_cannot_be_scored_is_refused() -> None:
    graph = random_graph(6, 8, 0)
    for call in (
        lambda: rules.katz(graph, 1.0),
        lambda: rules.pagerank(graph, 0.0),
        lambda: rules.cosine(np.ones((6, 2)), "tf"),
        lambda: rules.with_cosine(rules.katz(graph), np.ones((6, 2)), -1.0),
        lambda: next(rules.katz(graph).distance_blocks([0], 0)),
    ):
        with pytest.raises(OptionError):
            call()
    with pytest.raises(FeatureError, match="5 rows"):
        rules.with_cosine(rules.katz(graph), np.ones((5, 2)), 1.0)
    for rows in ([6], [-1], [0.5], [[0]]):
        with pytest.raises(InputError):
            rules.katz(graph).rows(rows)


def test_ties_are_broken_by_the_row_alone_and_never_across_different_scores() -> None:
    graph = random_graph(30, 60, 5)
    scores = rules.common_neighbours(graph, seed=1)
    whole = {
        int(r): block[i].copy() for rows, _, block in scores.distance_blocks() for i, r in enumerate(rows)
    }
    for rows, _, block in scores.distance_blocks([7, 3, 29], 2):
        for i, r in enumerate(rows):
            np.testing.assert_array_equal(block[i], whole[int(r)])
    counts = over_common(graph, lambda u: 1)
    for r, distance in whole.items():
        assert len(np.unique(distance)) == 30
        assert (np.diff(counts[r][np.argsort(distance)]) <= 0).all()
    others = next(iter(rules.common_neighbours(graph, seed=2).distance_blocks([0])))[2]
    assert (np.argsort(others[0]) != np.argsort(whole[0])).any()
