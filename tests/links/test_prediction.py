"""Best links of vertices, from a ranking that says what it is told."""

import numpy as np
import pytest

from acvae import Graph
from acvae.exceptions import OptionError
from acvae.links.prediction import best_links, link_blocks, probability_of

LOG_ODDS = np.array([[9, 0, np.log(3)], [0, 9, -np.log(3)], [np.log(3), -np.log(3), 9]])


class Table:
    """Blocks of two rows, from a table (n, n) of log-odds."""

    n_vertices = 3

    def best_blocks(self, rows, k, known):
        for first in range(0, len(rows), 2):
            at = rows[first : first + 2]
            ids, odds = np.full((len(at), k), -1), np.full((len(at), k), -np.inf)
            for b, i in enumerate(at):
                free = [j for j in range(3) if j != i and j not in known.neighbors(i)]
                free = sorted(free, key=lambda j: -LOG_ODDS[i, j])[:k]
                ids[b, : len(free)], odds[b, : len(free)] = free, LOG_ODDS[i, free]
            yield at, ids, odds


def test_probabilities_by_hand():
    assert probability_of(np.array([0, np.log(3), -np.log(3)])) == pytest.approx([1 / 2, 3 / 4, 1 / 4])


def test_probabilities_of_odds_that_overflow():
    far = np.array([-np.inf, -1e4, 1e4, np.inf], dtype=np.float32)
    found = probability_of(far)
    assert found.dtype == np.float64
    assert found.tolist() == [0, 0, 1, 1]


def test_best_links_come_in_the_order_of_the_rows():
    ids, probability = best_links(Table(), np.array([2, 0, 1]), 2, None)
    assert ids.tolist() == [[0, 1], [2, 1], [0, 2]]
    np.testing.assert_allclose(probability, [[3 / 4, 1 / 4], [3 / 4, 1 / 2], [1 / 2, 1 / 4]])


def test_known_links_are_left_out_and_what_is_missing_is_told():
    ids, probability = best_links(Table(), np.array([0, 1]), 2, Graph(3, [(0, 1), (0, 2)]))
    assert ids.tolist() == [[-1, -1], [2, -1]]
    np.testing.assert_allclose(probability, [[0, 0], [1 / 4, 0]])


def test_blocks_are_those_of_the_ranking():
    blocks = list(link_blocks(Table(), np.array([1, 2, 0]), 1, None))
    assert [at.tolist() for at, _, _ in blocks] == [[1, 2], [0]]
    assert [ids.tolist() for _, ids, _ in blocks] == [[[0], [0]], [[2]]]


def test_no_rows():
    ids, probability = best_links(Table(), np.array([], dtype=np.int64), 2, None)
    assert ids.shape == probability.shape == (0, 2)


@pytest.mark.parametrize("ask", [best_links, link_blocks])
def test_more_links_than_memory_holds_are_refused_when_they_are_asked_for(ask):
    with pytest.raises(OptionError, match=r"10,000,000,000,000 links of 2 vertices .* ask for fewer"):
        ask(Table(), np.array([0, 1]), 10**13, None)
