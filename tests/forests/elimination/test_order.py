"""Orders of elimination: by hand, closed under filling in, and refused where they are too much."""

import numpy as np
import pytest

import oracles
from acvae.forests.elimination import order as module
from acvae.forests.elimination.order import TooLargeError, eliminate

CLIQUE = np.array([(i, j) for j in range(30) for i in range(j)])


def test_a_star_by_hand():
    order = eliminate(4, np.array([(0, 3), (1, 3), (2, 3)]))
    assert order.vertex.tolist() == [0, 1, 2, 3]  # of least degree first, and of equals the smallest
    assert order.start.tolist() == [0, 1, 2, 3, 3]
    assert order.below.tolist() == [3, 3, 3]


def test_eliminating_joins_the_neighbours():
    order = eliminate(4, np.array([(0, 1), (0, 2), (1, 3), (2, 3)]))  # a ring
    columns = [order.below[a:b].tolist() for a, b in zip(order.start[:-1], order.start[1:], strict=True)]
    assert order.vertex[:2].tolist() == [0, 1]
    assert columns == [[1, 2], [2, 3], [3], []]  # 1 and 2 are joined once 0 has gone


def test_positions_are_places_in_the_order():
    edges = oracles.random_graph_edges(np.random.default_rng(0), 50, 120)
    order = eliminate(50, edges)
    np.testing.assert_array_equal(order.vertex[order.position], np.arange(50))
    assert order.n_eliminated + order.core_size == 50


def test_what_is_left_dense_is_the_core(monkeypatch):
    monkeypatch.setattr(module, "ALWAYS_ELIMINATE", 2)
    tail = np.array([(29, 30), (30, 31)])
    order = eliminate(32, np.concatenate([CLIQUE, tail]))
    assert order.vertex[:2].tolist() == [31, 30]
    assert order.core_size == 30
    assert order.vertex[2:].tolist() == list(range(30))


def test_what_is_cheap_goes_by_what_is_left(monkeypatch):
    monkeypatch.setattr(module, "ALWAYS_ELIMINATE", 0)
    monkeypatch.setattr(module, "DENSE_SHARE", 0.3)
    five = np.array([(i, j) for j in range(5) for i in range(j)])
    # Degree 4 is below 0.3·20, but once fifteen lone vertices are gone it is above 0.3·5.
    assert eliminate(20, five).core_size == 5


def test_a_core_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(module, "ALWAYS_ELIMINATE", 2)
    monkeypatch.setattr(module, "available_memory", lambda: 8 * 30**2)
    with pytest.raises(TooLargeError) as caught:
        eliminate(30, CLIQUE)
    assert caught.value.core_size == 30
    assert caught.value.need > caught.value.free == 8 * 30**2
    monkeypatch.setattr(module, "available_memory", lambda: 10 * 8 * 30**2 + 64 * 2 * len(CLIQUE))
    assert eliminate(30, CLIQUE, matrices=10).core_size == 30  # no more than there is
    with pytest.raises(TooLargeError):
        eliminate(30, CLIQUE, matrices=11)


def test_no_edges_and_no_vertices():
    alone = eliminate(3, np.empty((0, 2), dtype=np.int64))
    assert alone.vertex.tolist() == [0, 1, 2]
    assert len(alone.below) == 0
    assert eliminate(0, np.empty((0, 2), dtype=np.int64)).core_size == 0


def test_a_path_has_no_core():
    n = 1000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    order = eliminate(n, edges)
    assert order.core_size == 0
    assert len(order.below) == n - 1  # no fill


def test_columns_are_sorted_and_closed():
    """All that a column is joined to is joined to one another: what the inverse along it relies on."""
    edges = oracles.random_graph_edges(np.random.default_rng(5), 120, 240)
    order = eliminate(120, edges)
    columns = [order.below[order.start[c] : order.start[c + 1]].tolist() for c in range(order.n_eliminated)]
    for c, column in enumerate(columns):
        assert column == sorted(set(column))
        assert not column or column[0] > c
        for t, low in enumerate(column):
            if low < order.n_eliminated:
                assert set(column[t + 1 :]) <= set(columns[low])


def test_joining_too_many_is_too_large():
    edges = np.array(
        [(k, k + 1) for k in range(19)]
    )  # one end after the other goes: 1 joined each, then none
    assert eliminate(20, edges, most_joined=19).core_size == 0
    with pytest.raises(TooLargeError):
        eliminate(20, edges, most_joined=18)
