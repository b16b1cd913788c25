"""Negatives of queries, against sorting everything."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae import Graph
from acvae.gaussian.graph.rows import DenseCovariance
from acvae.links import negatives
from acvae.links.negatives import columns_of, draw_candidates

N = 400


@pytest.fixture
def problem():
    """A graph, rows of K, and who is alike; some values tie."""
    rng = np.random.default_rng(0)
    pairs = np.unique(np.sort(rng.integers(0, N, (900, 2)), axis=1), axis=0)
    graph = Graph(N, pairs[pairs[:, 0] < pairs[:, 1]])
    rows, std = np.round(rng.random((N, N)), 2), rng.choice([1.0, 2.0], N)
    alike = np.round(rng.random((N, N)), 2) * (rng.random((N, N)) < 0.1)
    return graph, rows, std, sp.csr_array(alike)


def drawn(problem, ends, alike, removed=True, seed=0):
    graph, rows, std, _ = problem
    return draw_candidates(
        ends,
        np.arange(N),
        DenseCovariance(rows),
        std,
        graph.csr,
        np.random.default_rng(seed),
        removed=removed,
        alike=alike,
    )


def both_ways(graph):
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    return ends[np.lexsort(ends.T[::-1])]


@pytest.mark.parametrize("with_alike", [False, True])
def test_kinds_of_negatives_are_those_of_a_full_sort(problem, with_alike):
    graph, rows, std, alike = problem
    ends = both_ways(graph)
    candidates, log_weight = drawn(problem, ends, alike if with_alike else None)
    assert candidates.shape[1] == columns_of(removed=True, alike=alike if with_alike else None)
    for (i, j), own, weight in zip(ends, candidates, log_weight, strict=True):
        known = {i, *graph.neighbors(i)}
        free = [k for k in np.lexsort((np.arange(N), -rows[i] / std)) if k not in known]
        near, expected = free[: negatives.HARD], free[: negatives.HARDEST]
        if with_alike:
            likeness = alike[[i]].toarray()[0]
            by_likeness = np.lexsort((np.arange(N), -likeness))
            others = [k for k in by_likeness if likeness[k] > 0 and k not in known and k not in expected]
            expected = expected + others[: negatives.LIKEST]
        rest = [k for k in near if k not in expected]
        far = set(range(N)) - known - set(expected) - set(rest)
        assert own[0] == j
        own, weight = own[1:][np.isfinite(weight[1:])], weight[1:][np.isfinite(weight[1:])]
        assert own[: len(expected)].tolist() == expected
        assert (weight[: len(expected)] == 0).all()
        some = own[len(expected) : len(expected) + negatives.SOME_HARD]
        assert len(set(some)) == negatives.SOME_HARD
        assert set(some) <= set(rest)
        last = own[len(expected) + negatives.SOME_HARD :]
        assert len(last) == negatives.UNIFORM
        assert set(last) <= far
        np.testing.assert_allclose(np.exp(weight).sum(), N - len(known), rtol=1e-5)


def test_every_vertex_is_drawn_as_often_as_its_weight_says(problem):
    graph, _, _, alike = problem
    i = int(graph.degrees.argmax())
    ends = np.repeat([[i, graph.neighbors(i)[0]]], 4000, axis=0)
    candidates, log_weight = drawn(problem, ends, alike)
    weight = np.bincount(candidates[:, 1:].ravel(), np.exp(log_weight[:, 1:]).ravel(), N) / len(ends)
    known = np.append(graph.neighbors(i), i)
    assert (weight[known] == 0).all()
    others = np.delete(weight, known)
    # The rarest are drawn 40 times in some 200, 4,000 times over.
    assert abs(others - 1).max() < 6 * np.sqrt(200 / 40 / 4000)


def test_the_same_seed_draws_the_same_and_parts_the_same_as_the_whole(problem):
    graph, rows, std, alike = problem
    ends = both_ways(graph)
    once, again, other = (drawn(problem, ends, alike, seed=seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(once, again)
    assert (once != other).any()
    rng = np.random.default_rng(0)
    parts = [
        draw_candidates(
            ends[part], np.arange(N), DenseCovariance(rows), std, graph.csr, rng, removed=True, alike=alike
        )[0]
        for part in (slice(0, 501), slice(501, None))
    ]
    np.testing.assert_array_equal(np.concatenate(parts), once)


def test_pairs_as_they_are_have_no_answer(problem):
    _, _, _, alike = problem
    ends = np.stack([np.arange(5), np.arange(5)], axis=1)
    candidates, log_weight = drawn(problem, ends, alike, removed=False)
    assert candidates.shape == (5, columns_of(removed=False, alike=alike))
    assert np.isfinite(log_weight).all()
    assert (candidates != ends[:, :1]).all()


def test_few_vertices_are_all_taken_once_and_columns_are_left_over():
    graph = Graph(6, [(0, 1), (0, 2)])
    rows = DenseCovariance(np.arange(36.0).reshape(6, 6))
    candidates, log_weight = draw_candidates(
        np.array([[0, 1]]),
        np.array([0]),
        rows,
        np.ones(6),
        graph.csr,
        np.random.default_rng(0),
        removed=True,
        alike=sp.csr_array((6, 6)),
    )
    kept = np.isfinite(log_weight[0])
    assert candidates[0, kept].tolist() == [1, 5, 4, 3]
    assert (candidates[0, ~kept] == 0).all()
