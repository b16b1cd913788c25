"""Rankings by heads that are one number each, over a table of statistics."""

import numpy as np
import pytest

from acvae import Graph
from acvae.exceptions import AcvaeError
from acvae.links import ranking as module
from acvae.links.ranking import BLOCK, LinkRanking, evaluate

N = 9


class Table:
    """(n, n, 3) numbers of pairs, the last two (i, k) themselves."""

    directed = 1
    names = ("score", "of i", "of j")

    def __init__(self, n=N, seed=0):
        score = np.random.default_rng(seed).standard_normal((n, n))
        i, j = np.indices((n, n))
        self.n_vertices, self.table = n, np.stack([score + score.T, i, j], axis=-1).astype(np.float32)

    def rows(self, at):
        return self.table[at]

    def pairs(self, i, j):
        return self.table[i, j]


def first_number(x):
    return x[..., 0]


def all_numbers(x):
    return x[..., 0] + 10 * x[..., 1] + 100 * x[..., 2]


@pytest.fixture
def made():
    table = Table()
    return LinkRanking(table, first_number, all_numbers), table.table


def test_scores_and_distances_are_of_the_order_head(made):
    ranking, table = made
    rows = np.array([4, 0, 7])
    at, scores = zip(*ranking.score_blocks(rows, 2), strict=True)
    assert [part.tolist() for part in at] == [[4, 0], [7]]
    np.testing.assert_array_equal(np.concatenate(scores), table[rows, :, 0])
    ((at, columns, distances),) = ranking.distance_blocks()
    assert at.tolist() == columns.tolist() == list(range(N))
    np.testing.assert_array_equal(distances, -table[:, :, 0])


def test_rows_that_are_not_there(made):
    with pytest.raises(AcvaeError):
        next(made[0].distance_blocks([N]))


def test_log_odds_are_the_same_both_ways(made):
    ranking, table = made
    i, j = np.array([1, 8]), np.array([5, 2])
    # Of the ends, sum and distance: 10·(i + j) + 100·|i − j|.
    expected = table[i, j, 0] + 10 * (i + j) + 100 * np.abs(i - j)
    np.testing.assert_allclose(ranking.log_odds(i, j), expected, rtol=1e-6)
    np.testing.assert_array_equal(ranking.log_odds(i, j), ranking.log_odds(j, i))
    ((_, scores, odds),) = ranking.log_odds_blocks(i)
    np.testing.assert_array_equal(scores, table[i, :, 0])
    np.testing.assert_allclose(odds[[0, 1], j], expected, rtol=1e-6)


def test_best_are_the_likeliest_that_are_not_known(made):
    ranking, _ = made
    known = Graph(N, [(0, k) for k in range(1, N - 2)])  # 7 and 8 are left
    rows = np.array([3, 0])
    ((at, ids, odds),) = ranking.best_blocks(rows, 3, known)
    assert at.tolist() == [3, 0]
    for b, i in enumerate(rows):
        free = [k for k in range(N) if k != i and k not in known.neighbors(i)]
        value = ranking.log_odds(np.full(len(free), i), np.array(free))
        best = np.argsort(-value)[:3]
        assert ids[b].tolist() == [*np.array(free)[best].tolist(), -1][:3]
        np.testing.assert_allclose(odds[b], [*value[best], -np.inf][:3], rtol=1e-6)


def test_more_than_there_are(made):
    ((_, ids, odds),) = made[0].best_blocks(np.array([2]), N + 2, Graph(N, []))
    assert sorted(ids[0, : N - 1].tolist()) == [k for k in range(N) if k != 2]
    assert (ids[0, N - 1 :] == -1).all()
    assert (odds[0, N - 1 :] == -np.inf).all()


def test_parts_of_rows_are_whole_blocks():
    n = 2 * BLOCK + 5
    ranking = LinkRanking(Table(n), first_number, first_number)
    parts = [ranking.part_of_rows(np.arange(n), part, 2).tolist() for part in range(2)]
    assert parts == [[*range(BLOCK), *range(2 * BLOCK, n)], list(range(BLOCK, 2 * BLOCK))]


def test_blocks_are_smaller_where_there_are_many_vertices(made, monkeypatch):
    ranking, table = made
    assert ranking.block_rows == BLOCK
    monkeypatch.setattr(module, "BLOCK_BYTES", 2 * table[0].nbytes)
    rows = np.arange(N)
    assert ranking.block_rows == 2
    for blocks in (ranking.score_blocks, ranking.log_odds_blocks, ranking.distance_blocks):
        assert [at.tolist() for at, *_ in blocks(rows)] == [[0, 1], [2, 3], [4, 5], [6, 7], [8]]
    assert [len(at) for at, _, _ in ranking.best_blocks(rows, 3, Graph(N, []))] == [2, 2, 2, 2, 1]
    np.testing.assert_array_equal(np.concatenate([s for _, s in ranking.score_blocks(rows)]), table[..., 0])
    assert ranking.part_of_rows(rows, 1, 2).tolist() == [2, 3, 6, 7]
    monkeypatch.setattr(module, "BLOCK_BYTES", 1)
    assert ranking.block_rows == 1


def test_a_head_is_given_a_few_pairs_at_a_time(monkeypatch):
    monkeypatch.setattr(module, "AT_A_TIME", 4)
    seen = []

    def head(x):
        seen.append(len(x))
        return x[:, 0]

    x = np.arange(2 * 5 * 3, dtype=np.float32).reshape(2, 5, 3)
    np.testing.assert_array_equal(evaluate(head, x), x[..., 0])
    assert sum(seen) == 10
    assert max(seen) <= 4
