"""Rows, variances and solves without a factorisation, against the dense inverse and their own bounds."""

import numpy as np
import pytest

from acvae.exceptions import PosteriorError
from acvae.gaussian.graph import local
from acvae.gaussian.graph.laplacian import LaplacianGaussian
from acvae.gaussian.graph.leave_one_out import laplacian_blocks
from acvae.gaussian.graph.local import LocalGaussian


def problem(seed, n=60, m=150, effort=10**9, weighted=True):
    """Random graphs with leaves, several components and isolated vertices, and strengths far apart."""
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(0, n - 3, (m, 2)) ** 2 // (n - 3), axis=1)
    edges = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    strength = rng.uniform(0.1, 6, len(edges)) if weighted else np.full(len(edges), 2.0)
    diagonal = rng.uniform(1, 3, n)
    precision = np.diag(diagonal)
    for (i, j), a in zip(edges, strength, strict=True):
        precision[np.ix_([i, j], [i, j])] += a * np.array([[1, -1], [-1, 1]])
    return LocalGaussian(diagonal, edges, strength, effort=effort), np.linalg.inv(precision), rng


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("effort", [1, 40, 200, 1000, 10**9])
def test_rows_are_below_the_real_ones_by_no_more_than_the_bound(seed, effort):
    gaussian, covariance, _ = problem(seed, effort=effort)
    at = np.arange(60)
    found = gaussian.some_rows(at)
    lacking = covariance - found.dense()
    assert lacking.min() > -1e-12
    bound = found.left[:, None] * covariance.diagonal()
    assert (lacking <= bound + 1e-12).all()
    if effort == 10**9:
        assert np.abs(lacking).max() < 1e-5
    if effort == 1:
        assert lacking.max() > 1e-3  # or nothing was tested


@pytest.mark.parametrize("effort", [1, 60, 10**9])
def test_lookups_are_entries_of_the_dense_rows(effort):
    gaussian, _, rng = problem(1, effort=effort)
    at = np.sort(rng.permutation(60)[:20])
    rows = gaussian.some_rows(at)
    place, column = rng.integers(0, 20, (7, 1)), rng.integers(0, 60, (7, 9))
    np.testing.assert_array_equal(rows[place, column], rows.dense()[place, column])
    for p in range(20):
        ids, values = rows.row(p)
        assert len(np.unique(ids)) == len(ids)
        np.testing.assert_array_equal(rows.dense()[p, ids], values)
        assert rows.dense()[p].sum() == pytest.approx(values.sum())


@pytest.mark.parametrize("effort", [1, 60, 400])
def test_ends_are_right_to_second_order(effort):
    gaussian, covariance, _ = problem(2, effort=effort)
    at = np.arange(60)
    rows = gaussian.some_rows(at)
    i, j = gaussian.edges.T
    found = rows.ends(gaussian.edges, gaussian.edges)
    real = np.stack([covariance[i, i], covariance[i, j], covariance[j, j]], axis=1)
    rest = np.zeros((60, 60))
    for p in at:
        own = slice(rows.start[p], rows.start[p + 1])
        rest[p, rows.ids[own]] = rows._rest[own]
    size = np.sqrt((rest**2 / gaussian.diagonal).sum(axis=1))
    bound = np.stack([size[i] ** 2, size[i] * size[j], size[j] ** 2], axis=1)
    assert (real - found >= -1e-12).all()
    assert (real - found <= bound + 1e-12).all()
    first_order = np.abs(real[:, 1] - rows.dense()[i, j])
    assert (np.abs(real - found)[:, 1] <= first_order + 1e-12).all()


@pytest.mark.parametrize("effort", [1, 100, 10**9])
def test_without_an_edge_is_below_the_graph_that_never_had_it(effort):
    gaussian, _, rng = problem(3, m=70, effort=effort)
    edges, a = gaussian.edges, gaussian.strength
    others = rng.integers(0, 60, (len(edges), 12))
    at, leaves = np.arange(60), 0
    found = gaussian.without(gaussian.some_rows(at), edges, edges, laplacian_blocks(a), others)
    for e, (i, j) in enumerate(edges):
        kept = np.arange(len(edges)) != e
        exact = LaplacianGaussian(gaussian.diagonal, edges[kept], a[kept]).rows(np.array([i]))[0, others[e]]
        assert (found[e] <= exact + 1e-12).all()
        if effort == 10**9:
            np.testing.assert_allclose(found[e], exact, atol=1e-5)
        if j not in edges[kept]:  # nothing tells whom a leaf was linked with
            lonely = gaussian.without(
                gaussian.some_rows(at),
                edges[[e], ::-1],
                edges[[e], ::-1],
                laplacian_blocks(a[[e]]),
                others[[e]],
            )
            assert (lonely[others[[e]] != j] == 0).all()
            leaves += 1
    assert leaves > 0


