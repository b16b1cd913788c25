import numpy as np
import pytest

import oracles
from acvae.forests.centroid import centroid_decomposition, centroid_products
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest.path_products import pair_products

CASES = [(shape, n) for shape in oracles.SHAPES for n in (1, 2, 3, 7, 64, 150)]


def decompose(shape, n, leaf_size):
    edges = oracles.forest_edges(shape, n, np.random.default_rng(n))
    return edges, centroid_decomposition(root_forest(n, edges), edges, leaf_size=leaf_size)


@pytest.mark.parametrize("leaf_size", [1, 2, 8, 48])
@pytest.mark.parametrize(("shape", "n"), CASES)
def test_pieces(shape, n, leaf_size):
    edges, pieces = decompose(shape, n, leaf_size)
    assert np.array_equal(pieces.vertex[pieces.position], np.arange(n))
    size = pieces.stop - pieces.start
    for c in range(len(pieces.start)):
        members = pieces.vertex[pieces.start[c] : pieces.stop[c]]
        inside = np.isin(edges, members).all(axis=1)
        # Contiguous positions hold one connected piece of the forest.
        assert inside.sum() == len(members) - 1
        assert pieces.is_leaf[c] == (size[c] <= leaf_size)
        children = np.flatnonzero(pieces.parent == c)
        if pieces.is_leaf[c]:
            assert len(children) == 0
            continue
        # The children tile the rest of the piece, by growing size, each at most half as large as it.
        order = children[np.argsort(pieces.start[children])]
        assert [pieces.start[c] + 1, *pieces.stop[order]] == [*pieces.start[order], pieces.stop[c]]
        assert (np.diff(size[order]) >= 0).all()
        assert (2 * size[order] <= size[c]).all()
        assert (pieces.level[order] == pieces.level[c] + 1).all()
        # No edge joins two children: only the centroid did.
        child_of = np.full(n, -1)
        for k, child in enumerate(order):
            child_of[pieces.vertex[pieces.start[child] : pieces.stop[child]]] = k
        touching = child_of[edges[inside]]
        assert ((touching[:, 0] == touching[:, 1]) | (touching < 0).any(axis=1)).all()


@pytest.mark.parametrize("leaf_size", [1, 8])
@pytest.mark.parametrize(("shape", "n"), CASES)
def test_whole_trees_come_largest_first(shape, n, leaf_size):
    edges, pieces = decompose(shape, n, leaf_size)
    roots = np.flatnonzero(pieces.parent < 0)
    roots = roots[np.argsort(pieces.start[roots])]
    size = pieces.stop[roots] - pieces.start[roots]
    trees = np.bincount(oracles.component_labels(n, edges))
    assert sorted(size.tolist()) == sorted(trees.tolist())
    assert size[0] == trees.max()
    assert (np.diff(size) <= 0).all()
    assert [0, *pieces.stop[roots]] == [*pieces.start[roots], n]
    assert pieces.level[roots].tolist() == [0] + [1] * (len(roots) - 1)


@pytest.mark.parametrize("leaf_size", [1, 8])
@pytest.mark.parametrize(("shape", "n"), [case for case in CASES if case[1] <= 64])
def test_every_pair_is_separated_exactly_once(shape, n, leaf_size):
    """Two vertices of a tree are parted by one centroid on their path, or share a leaf."""
    edges, pieces = decompose(shape, n, leaf_size)
    times = np.zeros((n, n), dtype=int)
    inner = np.flatnonzero(~pieces.is_leaf)
    for c in inner:
        centre = pieces.vertex[pieces.start[c]]
        parts = [np.array([centre])] + [
            pieces.vertex[pieces.start[k] : pieces.stop[k]] for k in np.flatnonzero(pieces.parent == c)
        ]
        for a, one in enumerate(parts):
            for b, other in enumerate(parts):
                if a != b:
                    times[np.ix_(one, other)] += 1
    for c in np.flatnonzero(pieces.is_leaf):
        leaf = pieces.vertex[pieces.start[c] : pieces.stop[c]]
        times[np.ix_(leaf, leaf)] += 1
    label = oracles.component_labels(n, edges)
    together = label[:, None] == label
    np.fill_diagonal(together, False)
    np.fill_diagonal(times, 0)
    assert np.array_equal(times, together.astype(int))


@pytest.mark.parametrize("leaf_size", [1, 8])
@pytest.mark.parametrize(("shape", "n"), [case for case in CASES if case[1] <= 64])
def test_products_from_the_centroids(shape, n, leaf_size):
    edges, pieces = decompose(shape, n, leaf_size)
    rng = np.random.default_rng(1)
    values = oracles.random_correlations(rng, len(edges), 2, nasty=0.3)
    forest = root_forest(n, edges)
    found = centroid_products(pieces, edges, values)
    expected = np.zeros((pieces.n_levels, n, 2))
    for c in np.flatnonzero(~pieces.is_leaf):
        at = np.arange(pieces.start[c], pieces.stop[c])
        centre = np.full(len(at), pieces.vertex[pieces.start[c]])
        expected[pieces.level[c], at] = pair_products(forest, values, centre, pieces.vertex[at])
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize(("n", "leaf_size"), [(10_000, 1), (10_000, 48), (4096, 1)])
def test_depth_of_a_long_path_is_logarithmic(n, leaf_size):
    _, pieces = decompose("path", n, leaf_size)
    assert pieces.n_levels <= np.log2(n / leaf_size) + 1


def test_star_needs_one_level():
    _, pieces = decompose("star", 500, 1)
    assert pieces.n_levels == 1
    assert len(pieces.start) == 500


def test_no_vertices():
    edges = np.empty((0, 2), dtype=np.int64)
    pieces = centroid_decomposition(root_forest(0, edges), edges)
    assert pieces.n_levels == 0
    assert centroid_products(pieces, edges, np.empty((0, 2))).shape == (0, 0, 2)
