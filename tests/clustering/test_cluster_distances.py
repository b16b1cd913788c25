"""Largest distances between clusters, streamed, against loops over their members."""

import numpy as np
import pytest

from acvae.clustering import cluster_distances as module
from acvae.clustering.cluster_distances import ClusterDistances
from acvae.exceptions import PosteriorError
from clustering.samples import Given, distinct

N, M = 24, 7


def problem(seed=0):
    rng = np.random.default_rng(seed)
    label = np.concatenate([np.arange(M), rng.integers(0, M, N - M)])
    return Given(distinct(N, seed), seed=seed), rng.permutation(label)


def largest(matrix, a, b):
    """Between all members of a and all of b."""
    return max(matrix[i, j] for i in np.flatnonzero(a) for j in np.flatnonzero(b))


def table(posterior, label, m=M):
    return np.array([[largest(posterior.matrix, label == a, label == b) for b in range(m)] for a in range(m)])


@pytest.mark.parametrize("seed", range(3))
def test_the_upper_triangle(seed):
    posterior, label = problem(seed)
    found = ClusterDistances(posterior, label, M).condensed()
    assert found.tolist() == table(posterior, label)[np.triu_indices(M, 1)].tolist()


@pytest.mark.parametrize(("size", "vertices"), [(1, 1), (2 * 8 * M, 5), (1 << 20, 1 << 10)])
def test_rows_in_groups(size, vertices, monkeypatch):
    monkeypatch.setattr(module, "GROUP_BYTES", size)
    monkeypatch.setattr(module, "GROUP_VERTICES", vertices)
    posterior, label = problem()
    expected, seen = table(posterior, label), []
    for group, rows in ClusterDistances(posterior, label, M).rows():
        np.testing.assert_array_equal(rows, expected[group])
        seen += group.tolist()
    assert sorted(seen) == list(range(M))


def test_rows_after_more_merges():
    posterior, label = problem()
    into = np.array([0, 1, 0, 3, 1, 5, 0])  # 2 and 6 have gone into 0, and 4 into 1
    found = ClusterDistances(posterior, label, M).rows_of(into, np.array([1, 0, 5]))
    for row, own in zip(found, (1, 0, 5), strict=True):
        for other in range(M):
            if into[other] != other:
                assert row[other] == np.inf
            else:
                assert row[other] == largest(posterior.matrix, into[label] == own, into[label] == other)


def test_sizes():
    posterior, label = problem()
    assert ClusterDistances(posterior, label, M).sizes.tolist() == [label.tolist().count(c) for c in range(M)]


def test_of_two_roundings_the_row_of_the_smaller_number_counts():
    matrix = np.array([[0, 1, 5], [2, 0, 3], [4, 6, 0]], dtype=float)
    assert ClusterDistances(Given(matrix), np.arange(3), 3).condensed().tolist() == [1, 5, 3]


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_what_is_not_finite(value):
    matrix = distinct(5)
    matrix[1, 2] = value
    with pytest.raises(PosteriorError, match="not finite"):
        ClusterDistances(Given(matrix), np.arange(5), 5).condensed()
