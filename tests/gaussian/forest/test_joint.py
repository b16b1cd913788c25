import numpy as np
import pytest

import oracles
from acvae.exceptions import PosteriorError
from acvae.gaussian import ForestJoint


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_pairs_and_rows_agree_with_the_dense_inverse(shape):
    n, d = 30, 2
    rng = np.random.default_rng(0)
    edges = oracles.forest_edges(shape, n, rng)
    rho = oracles.random_correlations(rng, len(edges), d, nasty=0.3)
    expected = oracles.dense_correlation(n, edges, rho)
    strategy = ForestJoint(n, edges, rho)
    i, j = (a.ravel() for a in np.indices((n, n)))
    assert np.abs(strategy.pairs(i, j).reshape(n, n, d) - expected).max() <= 1e-9
    rows = np.stack([strategy.row(v) for v in range(n)])
    assert np.abs(rows - expected).max() <= 1e-9


def test_distance_blocks_cover_all_columns():
    edges = np.array([[0, 1], [1, 2]])
    blocks = ForestJoint(4, edges, np.full((2, 1), 0.5)).distance_blocks(np.zeros((4, 1)), np.ones((4, 1)))
    assert sorted(blocks.columns.tolist()) == [0, 1, 2, 3]
    found = np.empty((4, 4))
    for rows, block in blocks.blocks(np.arange(4), 2):
        found[rows[:, None], blocks.columns] = block
    correlation = np.array([[1, 0.5, 0.25, 0], [0.5, 1, 0.5, 0], [0.25, 0.5, 1, 0], [0, 0, 0, 1]])
    np.testing.assert_allclose(found, 2 - 2 * correlation, atol=1e-14)


def test_noise_is_correlated_in_place():
    strategy = ForestJoint(2, np.array([[0, 1]]), np.array([[0.6]]))
    noise = np.array([[[1.0], [2.0]]])
    out = strategy.correlate(noise)
    assert out is noise
    # 0.6·parent + 0.8·own, whichever end is the parent.
    assert sorted(out.ravel().tolist()) in (
        pytest.approx([1.0, 0.6 * 1 + 0.8 * 2]),
        pytest.approx(sorted([2.0, 0.6 * 2 + 0.8 * 1])),
    )


def test_independent_points_have_the_density_of_their_product():
    strategy = ForestJoint(3, np.empty((0, 2), dtype=np.int64), np.empty((0, 2)))
    points = np.random.default_rng(0).normal(size=(4, 3, 2))
    expected = (-0.5 * points**2 - 0.5 * np.log(2 * np.pi)).sum(axis=(1, 2))
    np.testing.assert_allclose(strategy.log_density(points), expected, rtol=1e-13)


def test_a_cycle_is_refused():
    with pytest.raises(PosteriorError, match="cycle"):
        ForestJoint(3, np.array([[0, 1], [1, 2], [2, 0]]), np.full((3, 1), 0.5))
