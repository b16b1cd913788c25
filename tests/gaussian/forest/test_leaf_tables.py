import numpy as np
import pytest

import oracles
from acvae.forests.centroid import centroid_decomposition
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest import leaf_tables as module
from acvae.gaussian.forest.leaf_tables import leaf_tables


def make(shape, n, leaf_size):
    edges, rho, mean, std = oracles.forest_gaussian(shape, n, seed=6)
    forest = root_forest(n, edges)
    pieces = centroid_decomposition(forest, edges, leaf_size=leaf_size)
    expected = oracles.dense_distances(mean, std, oracles.dense_correlation(n, edges, rho))
    return pieces, (forest, rho, mean, std), expected


@pytest.mark.parametrize("chunk", [1, 50, 1 << 17])
@pytest.mark.parametrize("shape", ["random", "path", "many trees", "isolated"])
def test_every_pair_of_a_leaf(shape, chunk, monkeypatch):
    monkeypatch.setattr(module, "CHUNK_NUMBERS", chunk)
    pieces, given, expected = make(shape, 60, 7)
    found = leaf_tables(pieces, *given)
    leaf_of = np.full(60, -1)
    for leaf in np.flatnonzero(pieces.is_leaf):
        leaf_of[pieces.start[leaf] : pieces.stop[leaf]] = leaf
    assert (leaf_of >= 0).any()
    for p, leaf in enumerate(leaf_of.tolist()):
        if leaf < 0:  # a centroid
            assert found.start[p] == found.stop[p]
            continue
        assert (found.start[p], found.stop[p]) == (pieces.start[leaf], pieces.stop[leaf])
        width = found.stop[p] - found.start[p]
        row = found.table[found.offset[p] : found.offset[p] + width]
        others = pieces.vertex[found.start[p] : found.stop[p]]
        assert np.abs(row - expected[pieces.vertex[p], others]).max() <= 1e-9
