"""Products along paths that may not take one edge, by hand and against all paths."""

import numpy as np
import pytest

import oracles
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest.left_out import products_without


def test_a_path_by_hand():
    forest = root_forest(5, np.array([(0, 1), (1, 2), (2, 3)]))  # 4 is alone
    values = np.array([[0.5, 2], [0.1, 3], [0.2, 5]])
    found = products_without(forest, values, np.array([[1, 2], [2, 1], [0, 2]]), np.array([[0, 1, 3, 4]] * 3))
    assert found[0].tolist() == [[0.5, 2], [1, 1], [0, 0], [0, 0]]  # cut between 1 and 2
    assert found[1].tolist() == [[0, 0], [0, 0], [0.2, 5], [0, 0]]
    whole = [[1, 1], [0.5, 2], [0.5 * 0.1 * 0.2, 30], [0, 0]]  # 0 and 2 have no edge: all stays
    np.testing.assert_allclose(found[2], whole, rtol=1e-15)


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_against_all_paths(shape):
    n, rng = 25, np.random.default_rng(0)
    edges = oracles.forest_edges(shape, n, rng)
    values = rng.uniform(-1, 1, (len(edges), 2))
    ends = np.concatenate([edges, edges[:, ::-1], [(3, 3), (0, 24)]])
    candidates = np.tile(np.arange(n), (len(ends), 1))
    found = products_without(root_forest(n, edges), values, ends, candidates)
    for q, (i, j) in enumerate(ends):
        kept = [e for e in range(len(edges)) if set(edges[e].tolist()) != {int(i), int(j)}]
        paths = oracles.path_edges(n, edges[kept].tolist(), int(i))
        for k, path in enumerate(paths):
            expected = np.zeros(2) if path is None else np.prod(values[kept][path], axis=0)
            np.testing.assert_allclose(found[q, k], expected, rtol=1e-12, atol=0)
