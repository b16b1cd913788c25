"""The likest in shared cells, against all cosines."""

import numpy as np

from acvae.links.statistics import cells as module
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


def compared(unit, count, monkeypatch):
    """What is found, and how many cosines were computed for it."""
    pairs, merge = [], module._merge

    def counting(at, others, *rest):
        pairs.append(len(at) * len(others))
        merge(at, others, *rest)

    monkeypatch.setattr(module, "_merge", counting)
    return *likest_in_cells(unit, count), sum(pairs)


def test_of_many_that_are_the_same_each_is_compared_with_some(monkeypatch):
    n, most = 2000, 100
    unit = np.eye(2, dtype=np.float32)[np.random.default_rng(0).integers(0, 2, n)]
    monkeypatch.setattr(module, "MOST", most)
    ids, cosines, pairs = compared(unit, 10, monkeypatch)
    assert pairs <= module.CELLS * n * most
    assert (cosines == 1).all()
    assert (unit[ids] == unit[:, None]).all()
    assert all(len(set(row)) == 10 for row in ids.tolist())
    assert (ids != np.arange(n)[:, None]).all()
    again = likest_in_cells(unit, 10)
    np.testing.assert_array_equal(ids, again[0])


def test_cells_that_are_not_too_large_stay_whole(monkeypatch):
    unit = vectors()
    whole = likest_in_cells(unit, 10)
    monkeypatch.setattr(module, "MOST", len(unit))
    for a, b in zip(whole, likest_in_cells(unit, 10), strict=True):
        np.testing.assert_array_equal(a, b)
