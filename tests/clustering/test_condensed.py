import numpy as np
import pytest
from scipy.cluster import hierarchy

from acvae.clustering import condensed
from acvae.clustering.condensed import merge_condensed
from acvae.clustering.tree import linkage_matrix


def distances(n, values, dtype, seed=0):
    rng = np.random.default_rng(seed)
    count = n * (n - 1) // 2
    return (rng.random(count) if values is None else rng.integers(0, values, count)).astype(dtype)


@pytest.mark.parametrize("at_a_time", [1, 7, 256])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("values", [None, 1, 2, 30])  # how many different distances there are
@pytest.mark.parametrize("n", [2, 3, 5, 80])
def test_bit_for_bit_what_scipy_gives(n, values, dtype, at_a_time, monkeypatch):
    monkeypatch.setattr(condensed, "MERGES_AT_A_TIME", at_a_time)
    given = distances(n, values, dtype)
    expected = hierarchy.linkage(given.astype(np.float64), "complete")
    np.testing.assert_array_equal(linkage_matrix(*merge_condensed(given, n)), expected)


def test_one_cluster_is_left_as_it_is():
    pairs, height = merge_condensed(np.empty(0, dtype=np.float32), 1)
    assert pairs.shape == (0, 2)
    assert height.shape == (0,)
