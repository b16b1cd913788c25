import numpy as np

from acvae.links.statistics.cosines import pair_cosines


def test_products_of_rows_against_the_whole_matrix():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((20, 7))
    unit = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)
    i, j = rng.integers(0, 20, (2, 5000))  # more than a thread takes
    found = pair_cosines(unit, i, j)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, (unit @ unit.T)[i, j], atol=1e-6)


def test_angles_by_hand():
    unit = np.array([[1, 0], [0, 1], [np.sqrt(0.5), np.sqrt(0.5)], [0, 0]], dtype=np.float32)
    found = pair_cosines(unit, np.array([0, 0, 0, 3]), np.array([0, 1, 2, 3]))
    np.testing.assert_allclose(found, [1, 0, np.sqrt(0.5), 0], atol=1e-7)


def test_no_pairs_and_no_columns():
    none = np.array([], dtype=np.int64)
    assert pair_cosines(np.ones((2, 1), np.float32), none, none).shape == (0,)
    assert pair_cosines(np.zeros((2, 0), np.float32), np.array([1]), np.array([0])).tolist() == [0]