@pytest.mark.parametrize("least", [0.2, 0.02, 1e-3])
def test_without_an_edge_is_pushed_as_far_as_in_the_graph_that_never_had_it(least, monkeypatch):
    monkeypatch.setattr(local, "LEAST", least)  # ends every push, so that as much is left out by both
    gaussian, _, _ = problem(3, m=70)
    edges, a = gaussian.edges, gaussian.strength
    at, others = np.arange(60), np.tile(np.arange(60), (len(edges), 1))
    found = gaussian.without(gaussian.some_rows(at), edges, edges, laplacian_blocks(a), others)
    for e, (i, j) in enumerate(edges):
        kept = np.arange(len(edges)) != e
        never = LocalGaussian(gaussian.diagonal, edges[kept], a[kept]).some_rows(np.array([i])).dense()[0]
        assert found[e, j] == pytest.approx(never[j], rel=1e-9)  # the answer, as every other
        np.testing.assert_allclose(found[e], never, rtol=1e-9)


@pytest.mark.parametrize("effort", [1, 30, 10**9])
def test_what_is_left_of_the_determinant_without_an_edge_stays_where_it_can_be(effort):
    own, _, rng = problem(4)
    a = rng.lognormal(0, 3, len(own.edges))
    gaussian = LocalGaussian(own.diagonal, own.edges, a, effort=effort)
    exact = LaplacianGaussian(own.diagonal, own.edges, a)
    every, edges = np.arange(60), own.edges
    real = exact.rest_without(exact.some_rows(every).ends(edges, edges), edges, a)
    log = []
    for e in range(len(edges)):  # det J′/det J
        kept = np.arange(len(edges)) != e
        log.append(LaplacianGaussian(own.diagonal, edges[kept], a[kept]).log_determinant)
    np.testing.assert_allclose(real, np.exp(np.array(log) - exact.log_determinant), rtol=1e-9)
    found = gaussian.rest_without(gaussian.some_rows(every).ends(edges, edges), edges, a)
    assert (found >= real * (1 - 1e-9)).all()
    i, j = edges.T
    apart = 1 / (gaussian._total[i] - a) + 1 / (gaussian._total[j] - a)  # the ends, were all others at zero
    assert (found <= 1 / (1 + a * apart) * (1 + 1e-12)).all()
    assert (real <= 1 / (1 + a * apart) * (1 + 1e-9)).all()
    if effort == 10**9:
        np.testing.assert_allclose(found, real, rtol=1e-2)
    nowhere = np.zeros((len(edges), 3))
    nowhere[:, 0] = 1e9  # as rounding of anything larger might say
    least = 1 / (1 + a * (1 / own.diagonal[i] + 1 / own.diagonal[j]))
    np.testing.assert_allclose(gaussian.rest_without(nowhere, edges, a), least)
    assert (least <= real * (1 + 1e-9)).all()


@pytest.mark.parametrize("effort", [1, 200, 10**9])
def test_an_entry_without_each_edge_changes_by_no_more_than_it_does(effort, monkeypatch):
    monkeypatch.setattr(local, "ROWS", 6)  # three edges at a time
    own, _, rng = problem(2)
    a = rng.lognormal(0, 3, len(own.edges))  # 1 − a·R of the strongest is below 1e-3
    gaussian = LocalGaussian(own.diagonal, own.edges, a, effort=effort)
    precision = np.diag(gaussian._total)
    precision[tuple(own.edges.T)] = precision[tuple(own.edges.T[::-1])] = -a
    real, tried = np.linalg.inv(precision), 0
    for i, j in [(0, 1), *rng.permutation(57)[:20].reshape(10, 2), own.edges[3]]:
        edges = np.flatnonzero(np.isin(own.edges, [i, j]).any(axis=1))
        covariance, found = gaussian.without_each(i, j, edges)
        if not covariance:  # of two components
            assert real[i, j] < 1e-7
            assert not found.any()
            continue
        assert covariance == pytest.approx(real[i, j], rel=1e-6)
        for e, left in zip(edges, found, strict=True):
            u, v = own.edges[e]
            cut = precision.copy()
            cut[np.ix_([u, v], [u, v])] -= a[e] * np.array([[1, -1], [-1, 1]])
            without = np.linalg.inv(cut)[i, j]
            assert min(without, real[i, j]) - 1e-8 <= left <= max(without, real[i, j]) + 1e-8
            assert left >= 0
            if effort == 10**9:
                assert left == pytest.approx(without, rel=1e-3, abs=1e-6)
            tried += 1
    assert tried > 20


