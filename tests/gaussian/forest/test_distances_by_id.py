"""`rows`: columns in the order of ids, from tables of several centres."""

import numpy as np
import pytest

import oracles
from acvae import Posterior
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest import distances as module
from acvae.gaussian.forest import distances_by_id as by_id
from acvae.gaussian.forest.distances import ForestDistances


@pytest.fixture(autouse=True)
def many_centres(monkeypatch):
    """Small enough for all ways through the code to be taken by small forests."""
    monkeypatch.setattr(by_id, "ROWS_PER_CENTRE", 1)
    monkeypatch.setattr(by_id, "PANEL_NUMBERS", 300)
    monkeypatch.setattr(by_id, "SHORT_NUMBERS", 300)
    monkeypatch.setattr(by_id, "LEAST_ROWS", 3)


def rows_of(table, ids, dtype=np.float64):
    out = np.full((len(ids), len(table.columns)), np.nan, dtype=dtype)
    table.rows(ids, out)
    return out


@pytest.mark.parametrize("factors", [0, 64], ids=["by a library's products", "by short products"])
@pytest.mark.parametrize("small", [0, 40, 10**9])
@pytest.mark.parametrize("leaf_size", [1, 4, 48])
@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_against_the_dense_inverse(shape, leaf_size, small, factors, monkeypatch):
    monkeypatch.setattr(by_id, "MOST_FACTORS", factors)
    monkeypatch.setattr(module, "LEAF_SIZE", leaf_size)
    monkeypatch.setattr(by_id, "SMALL_NUMBERS", small)
    n = 70
    edges, rho, mean, std = oracles.forest_gaussian(shape, n, seed=8)
    expected = oracles.dense_distances(mean, std, oracles.dense_correlation(n, edges, rho))
    table = ForestDistances(root_forest(n, edges), edges, rho, mean, std)
    for ids in (np.arange(n), np.random.default_rng(1).permutation(n)[:33], np.array([n - 1])):
        found = rows_of(table, ids)
        assert np.abs(found - expected[ids]).max() <= 1e-9
        assert (found[np.arange(len(ids)), ids] == 0).all()


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 10])
@pytest.mark.parametrize("shape", ["random", "two halves", "many trees", "isolated"])
def test_float32_with_any_number_of_dimensions(shape, d, monkeypatch):
    monkeypatch.setattr(module, "LEAF_SIZE", 3)  # most pairs by compiled loops
    n = 80
    edges, rho, mean, std = oracles.forest_gaussian(shape, n, d, seed=2, nasty=0.0, dtype=np.float32)
    exact = oracles.dense_distances(
        *(a.astype(np.float64) for a in (mean, std)), oracles.dense_correlation(n, edges, rho)
    )
    found = rows_of(ForestDistances(root_forest(n, edges), edges, rho, mean, std), np.arange(n), np.float32)
    # Sums of 2·d + 2 terms of at most max(a) each.
    scale = (mean**2 + std**2).sum(axis=1).max()
    assert np.abs(found - exact).max() <= (2 * d + 2) * 4 * scale * np.finfo(np.float32).eps


@pytest.mark.parametrize("centres", [1, 2, 8])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_rows_in_any_order_through_the_public_call(dtype, centres, monkeypatch):
    """Repeated rows, isolated vertices and several trees at once; every number of centres."""
    monkeypatch.setattr(by_id, "MOST_CENTRES", centres)
    monkeypatch.setattr(module, "LEAF_SIZE", 5)
    n, d = 90, 3
    edges, rho, mean, std = oracles.forest_gaussian("many trees", n, d, seed=4, nasty=0.0)
    edges, rho = edges[(edges < 80).all(axis=1)], rho[(edges < 80).all(axis=1)]  # the last ten stand alone
    expected = oracles.dense_distances(mean, std, oracles.dense_correlation(n, edges, rho))
    q = Posterior(mean, std, edges, rho, dtype=dtype)
    tolerance = 1e-9 if dtype == "float64" else 1e-4
    for _ in q.distance_blocks():  # from now on the tables answer, not walks for a few rows
        break
    rng = np.random.default_rng(0)
    for ids in (np.arange(n)[::-1], rng.integers(n, size=200), np.full(7, 85), np.arange(80, 90), [3, 3, 89]):
        found = q.distances(ids)
        assert found.dtype == dtype
        assert np.abs(found - expected[ids]).max() <= tolerance


def test_never_negative():
    n = 300
    rng = np.random.default_rng(0)
    edges = oracles.forest_edges("random", n, rng)
    rho = np.full((n - 1, 2), 1 - 1e-6, dtype=np.float32)
    mean = np.repeat([[317.0, -293.0], [-301.0, 339.0]], n // 2, axis=0).astype(np.float32)
    table = ForestDistances(root_forest(n, edges), edges, rho, mean, np.full_like(mean, 1.3))
    assert (rows_of(table, np.arange(n), np.float32) >= 0).all()


def test_memory_stays_that_of_the_rows(monkeypatch):
    monkeypatch.setattr(by_id, "PANEL_NUMBERS", 1 << 14)
    n, d, rows = 3000, 2, 64
    edges, rho, mean, std = oracles.forest_gaussian("random", n, d, nasty=0.0, dtype=np.float32)
    table = ForestDistances(root_forest(n, edges), edges, rho, mean, std)
    out = np.empty((rows, n), np.float32)
    table.rows(np.arange(rows), out)  # makes the tables, and compiles
    # A panel, the factors of rows and their order: far from n² = 36 MB.
    assert oracles.peak_memory(lambda: table.rows(np.arange(rows), out)) < 2 * out.nbytes
