"""Lists of nearest clusters, and the merges that they make certain."""

import numpy as np
import pytest

from acvae.clustering import candidates as module
from acvae.clustering.candidates import merge_certain, nearest_lists
from acvae.clustering.cluster_distances import ClusterDistances
from acvae.clustering.merges import Merges
from clustering.samples import Given, distinct, hubs, points, scipys


def lists_of(matrix, length):
    n = len(matrix)
    return nearest_lists(ClusterDistances(Given(matrix), np.arange(n), n), np.arange(n), length)


@pytest.mark.parametrize("length", [1, 4, 29, 100])
@pytest.mark.parametrize("sample", [3, 256])
@pytest.mark.parametrize("make", [distinct, hubs, points])
def test_lists_hold_the_nearest_and_the_bound_is_the_next(make, sample, length, monkeypatch):
    monkeypatch.setattr(module, "SAMPLE", sample)
    n = 30
    matrix = make(n)
    found, held = lists_of(matrix, length), min(length, n - 1)
    assert (found.held == held).all()
    for c in range(n):
        others = np.delete(np.arange(n), c)
        order = others[np.argsort(matrix[c, others])]
        assert found.nodes[c].tolist() == sorted(order[:held].tolist())
        np.testing.assert_array_equal(found.distances[c], matrix[c, found.nodes[c]])
        assert found.bound[c] == (matrix[c, order[held]] if held < n - 1 else np.inf)


def test_among_equals_lists_differ():
    found = lists_of(np.ones((9, 9)) - np.eye(9), 2)
    assert (found.distances == 1).all()
    assert (found.bound == 1).all()
    for c in range(9):
        assert c not in found.nodes[c]
        assert np.abs(found.nodes[c] - c).max() <= 2  # those with numbers next to its own


def test_two_roundings_of_one_distance_become_one():
    matrix = np.array([[0, 1, 9.0], [1.5, 0, 9], [9, 9, 0]])
    found = lists_of(matrix, 1)
    assert found.nodes[:2].tolist() == [[1], [0]]
    assert found.distances[:2].tolist() == [[1], [1]]  # that of the smaller number's row


def test_nodes_stand_for_clusters():
    matrix, label = points(8), np.array([0, 1, 2, 3, 0, 1, 2, 3])
    found = nearest_lists(ClusterDistances(Given(matrix), label, 4), np.array([8, 9, 10, 11]), 3)
    assert [set(row) for row in found.nodes.tolist()] == [{8, 9, 10, 11} - {8 + c} for c in range(4)]


def merged(matrix, length):
    merges = Merges(len(matrix))
    merge_certain(merges, lists_of(matrix, length))
    return merges


@pytest.mark.parametrize("make", [distinct, hubs, points])
def test_whole_lists_make_the_whole_tree(make):
    matrix = make(40)
    merges = merged(matrix, 39)
    assert merges.left == 1
    np.testing.assert_array_equal(np.sort(merges.height), scipys(Given(matrix))[:, 2])


@pytest.mark.parametrize("length", [1, 2, 5])
@pytest.mark.parametrize("make", [distinct, hubs, points])
def test_merges_of_short_lists_are_among_those_of_the_whole_tree(make, length, monkeypatch):
    monkeypatch.setattr(module, "NODES_AT_A_TIME", 7)
    n = 40
    matrix = make(n)
    merges, members = merged(matrix, length), [frozenset([v]) for v in range(n)]
    for left, right in scipys(Given(matrix))[:, :2].astype(int):
        members.append(members[left] | members[right])
    own = [frozenset([v]) for v in range(n)]
    for left, right in merges.sides[: merges.nodes - n]:
        own.append(own[left] | own[right])
        assert own[-1] in members
    assert merges.nodes > n  # the two nearest of all are certain, whatever the length
    assert merges.left > 1


def test_by_hand():
    # 0 and 1 are nearest to one another; the one in the list of 2 is then half of a cluster.
    at = np.array([0.0, 1, 3, 10])
    merges = merged(np.abs(at[:, None] - at), 1)
    assert merges.sides[:1].tolist() in ([[0, 1]], [[1, 0]])
    assert merges.left == 3
    assert merges.height[0] == 1
