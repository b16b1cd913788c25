import numpy as np
import pytest
from scipy.cluster import hierarchy

from acvae.clustering.tree import cut, linkage_matrix


def condensed(rng, n, values):
    """Distances of n points, distinct or with many ties."""
    return rng.random(n * (n - 1) // 2) if values is None else rng.integers(1, values + 1, n * (n - 1) // 2)


@pytest.mark.parametrize("method", ["complete", "single"])  # trees that are bushy, and chains
@pytest.mark.parametrize("values", [None, 1, 2, 9])
@pytest.mark.parametrize("n", [2, 3, 40])
def test_cuts_are_scipys_to_the_label(n, values, method):
    tree = hierarchy.linkage(condensed(np.random.default_rng(n), n, values).astype(float), method)
    for k in range(1, n + 1):
        np.testing.assert_array_equal(cut(tree, k), hierarchy.cut_tree(tree, k).ravel())


def test_numbers_and_sizes_of_merges_given_by_vertices():
    # 1–3 at 2, then {1, 3}–0 at 5; 2–4 at 3 between them; all at 7. Any vertex may stand for its cluster.
    tree = linkage_matrix(np.array([[3, 1], [0, 3], [2, 4], [4, 1]]), np.array([2.0, 5, 3, 7]))
    assert tree.tolist() == [[1, 3, 2, 2], [2, 4, 3, 2], [0, 5, 5, 3], [6, 7, 7, 5]]


def test_equal_heights_keep_their_order():
    tree = linkage_matrix(np.array([[2, 3], [0, 1], [1, 3]]), np.ones(3))
    assert tree.tolist() == [[2, 3, 1, 2], [0, 1, 1, 2], [4, 5, 1, 4]]
