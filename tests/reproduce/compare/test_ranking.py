"""Scores as rankings: blocks of rows, and ties in a random order of their own."""

import numpy as np
import pytest

import acvae
from acvae.exceptions import InputError, OptionError
from acvae.reproduce.compare import ranking as module
from acvae.reproduce.compare.ranking import TIE, Scores, block_size

TABLE = np.array([[0, 2, 2, -1], [1, 0, 0, 0], [5, 5, 5, 5], [0, 1, 2, 3.0]])


def scores(**options):
    return Scores(4, lambda rows: TABLE[rows], **options)


def test_rows_are_as_the_rule_gives_them():
    assert scores().rows([2, 0]).tolist() == TABLE[[2, 0]].tolist()
    assert scores().rows(3).tolist() == TABLE[[3]].tolist()


@pytest.mark.parametrize("size", [1, 3, 4, 99])
def test_without_random_ties_distances_are_minus_the_scores(size):
    seen = []
    for rows, columns, block in scores(random_ties=False).distance_blocks(None, size):
        assert len(rows) <= size
        assert columns.tolist() == [0, 1, 2, 3]
        np.testing.assert_array_equal(block, -TABLE[rows])
        seen += rows.tolist()
    assert seen == [0, 1, 2, 3]


def test_ties_are_parted_by_next_to_nothing():
    ((_, _, block),) = scores().distance_blocks()
    np.testing.assert_allclose(block, -TABLE, atol=5 * TIE)
    assert all(len(np.unique(row)) == 4 for row in block)
    assert (np.argsort(block[3]) == [3, 2, 1, 0]).all()


def test_an_order_is_of_the_row_and_the_seed():
    ((_, _, whole),) = scores(seed=1).distance_blocks()
    for rows, _, block in scores(seed=1).distance_blocks([3, 1, 2], 2):
        np.testing.assert_array_equal(block, whole[rows])
    ((_, _, other),) = scores(seed=2).distance_blocks()
    assert (other != whole).any()


def test_a_row_of_zeros_has_an_order_too():
    ((_, _, block),) = Scores(4, lambda rows: np.zeros((len(rows), 4))).distance_blocks([0])
    assert len(np.unique(block)) == 4


def test_the_rule_is_left_as_it_is():
    table = TABLE.copy()
    list(Scores(4, lambda rows: table[rows]).distance_blocks())
    np.testing.assert_array_equal(table, TABLE)


def test_blocks_have_a_bounded_number_of_entries(monkeypatch):
    assert block_size(10**9) == 1
    assert block_size(0) == module.BLOCK_ENTRIES
    monkeypatch.setattr(module, "BLOCK_ENTRIES", 9)
    assert [len(rows) for rows, _, _ in scores().distance_blocks()] == [2, 2]


@pytest.mark.parametrize("rows", [[4], [-1], [0.5], [[0, 1]], ["a"]])
def test_rows_that_are_not_there(rows):
    with pytest.raises(InputError, match="rows must"):
        scores().rows(rows)
    with pytest.raises(OptionError, match="block_rows"):
        next(scores().distance_blocks([0], 0))


def test_metrics_take_them():
    train, test = acvae.Graph(4, [[0, 1]]), acvae.Graph(4, [[0, 2]])
    # From 0, vertex 2 is first among 2 and 3; from 2 all are tied, and one order of three comes out.
    found = acvae.metrics.mrr(scores(), train, test).test
    assert found in [pytest.approx((1 + 1 / rank) / 2) for rank in (1, 2, 3)]
