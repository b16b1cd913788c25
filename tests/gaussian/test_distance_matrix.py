import copy
import pickle

import numpy as np
import pytest

import oracles
from acvae import Posterior


def posterior(n=60, d=3):
    rng = np.random.default_rng(4)
    edges = oracles.forest_edges("random", n, rng)
    rho = rng.uniform(-0.9, 0.9, (len(edges), d))
    return Posterior(rng.normal(size=(n, d)), rng.uniform(0.5, 2, (n, d)), edges, rho, dtype="float64")


@pytest.mark.parametrize("ids", [[], [3], [5, 5, 1], list(range(60)), [59, 0, 7]])
def test_rows_come_in_the_order_asked_for(ids):
    q = posterior()
    i, j = np.meshgrid(np.array(ids, dtype=int), np.arange(60), indexing="ij")
    expected = q.pair_distance(i, j) if ids else np.empty((0, 60))
    np.testing.assert_allclose(q.distances(np.array(ids, dtype=int)), expected, atol=1e-9)


def test_the_same_by_a_few_walks_and_by_tables():
    q, tables = posterior(), posterior()
    for _ in tables.distance_blocks():  # from now on tables answer
        pass
    np.testing.assert_allclose(q.distances([2, 9]), tables.distances([2, 9]), atol=1e-9)


def test_a_result_that_is_held_stays_what_it_was():
    n = 700  # so that a result is large enough for its memory to be used again
    q = posterior(n)
    first = q.distances(np.arange(n))
    before = first.copy()
    q.distances(np.arange(n)[::-1])
    np.testing.assert_array_equal(first, before)
    row = q.distances(np.arange(n))[3]
    again = row.copy()
    q.distances(np.arange(n)[::-1])
    np.testing.assert_array_equal(row, again)


def test_shares_are_a_partition_in_whole_blocks():
    q = posterior()
    shares = [q.part_of_rows(np.arange(60), part, 3) for part in range(3)]
    assert sorted(np.concatenate(shares).tolist()) == list(range(60))


def test_copies_answer_the_same():
    q = posterior()
    expected = q.distances([1, 2])
    for other in (copy.deepcopy(q), pickle.loads(pickle.dumps(q))):
        np.testing.assert_array_equal(other.distances([1, 2]), expected)
