import numpy as np

from acvae.links.statistics.symmetry import symmetric


def test_both_ends_by_hand():
    x = np.array([[7, 2, 5]], dtype=np.float32)
    assert symmetric(x).tolist() == [[7, 7, 3]]
    assert x.tolist() == [[7, 2, 5]]  # as it was


def test_two_pairs_of_numbers_tell_the_ends_apart():
    forth = np.array([[4, 1, 9, 2, 5]], dtype=np.float32)
    back = np.array([[4, 9, 1, 5, 2]], dtype=np.float32)
    assert symmetric(forth, 2).tolist() == symmetric(back, 2).tolist() == [[4, 10, 8, 7, 3]]
    assert symmetric(forth, 1).tolist() == [[4, 1, 9, 7, 3]]


def test_any_shape():
    x = np.random.default_rng(0).standard_normal((3, 4, 5)).astype(np.float32)
    swapped = x[..., [0, 2, 1, 4, 3]]
    np.testing.assert_array_equal(symmetric(x, 2), symmetric(swapped, 2))
    np.testing.assert_array_equal(symmetric(x, 2)[1, 2], symmetric(x[1, 2], 2))
