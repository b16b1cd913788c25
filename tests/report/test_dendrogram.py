"""The top of the dendrogram, against the hierarchy that it is cut from."""

import numpy as np

import acvae
from acvae.report.dendrogram import dendrogram
from acvae.report.groups import group
from report.samples import blobs, make_entry


def test_dendrogram_joins_all_leaves(entry):
    q = entry.posterior
    found = group(q, 5)
    drawn = dendrogram(found, entry.graph.degrees, entry.names, leaves=12)
    assert len(drawn["leaves"]) == 12
    assert len(drawn["merges"]) == 11
    assert sum(leaf["size"] for leaf in drawn["leaves"]) == 40
    assert drawn["left_out"] == 0
    heights = sorted(merge["height"] for merge in drawn["merges"])
    np.testing.assert_allclose(heights, found.tree[-11:, 2], atol=1e-4)
    assert (
        sum(merge["cluster"] < 0 for merge in drawn["merges"]) == 4
    )  # five clusters are joined by four merges
    whole = [leaf for leaf in drawn["leaves"] if leaf["whole"]]
    assert [leaf["size"] for leaf in whole] == [(found.labels == leaf["cluster"]).sum() for leaf in whole]
    for leaf in drawn["leaves"]:
        assert leaf["cluster"] == found.labels[entry.names.index(leaf["name"])]
    for merge in drawn["merges"]:
        assert merge["low"][0] <= merge["height"]
        assert merge["high"][0] <= merge["height"]
        assert merge["low"][1] < merge["high"][1]


def test_dendrogram_leaves_small_groups_out():
    q = blobs([300, 200, 100, 1, 1])
    drawn = dendrogram(group(q, 3), np.zeros(602, int), [str(v) for v in range(602)], leaves=3)
    assert sorted(leaf["size"] for leaf in drawn["leaves"]) == [100, 200, 300]
    assert drawn["left_out"] == 2


def test_two_vertices_merge_once():
    entry = make_entry(n=6)
    q = acvae.Posterior([[0.0], [1.0]], np.ones((2, 1)))
    drawn = dendrogram(group(q, 8), np.zeros(2, int), entry.names)
    assert len(drawn["merges"]) == 1


def test_three_points_by_hand():
    # 0 and 1 are near to one another, 2 is far; expected distances add two variances of a hundredth.
    q = acvae.Posterior([[0.0], [1.0], [9.0]], np.full((3, 1), 0.1), dtype="float64")
    drawn = dendrogram(group(q, 2), np.array([1, 4, 2]), ["a", "b", "c"])
    leaves = [leaf["name"] for leaf in drawn["leaves"]]
    # From the bottom up, smaller halves first.
    assert leaves[0] == "c"
    assert sorted(leaves[1:]) == ["a", "b"]
    low, high = sorted(drawn["merges"], key=lambda merge: merge["height"])
    assert (low["height"], high["height"]) == (1.02, 81.02)
    assert (low["cluster"], high["cluster"]) == (0, -1)
    assert high["low"] == (0.0, 0.0)
    assert high["high"] == (1.02, 1.5)


def test_a_leaf_is_called_by_its_vertex_of_most_neighbours():
    q = acvae.Posterior([[0.0], [1.0], [9.0], [9.5]], np.full((4, 1), 0.1))
    drawn = dendrogram(group(q, 2), np.array([1, 4, 2, 0]), list("abcd"), leaves=2)
    assert {leaf["name"]: (leaf["size"], leaf["whole"]) for leaf in drawn["leaves"]} == {
        "b": (2, True),
        "c": (2, True),
    }
