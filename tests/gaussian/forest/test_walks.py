"""Distances by walks over a forest: one row at a time, against the dense joint."""

import numpy as np
import pytest

import oracles
from acvae.forests.rooted import root_forest
from acvae.gaussian import ForestJoint
from acvae.gaussian.forest.path_products import row_products


def expected_row(forest, values, mean, std, i):
    rho = row_products(forest, values, i)
    gap = mean[i].astype(np.float64) - mean
    si, sj = std[i].astype(np.float64), std.astype(np.float64)
    return (gap**2 + si**2 + sj**2 - 2 * si * sj * rho).sum(axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 40])
@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_every_row_of_every_shape_of_forest(shape, n, dtype):
    rng = np.random.default_rng(n)
    edges = oracles.forest_edges(shape, n, rng)
    values = oracles.random_correlations(rng, len(edges), 3, nasty=0.3)
    mean, std = (x.astype(dtype) for x in (rng.normal(size=(n, 3)), rng.uniform(0.1, 2, size=(n, 3))))
    forest = root_forest(n, edges)
    walks = ForestJoint(n, edges, values.astype(dtype)).few_rows(mean, std)
    order = rng.permutation(n)
    seen = []
    for at, block in walks.blocks(order, 16):
        assert block.shape == (1, n)
        assert block.dtype == dtype
        found = np.empty(n)
        found[walks.columns] = block[0]
        expected = expected_row(forest, values.astype(dtype), mean, std, at[0])
        np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps, atol=1e-12)
        assert found[at[0]] == 0
        seen.append(int(at[0]))
    assert seen == order.tolist()


def test_nothing_is_lost_where_two_vertices_nearly_coincide():
    mean = np.array([[1000.0], [1000.0]])
    std = np.array([[1.0], [1.0]])
    rho = np.array([[1 - 1e-12]])
    walks = ForestJoint(2, np.array([[0, 1]]), rho).few_rows(mean, std)
    (_, block), *_ = walks.blocks(np.array([0]), 1)
    assert block[0, walks.columns == 1] == 2 * (1 - rho[0, 0])
