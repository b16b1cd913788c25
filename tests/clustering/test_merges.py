import numpy as np

from acvae.clustering.merges import Merges, root_of


def made():
    """Of five vertices, 1 and 3 are merged, then 0 with both."""
    merges = Merges(5)
    assert merges.join(3, 1, 2.0) == 5
    assert merges.join(0, 5, 3.0) == 6
    return merges


def test_a_forest_of_merges_by_hand():
    merges = made()
    assert merges.nodes == 7
    assert merges.left == 3
    assert merges.roots.tolist() == [6, 2, 4]  # by their smallest vertices 0, 2, 4
    assert merges.labels().tolist() == [0, 0, 1, 0, 2]
    assert merges.size[[5, 6]].tolist() == [2, 3]
    assert merges.first[[5, 6]].tolist() == [1, 0]
    assert merges.sides[:2].tolist() == [[3, 1], [0, 5]]
    assert merges.height[:2].tolist() == [2, 3]


def test_heights_do_not_fall():
    merges = made()
    merges.join(6, 2, 1.0)
    merges.join(4, 7, 5.0)
    assert merges.height.tolist() == [2, 3, 3, 5]
    assert merges.left == 1
    assert merges.labels().tolist() == [0] * 5


def test_before_any_merge_all_are_clusters():
    merges = Merges(3)
    assert merges.left == 3
    assert merges.roots.tolist() == merges.labels().tolist() == [0, 1, 2]


def test_paths_to_the_root_are_halved():
    parent = np.array([1, 2, 3, 4, -1])
    assert root_of(parent, 0) == 4
    assert parent.tolist() == [2, 3, 4, 4, -1]  # each on the way now goes two up
    assert [root_of(parent, node) for node in range(5)] == [4] * 5
