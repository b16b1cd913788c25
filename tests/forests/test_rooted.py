import numpy as np
import pytest

import oracles
from acvae.exceptions import PosteriorError
from acvae.forests.rooted import root_forest


@pytest.mark.parametrize("n", [1, 2, 3, 40, 201])
@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_layout(shape, n):
    edges = oracles.forest_edges(shape, n, np.random.default_rng(n))
    forest = root_forest(n, edges)
    assert sorted(forest.vertex.tolist()) == list(range(n))
    assert np.array_equal(forest.vertex[forest.position], np.arange(n))
    root = forest.parent < 0
    assert np.array_equal(root, forest.edge < 0)
    assert np.array_equal(root, forest.depth == 0)
    at = np.flatnonzero(~root)
    assert (forest.parent[at] < at).all()
    assert np.array_equal(forest.depth[at], forest.depth[forest.parent[at]] + 1)
    assert np.array_equal(forest.tree[at], forest.tree[forest.parent[at]])
    # The edge to the parent joins exactly these two vertices, and every edge is used once.
    ends = np.sort(np.stack([forest.vertex[at], forest.vertex[forest.parent[at]]], axis=1), axis=1)
    assert np.array_equal(ends, np.sort(edges[forest.edge[at]], axis=1))
    assert sorted(forest.edge[at].tolist()) == list(range(len(edges)))
    # Each tree is one run of positions, numbered in order, and is one component.
    assert (np.diff(forest.tree) >= 0).all()
    label = oracles.component_labels(n, edges)[forest.vertex]
    assert np.array_equal(forest.tree[:, None] == forest.tree, label[:, None] == label)
    assert root.sum() == n - len(edges)


def test_no_vertices():
    assert root_forest(0, np.empty((0, 2), dtype=np.int64)).vertex.shape == (0,)


def test_deep_path_needs_no_recursion():
    n = 50_000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    assert root_forest(n, edges).depth.max() == n - 1


@pytest.mark.parametrize(
    ("edges", "telling"),
    [
        ([[0, 1], [1, 2], [2, 0]], r"cycle: edge 2, \(2, 0\)"),
        ([[0, 1], [1, 0]], r"cycle: edge 1, \(1, 0\)"),
        ([[3, 3]], r"cycle: edge 0, \(3, 3\)"),
    ],
)
def test_a_cycle_is_named(edges, telling):
    with pytest.raises(PosteriorError, match=telling):
        root_forest(4, np.array(edges))
