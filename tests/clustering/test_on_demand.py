"""Merges by rows asked for one by one: SciPy's heights, a budget that is kept, and few rows streamed."""

import numpy as np
import pytest

from acvae.clustering import on_demand as module
from acvae.clustering.cluster_distances import ClusterDistances
from acvae.clustering.merges import Merges
from acvae.clustering.on_demand import merge_on_demand
from clustering.samples import Given, distinct, hubs, points, scipys

N = 40


def merged(posterior, target=1, budget=10**9, memory=1):
    n = posterior.n_vertices
    merges = Merges(n)
    merge_on_demand(merges, ClusterDistances(posterior, np.arange(n), n), target, budget, memory)
    return merges


@pytest.mark.parametrize("memory", [1, 10 * 8 * N, 10**6])
@pytest.mark.parametrize("together", [1, 5, 64])
@pytest.mark.parametrize("make", [distinct, hubs, points])
def test_down_to_one_cluster(make, together, memory, monkeypatch):
    monkeypatch.setattr(module, "VERTICES_AT_ONCE", together)
    posterior = Given(make(N))
    merges = merged(posterior, memory=memory)
    assert merges.left == 1
    np.testing.assert_array_equal(np.sort(merges.height), scipys(posterior)[:, 2])


def test_heights_are_the_largest_distances():
    posterior = Given(points(N))
    merges = merged(posterior)
    members = [[v] for v in range(N)]
    for (left, right), height in zip(merges.sides, merges.height, strict=True):
        assert posterior.matrix[np.ix_(members[left], members[right])].max() == height
        members.append(members[left] + members[right])


def test_it_ends_at_the_target():
    assert merged(Given(distinct(N)), target=17).left == 17


def test_it_ends_with_the_budget():
    posterior = Given(distinct(N))
    merges = merged(posterior, budget=10, memory=10**6)
    assert 1 < merges.left < N
    assert posterior.streamed < 10 + module.VERTICES_AT_ONCE + 1  # the last may ask for some more at once


def test_a_row_that_is_held_is_not_asked_for_again():
    posterior = Given(hubs(N))
    merged(posterior, memory=10**6)
    assert posterior.streamed <= N + 1  # a merged cluster's row is made of two; one block tells the order


def test_it_goes_on_from_merges_that_were_made():
    posterior = Given(points(N))
    merges = merged(posterior, target=20)
    clusters = ClusterDistances(posterior, merges.labels(), merges.left)
    merge_on_demand(merges, clusters, 1, 10**9, 1)
    np.testing.assert_array_equal(np.sort(merges.height), scipys(posterior)[:, 2])
