"""Shared neighbours and company by hand, and likeness against all cosines."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.links.statistics import neighbourhood
from acvae.links.statistics.neighbourhood import NO_COMPANY, NO_SHARED, Company, SharedNeighbours, likest

N = 5
EDGES = np.array([(0, 1), (0, 2), (1, 2), (1, 3)])  # 4 is alone


def linked(edges=EDGES):
    table = np.zeros((N, N))
    table[tuple(edges.T)] = 1
    return table + table.T


def shared(edges=EDGES):
    # A neighbour of both ends keeps its degree when the edge between these goes.
    return SharedNeighbours(sp.csr_array(linked(edges)), linked().sum(axis=0).astype(np.int64))


def alike():
    return sp.csr_array(
        np.array([[0, 0.5, 0, 0.25, 0], [0.5, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0] * 5, [0, 0, 0.1, 0, 0]])
    )


def test_shared_neighbours_by_hand():
    found = shared().rows(np.array([0, 4]))
    by_1, by_2 = 1 / np.log(3), 1 / np.log(2)  # degrees 3 and 2
    np.testing.assert_allclose(
        found[0], np.log(NO_SHARED + np.array([by_1 + by_2, by_2, by_1, by_1, 0])), rtol=1e-12
    )
    np.testing.assert_allclose(found[1], np.log(NO_SHARED))


def test_a_neighbour_of_degree_one_divides_by_no_zero():
    assert np.isfinite(shared().rows(np.arange(N))).all()


def test_company_by_hand():
    company = Company(sp.csr_array(linked()), alike())
    theirs, mine = company.rows(np.array([0]))[0].T
    # Whom 0 looks like is 1 (0.5) and 3 (0.25): company of k has those of them that k is linked with.
    np.testing.assert_allclose(theirs, np.log(NO_COMPANY + np.array([0.5, 0.25, 0.5, 0.5, 0])))
    # Linked with 0 are 1 and 2: 0 looks like 1, so does 2, and 4 looks like 2.
    np.testing.assert_allclose(mine, np.log(NO_COMPANY + np.array([0.5, 0, 1, 0, 0.1])))


@pytest.mark.parametrize("edge", range(len(EDGES)))
@pytest.mark.parametrize("turned", [False, True])
def test_without_an_edge_is_the_graph_that_never_had_it(edge, turned):
    query = EDGES[[edge], ::-1] if turned else EDGES[[edge]]
    i, kept = query[0, 0], np.delete(EDGES, edge, axis=0)
    at, others = np.unique(query), np.delete(np.arange(N), i)[None]
    places = np.searchsorted(at, query)
    np.testing.assert_allclose(
        shared().without(at, places, query, others)[0],
        shared(kept).rows(np.array([i]))[0, others[0]],
        atol=1e-12,
    )
    before, after = (Company(sp.csr_array(linked(edges)), alike()) for edges in (EDGES, kept))
    # F_ii is zero, so whether k is linked with i itself is not seen.
    np.testing.assert_allclose(
        before.without(at, places, query, others)[0],
        after.rows(np.array([i]))[0, others[0]],
        atol=1e-10,
    )


def test_lookups_are_entries_of_the_rows():
    at, place, others = np.array([1, 3]), np.array([0, 1, 1]), np.array([2, 0, 4])
    numbers = shared()
    np.testing.assert_array_equal(
        numbers.of(numbers.sums(at), place, others), numbers.rows(at)[place, others]
    )
    company = Company(sp.csr_array(linked()), alike())
    np.testing.assert_array_equal(
        company.of(company.sums(at), place, others), company.rows(at)[place, others]
    )


def test_likest_keeps_the_largest_cosines():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40, 6))
    x[7] = 0
    unit = (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)).astype(np.float32)
    found = likest(unit, 5).toarray()
    cosine = np.maximum(unit @ unit.T, 0) ** 4
    np.fill_diagonal(cosine, 0)
    for i in range(40):
        best = np.sort(cosine[i])[-5:]
        np.testing.assert_allclose(np.sort(found[i])[-5:], best, rtol=1e-5)
        assert (found[i] > 0).sum() <= 5
    assert found[7].sum() == 0
    assert likest(unit[:1]).shape == (1, 1)


def test_likeness_in_blocks_is_that_of_all_at_once(monkeypatch):
    x = np.random.default_rng(1).standard_normal((20, 4))
    unit = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)
    whole = likest(unit, 5).toarray()
    monkeypatch.setattr(neighbourhood, "BLOCK", 7)
    np.testing.assert_allclose(likest(unit, 5).toarray(), whole, rtol=1e-5)
    assert not whole.diagonal().any()


def test_long_tables_are_compared_within_cells(monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((12, 16))[rng.integers(0, 12, 300)] + 0.3 * rng.standard_normal((300, 16))
    unit = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)
    whole = neighbourhood.likest(unit, 10)
    monkeypatch.setattr(neighbourhood, "MOST_COMPARED", 100)
    some = neighbourhood.likest(unit, 10)
    assert (np.diff(some.indptr) <= 10).all()
    assert some.max() <= whole.max() + 1e-6
    assert some.sum() > 0.5 * whole.sum()
