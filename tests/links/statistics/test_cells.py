"""The likest in shared cells, against all cosines."""

import numpy as np

from acvae.links.statistics.cells import likest_in_cells


def vectors(n=900, groups=12, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((groups, 16))[rng.integers(0, groups, n)] + 0.3 * rng.standard_normal((n, 16))
    x[5] = 0
    length = np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
    return (x / length).astype(np.float32)


def test_cosines_are_real_each_vector_once_and_most_of_the_best_are_found():
    unit = vectors()
    ids, cosines = likest_in_cells(unit, 10)
    every = unit @ unit.T
    np.fill_diagonal(every, -2)
    real = cosines > -2
    found = np.take_along_axis(every, ids, axis=1)
    np.testing.assert_allclose(cosines[real], found[real], atol=1e-5)
    for row in range(len(unit)):
        mine = ids[row, real[row]]
        assert len(set(mine)) == len(mine)
        assert row not in mine
    best = np.argsort(-every, axis=1)[:, :10]
    shared = [len(set(a) & set(b)) for k, (a, b) in enumerate(zip(ids, best, strict=True)) if k != 5]
    assert np.mean(shared) > 5
    assert not real[5].any()
