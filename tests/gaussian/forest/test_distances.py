import numpy as np
import pytest

import oracles
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest import distances as module
from acvae.gaussian.forest.distances import ForestDistances


def collect(table, rows, block_rows):
    """(len(rows), n) with rows as asked and columns by vertex id, from the streamed blocks."""
    n = len(table.columns)
    found = {}
    for at, block in table.blocks(rows, block_rows):
        assert len(at) == len(block) <= block_rows
        for row, values in zip(at.tolist(), block, strict=True):
            own = np.empty(n, dtype=block.dtype)
            own[table.columns] = values
            found[row] = own
    return np.stack([found[row] for row in rows.tolist()])


@pytest.mark.parametrize("leaf_size", [1, 4, 48])
@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_all_pairs_against_the_dense_inverse(shape, leaf_size, monkeypatch):
    monkeypatch.setattr(module, "LEAF_SIZE", leaf_size)
    n = 70
    edges, rho, mean, std = oracles.forest_gaussian(shape, n)
    expected = oracles.dense_distances(mean, std, oracles.dense_correlation(n, edges, rho))
    table = ForestDistances(root_forest(n, edges), edges, rho, mean, std)
    for block_rows in (1, 3, 32, n, 10 * n):
        found = collect(table, np.arange(n), block_rows)
        assert np.abs(found - expected).max() <= 1e-9
        assert (np.diag(found) == 0).all()


@pytest.mark.parametrize("share", [1, 2, 8, 10**6])
def test_any_rule_for_cutting_out_children(share, monkeypatch):
    monkeypatch.setattr(module, "LEAF_SIZE", 2)
    monkeypatch.setattr(module, "CUT_OUT_SHARE", share)
    n = 60
    for shape in ("random", "many trees", "caterpillar"):
        edges, rho, mean, std = oracles.forest_gaussian(shape, n, seed=3)
        expected = oracles.dense_distances(mean, std, oracles.dense_correlation(n, edges, rho))
        table = ForestDistances(root_forest(n, edges), edges, rho, mean, std)
        assert np.abs(collect(table, np.arange(n), 7) - expected).max() <= 1e-9


@pytest.mark.parametrize("shape", ["random", "many trees", "two halves", "isolated"])
def test_some_rows(shape):
    n = 130
    edges, rho, mean, std = oracles.forest_gaussian(shape, n, seed=5)
    table = ForestDistances(root_forest(n, edges), edges, rho, mean, std)
    whole = collect(table, np.arange(n), 50)
    rows = np.random.default_rng(0).permutation(n)[:17]
    for block_rows in (1, 4, 100):
        np.testing.assert_allclose(collect(table, rows, block_rows), whole[rows], rtol=0, atol=1e-12)


def test_float32_in_float32_out():
    n = 90
    edges, rho, mean, std = oracles.forest_gaussian("random", n, d=10, nasty=0.0, dtype=np.float32)
    expected = oracles.dense_distances(
        *(a.astype(np.float64) for a in (mean, std)), oracles.dense_correlation(n, edges, rho)
    )
    found = collect(ForestDistances(root_forest(n, edges), edges, rho, mean, std), np.arange(n), 32)
    assert found.dtype == np.float32
    # An inner product of 2·10 + 2 terms of at most max(a) each.
    scale = (mean**2 + std**2).sum(axis=1).max()
    assert np.abs(found - expected).max() <= 22 * 4 * scale * np.finfo(np.float32).eps


def test_far_away_means_cost_no_accuracy():
    n = 120
    edges, rho, mean, std = oracles.forest_gaussian("random", n, nasty=0.0)
    near = ForestDistances(root_forest(n, edges), edges, rho, mean, std)
    far = ForestDistances(root_forest(n, edges), edges, rho, mean + 1e6, std)
    # Adding 1e6 rounds the means themselves to about 1e-10; their squares would lose 1e-4.
    np.testing.assert_allclose(
        collect(far, np.arange(n), 64), collect(near, np.arange(n), 64), rtol=0, atol=1e-8
    )


def test_never_negative():
    # Two far groups, rigid inside: a distance within one is about 1e-5, the terms that cancel about 200,000.
    n = 300
    rng = np.random.default_rng(0)
    edges = oracles.forest_edges("random", n, rng)
    rho = np.full((n - 1, 2), 1 - 1e-6, dtype=np.float32)
    mean = np.repeat([[317.0, -293.0], [-301.0, 339.0]], n // 2, axis=0)
    mean = (mean + rng.uniform(-1e-3, 1e-3, size=(n, 2))).astype(np.float32)
    std = np.full((n, 2), 1.3, dtype=np.float32)
    found = collect(ForestDistances(root_forest(n, edges), edges, rho, mean, std), np.arange(n), 64)
    assert (found == 0).sum() > n  # clipped ones, beside the diagonal
    assert (found >= 0).all()
