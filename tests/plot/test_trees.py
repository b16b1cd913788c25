"""Parts of a forest and where they stand, by hand."""

import numpy as np
import pytest

from acvae import Posterior
from acvae.exceptions import PosteriorError
from acvae.plot.trees import branches, grow, largest_tree, need_forest, outline_layout, sector_layout

#       0
#     1   2
#   3  4   5      6–7 apart
EDGES = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (6, 7)]
TREE = Posterior(np.zeros((8, 1)), np.ones((8, 1)), EDGES, np.full((6, 1), 0.5))
PARENT = np.array([-1, 0, 0, 1, 1, 2])


def test_only_what_has_a_forest_can_be_drawn():
    need_forest(TREE)
    with pytest.raises(PosteriorError, match="no learnt forest to draw"):
        need_forest(Posterior(np.zeros((2, 1)), np.ones((2, 1))))


def test_growing_takes_the_nearest_of_the_border():
    distance = np.array([0.0, 3, 1, 1, 9, 7, 0, 0])
    shown, parent, edge = grow(TREE, 0, distance, 5, 9)
    assert shown == [0, 2, 1, 3, 5]  # 2 is nearer than 1, which has to come before 3
    assert parent == [-1, 0, 0, 2, 1]
    for k in range(1, 5):
        assert {shown[k], shown[parent[k]]} == set(TREE.forest[edge[k]].tolist())


def test_growing_ends_with_the_tree_and_keeps_few_branches():
    distance = np.arange(8.0)
    assert sorted(grow(TREE, 4, distance, 99, 9)[0]) == [0, 1, 2, 3, 4, 5]
    assert grow(TREE, 0, distance, 99, 1)[0] == [0, 1, 3]  # one of each: the nearest


def test_the_largest_tree_from_its_centroid():
    shown, parent, edge = largest_tree(TREE)
    assert sorted(shown.tolist()) == [0, 1, 2, 3, 4, 5]
    assert shown[0] in (0, 1)  # no part of what is left is larger than half
    assert parent[0] == edge[0] == -1
    for k in range(1, 6):
        assert parent[k] < k
        assert {int(shown[k]), int(shown[parent[k]])} == set(TREE.forest[edge[k]].tolist())


def test_sectors_are_as_wide_as_their_leaves():
    place, leaves, children = sector_layout(PARENT, np.array([0, 1, 2, 1, 1, 1.0]))
    assert leaves.tolist() == [3, 2, 1, 1, 1, 1]
    assert children[0] == [2, 1]
    radius = np.hypot(*place.T)
    np.testing.assert_allclose(radius, [0, 1, 2, 2, 2, 3])
    angle = np.degrees(np.arctan2(place[:, 1], place[:, 0])) % 360
    # The narrower subtree, of 2, has the first third; that of 1 the rest, halved by 4 and 3 in some order.
    np.testing.assert_allclose(angle[[2, 5, 1]], [60, 60, 240])
    np.testing.assert_allclose(sorted(angle[[3, 4]]), [180, 300])


def test_branches_are_cut_at_the_widest():
    leaves = np.array([3, 2, 1, 1, 1, 1])
    assert branches(PARENT, leaves, 0).tolist() == [-1] * 6
    assert branches(PARENT, leaves, 1).tolist() == [0] * 6
    two = branches(PARENT, leaves, 2)
    assert two[0] == -1  # the trunk
    assert two[1] == two[3] == two[4] == 0
    assert two[2] == two[5] == 1
    three = branches(PARENT, leaves, 3)
    assert three[:2].tolist() == [-1, -1]
    assert sorted(three[[2, 3, 4]].tolist()) == [0, 1, 2]
    assert three[5] == three[2]


def test_twigs_have_no_colour():
    parent = np.array([-1, 0, 0, *[1] * 99])
    leaves = np.array([100, 99, 1, *[1] * 99])
    found = branches(parent, leaves, 2)
    assert found[2] == -1  # one leaf of a hundred


def test_an_outline_has_smaller_subtrees_first():
    depth, row = outline_layout(PARENT)
    assert depth.tolist() == [0, 1, 1, 2, 2, 2]
    assert row.tolist() == [0, 3, 1, 4, 5, 2]
