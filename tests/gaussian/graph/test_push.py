"""Pushes from vertices: what was pushed, what is left, and what both say of the dense inverse."""

import numpy as np
import pytest

from acvae._util.adjacency import adjacency
from acvae.gaussian.graph.push import Scratch, push_rows, push_variances

N = 9
EDGES = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 4), (4, 5), (6, 7)])  # 8 is alone
STRENGTH = np.array([1.0, 2, 0.5, 3, 1, 4, 0.2, 1])
OWN = np.linspace(1, 2, N)


def table(edges=EDGES, strength=STRENGTH):
    precision = np.diag(OWN)
    for (i, j), a in zip(edges, strength, strict=True):
        precision[np.ix_([i, j], [i, j])] += a * np.array([[1, -1], [-1, 1]])
    return precision


def matrix():
    start, near, number = adjacency(N, EDGES)
    return start, near.astype(np.int32), STRENGTH[number], table().diagonal().copy(), OWN


def rows(sources, partners, less, effort=10**9, least=1e-9, scratch=None):
    """x, r and what is one step further, of each source, dense."""
    scratch = Scratch.of(N) if scratch is None else scratch
    begin, ids, x, r, further = push_rows(
        *matrix(), np.array(sources), np.array(partners), np.array(less), effort, least, scratch
    )
    dense = np.zeros((3, len(sources), N))
    for s in range(len(sources)):
        own = slice(begin[s], begin[s + 1])
        assert len(set(ids[own].tolist())) == begin[s + 1] - begin[s]
        dense[:, s, ids[own]] = x[own], r[own], further[own]
    return dense


def test_the_first_push_by_hand():
    x, r, _ = rows([6], [-1], [0.0], effort=1)
    # All of it is at 6, and above the cut: 1/J_66 stays there, and a/J_66 goes to its neighbour.
    total = OWN[6] + 1
    assert x[0, 6] == pytest.approx(1 / total)
    assert r[0, 6] == 0
    assert r[0, 7] == r.sum() == pytest.approx(1 / total)


@pytest.mark.parametrize("effort", [1, 5, 20, 10**9])
def test_what_was_pushed_and_what_is_left_make_up_the_row(effort):
    covariance = np.linalg.inv(table())
    x, r, further = rows(range(N), [-1] * N, [0.0] * N, effort)
    np.testing.assert_allclose(further, x + r / table().diagonal(), atol=1e-15)
    assert (x >= 0).all()
    assert (r >= 0).all()
    np.testing.assert_allclose(x + r @ covariance, covariance, atol=1e-12)  # K·e_i = x + K·r
    if effort == 10**9:
        assert r.sum(axis=1).max() < 1e-7


@pytest.mark.parametrize("edge", range(len(EDGES)))
@pytest.mark.parametrize("turned", [False, True])
def test_an_edge_that_is_not_walked(edge, turned):
    i, j = EDGES[edge, ::-1] if turned else EDGES[edge]
    without = np.linalg.inv(table(np.delete(EDGES, edge, axis=0), np.delete(STRENGTH, edge)))
    x, r, further = rows([i], [j], [STRENGTH[edge]], effort=8)
    np.testing.assert_allclose(further[0], x[0] + r[0] / np.linalg.inv(without).diagonal(), atol=1e-14)
    np.testing.assert_allclose(x[0] + r[0] @ without, without[i], atol=1e-12)
    x, _, _ = rows([i], [j], [STRENGTH[edge]])
    np.testing.assert_allclose(x[0], without[i], atol=1e-7)


def test_a_thread_leaves_its_room_as_it_was():
    scratch = Scratch.of(N)
    first = rows([0, 4], [-1, -1], [0.0, 0.0], scratch=scratch)
    assert all(not part.any() for part in scratch[:3])
    push_variances(*matrix(), np.arange(N), 10, 1e-9, 1e-2, scratch)
    assert all(not part.any() for part in scratch[:3])
    for before, again in zip(first, rows([0, 4], [-1, -1], [0.0, 0.0], scratch=scratch), strict=True):
        np.testing.assert_array_equal(before, again)


@pytest.mark.parametrize(("effort", "tolerance"), [(1, 0.0), (12, 0.0), (10**9, 0.1), (10**9, 0.0)])
def test_variances_are_below_by_no_more_than_is_told(effort, tolerance):
    real = np.linalg.inv(table()).diagonal()
    found, off = push_variances(*matrix(), np.arange(N), effort, 1e-9, tolerance, Scratch.of(N)).T
    assert (real - found >= -1e-12).all()
    assert (real - found <= off + 1e-12).all()
    if effort == 10**9:
        assert (off <= max(tolerance, 1e-7) * real).all()


def test_more_than_there_was_room_for_at_first():
    n = 3000  # two rows of a star touch more than 4096 vertices
    edges = np.stack([np.zeros(n - 1, dtype=np.int64), np.arange(1, n)], axis=1)
    start, near, number = adjacency(n, edges)
    total = np.full(n, 2.0)
    total[0] = n
    given = start, near.astype(np.int32), np.ones(len(number)), total, np.ones(n)
    begin, ids, _, _, further = push_rows(
        *given, np.array([0, 5]), np.full(2, -1), np.zeros(2), 10**9, 1e-9, Scratch.of(n)
    )
    assert begin.tolist() == [0, n, 2 * n]
    assert sorted(ids[n:].tolist()) == list(range(n))
    # K_00·(n − (n − 1)/2) = 1, and K_k0 = K_00/2 of every leaf k.
    row = np.zeros(n)
    row[ids[:n]] = further[:n]
    np.testing.assert_allclose(row, np.where(np.arange(n) == 0, 1, 0.5) * 2 / (n + 1), rtol=1e-4)
