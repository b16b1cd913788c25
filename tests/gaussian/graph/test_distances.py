"""Blocks of distances under a sparse precision, against the dense inverse."""

import numpy as np
import pytest

import oracles
from acvae.forests.elimination import eliminate
from acvae.forests.elimination.factor import factorise
from acvae.gaussian.graph.distances import PrecisionDistances

N, D = 14, 3


def problem(dtype="float64"):
    """Two diagonally dominant precisions (one a dimension) on a random graph, and all distances."""
    rng = np.random.default_rng(0)
    edges = oracles.random_graph_edges(rng, N, 25)
    order, factors, planes = eliminate(N, edges), [], []
    for _ in range(D):
        off = rng.uniform(-1, 1, len(edges))
        table = np.zeros((N, N))
        table[tuple(edges.T)] = off
        table += table.T
        diagonal = np.abs(table).sum(axis=0) + 0.2
        factors.append(factorise(order, edges, off, diagonal))
        covariance = np.linalg.inv(table + np.diag(diagonal))
        std = np.sqrt(covariance.diagonal())
        planes.append(covariance / np.outer(std, std))
    mean, std = rng.standard_normal((N, D)).astype(dtype), rng.uniform(0.2, 2, (N, D)).astype(dtype)
    expected = oracles.dense_distances(mean.astype(float), std.astype(float), np.stack(planes, axis=2))
    return PrecisionDistances(order, factors, mean, std), expected


@pytest.mark.parametrize("panel", [1, 4, 256])
@pytest.mark.parametrize("block_rows", [1, 5, N])
def test_blocks_of_some_rows(panel, block_rows, monkeypatch):
    monkeypatch.setattr("acvae.gaussian.graph.distances.PANEL", panel)
    distances, expected = problem()
    rows, seen = np.array([3, 11, 0, 7, 8, 13]), []
    for at, block in distances.blocks(rows, block_rows):
        assert len(at) <= block_rows
        np.testing.assert_allclose(block, expected[np.ix_(at, distances.columns)], atol=1e-10)
        seen += at.tolist()
    assert sorted(seen) == sorted(rows.tolist())


def test_a_vertex_is_no_distance_from_itself():
    distances, _ = problem()
    for at, block in distances.blocks(np.arange(N), N):
        assert (block[np.arange(N), np.argsort(distances.columns)[at]] == 0).all()
        assert (block >= 0).all()


def test_blocks_have_the_type_of_the_means():
    distances, expected = problem("float32")
    ((at, block),) = distances.blocks(np.arange(N), N)
    assert block.dtype == np.float32
    np.testing.assert_allclose(block, expected[np.ix_(at, distances.columns)], rtol=1e-5, atol=1e-5)