def test_an_entry_without_edges_of_nobody():
    gaussian, covariance, _ = problem(0)
    i, j = gaussian.edges[0]
    whole, none = gaussian.without_each(i, j, np.zeros(0, dtype=np.int64))
    assert whole == pytest.approx(covariance[i, j])
    assert len(none) == 0
    assert gaussian.without_each(i, 59, np.array([0]))[0] == 0  # 59 is alone


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tolerance", [0.3, 1e-3])
def test_variances_are_within_the_error_they_tell(seed, tolerance, monkeypatch):
    monkeypatch.setattr(local, "TOLERANCE", tolerance)
    monkeypatch.setattr(local, "VARIANCE_EFFORT", 10**9)
    gaussian, covariance, _ = problem(seed)
    found, off = gaussian.variances(np.arange(60))
    lacking = covariance.diagonal() - found
    assert (lacking > -1e-12).all()
    assert (lacking <= off + 1e-12).all()
    assert (off <= tolerance * covariance.diagonal()).all()
    np.testing.assert_array_equal(gaussian.variance, found)


def test_solves_in_both_precisions():
    gaussian, covariance, rng = problem(3)
    b = rng.standard_normal((60, 70))
    np.testing.assert_allclose(gaussian.solve(b), covariance @ b, rtol=1e-8, atol=1e-9)
    single = gaussian.solve(b.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, covariance @ b, rtol=1e-4, atol=1e-4)
    assert gaussian.solve(np.zeros((60, 2))).max() == 0
    assert gaussian.solve(np.zeros((60, 0))).shape == (60, 0)


def test_entries_are_the_same_both_ways():
    gaussian, covariance, rng = problem(0, effort=50)
    i, j = rng.integers(0, 60, (2, 100))
    found = gaussian.entries(i, j)
    np.testing.assert_array_equal(found, gaussian.entries(j, i))
    assert (found <= covariance[i, j] + 1e-12).all()
    np.testing.assert_allclose(problem(0)[0].entries(i, j), covariance[i, j], atol=1e-5)


def test_threads_change_nothing(monkeypatch):
    gaussian, _, rng = problem(0, effort=100)
    b = rng.standard_normal((60, 5))
    found = []
    for count in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", count)
        monkeypatch.setattr(local, "PANEL", 7)
        rows = gaussian.some_rows(np.arange(60))
        found.append([rows.values, rows.left, gaussian.solve(b)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_row_takes_no_more_memory_than_is_told():
    n, effort = 3000, 50  # vertex 0 is a neighbour of all, and within reach of any push
    edges = np.stack([np.zeros(n - 1, dtype=np.int64), np.arange(1, n)], axis=1)
    gaussian = LocalGaussian(np.ones(n), edges, np.ones(n - 1), effort=effort)
    rows = gaussian.some_rows(np.arange(1, 9))
    assert np.diff(rows.start).tolist() == [n] * 8
    held = sum(array.nbytes for array in (rows.ids, rows.values, rows._pushed, rows._rest)) / 8
    assert held <= gaussian.row_bytes <= 100 * n
    path = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    path = LocalGaussian(np.ones(n), path, np.ones(n - 1), effort=effort)
    assert np.diff(path.some_rows(np.arange(8)).start).max() <= path.row_bytes / 100 == effort + 2
    assert LocalGaussian(np.ones(1), edges[:0], np.ones(0)).row_bytes == 100


def test_what_needs_a_factorisation_is_refused():
    gaussian = problem(0)[0]
    for ask in (
        lambda: gaussian.along,
        lambda: gaussian.log_determinant,
        lambda: gaussian.correlate(np.zeros((60, 1))),
    ):
        with pytest.raises(PosteriorError, match="solver='exact'"):
            ask()
    with pytest.raises(PosteriorError, match="positive strengths"):
        LocalGaussian(np.ones(2), np.array([[0, 1]]), np.array([-0.1]))
