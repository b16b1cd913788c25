"""Solves by iteration, against dense solves."""

import numpy as np
import pytest

from acvae._util.adjacency import adjacency
from acvae.exceptions import PosteriorError
from acvae.gaussian.graph import conjugate_gradients as module
from acvae.gaussian.graph.conjugate_gradients import conjugate_gradients

N = 30


def problem(strength=2.0):
    """Neighbour lists, diagonal and table of I and the Laplacian of a path with some chords."""
    pairs = [(k, k + 1) for k in range(N - 2)] + [(0, 9), (3, 20), (5, 28)]
    edges = np.array(pairs)
    start, near, _ = adjacency(N, edges)
    table = np.eye(N)
    for i, j in pairs:
        table[np.ix_([i, j], [i, j])] += strength * np.array([[1, -1], [-1, 1]])
    return (start, near, np.full(len(near), strength), table.diagonal().copy()), table


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-10)])
def test_residuals_are_as_small_as_is_told(dtype, tolerance):
    matrix, table = problem()
    b = np.random.default_rng(0).standard_normal((N, module.COLUMNS + 3)).astype(dtype)
    found = conjugate_gradients(*matrix, b)
    assert found.dtype == dtype
    residual = np.linalg.norm(table @ found - b, axis=0) / np.linalg.norm(b, axis=0)
    assert residual.max() < 1.01 * tolerance  # told in its own precision, checked in double
    np.testing.assert_allclose(found, np.linalg.solve(table, b), atol=100 * tolerance)


def test_two_vertices_by_hand():
    # J = [[3, −2], [−2, 3]] has the inverse [[3, 2], [2, 3]]/5.
    start, near = np.array([0, 1, 2]), np.array([1, 0])
    found = conjugate_gradients(start, near, np.full(2, 2.0), np.full(2, 3.0), np.array([[5.0], [0.0]]))
    np.testing.assert_allclose(found, [[3], [2]], rtol=1e-9)


def test_columns_of_zeros_and_no_columns():
    matrix, _ = problem()
    b = np.zeros((N, 2))
    b[4, 1] = 1
    found = conjugate_gradients(*matrix, b)
    assert not found[:, 0].any()
    assert found[4, 1] > 0
    assert conjugate_gradients(*matrix, np.zeros((N, 0))).shape == (N, 0)


def test_without_edges_it_divides():
    none = np.array([], dtype=np.int64)
    b = np.array([[2.0], [3.0]])
    found = conjugate_gradients(np.zeros(3, dtype=np.int64), none, none.astype(float), np.array([4.0, 5]), b)
    np.testing.assert_allclose(found, [[0.5], [0.6]])


def test_sums_over_parts_are_those_over_all(monkeypatch):
    matrix, _ = problem()
    b = np.random.default_rng(1).standard_normal((N, 2))
    whole = conjugate_gradients(*matrix, b)
    monkeypatch.setattr(module, "ROWS", 7)
    np.testing.assert_allclose(conjugate_gradients(*matrix, b), whole, rtol=1e-9)


def test_what_does_not_end_is_told(monkeypatch):
    matrix, _ = problem(strength=1e4)
    monkeypatch.setattr(module, "STEPS", 1)
    b = np.zeros((N, 2))
    b[0, 0], b[N - 1, 1] = 1, 1  # the last vertex is alone: solved at once
    with pytest.raises(PosteriorError, match=r"1 of 2 columns .* Use smaller scales, or solver='exact'"):
        conjugate_gradients(*matrix, b)
