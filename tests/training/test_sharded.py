"""Work that processes share gives what one alone finds."""

import numpy as np
import pytest

import oracles
from acvae import Graph, Posterior, metrics
from acvae.engine.distributed import ALONE
from acvae.training.sharded import in_turns, link_scores
from worlds import together


@pytest.mark.parametrize("count", [0, 1, 4, 7])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_turns_come_in_order_and_each_is_done_once(size, count):
    done = []

    def work(world):
        def own(k):
            done.append(k)
            return k * k

        return list(in_turns(world, count, own))

    found = (
        [list(in_turns(ALONE, count, lambda k: done.append(k) or k * k))]
        if size == 1
        else together(size, work)
    )
    assert found == [[k * k for k in range(count)]] * size
    assert sorted(done) == list(range(count))


@pytest.mark.parametrize("size", [2, 3])
def test_scores_are_those_of_one(size):
    rng = np.random.default_rng(0)
    edges = rng.permutation(oracles.random_graph_edges(rng, 20, 60))
    train, test = Graph(20, edges[:40]), Graph(20, edges[40:])
    q = Posterior(rng.standard_normal((20, 2)), np.ones((20, 2)))
    expected = metrics.evaluate(q, train, test, k=3)
    assert link_scores(ALONE, q, train, test, k=3) == expected
    assert together(size, lambda world: link_scores(world, q, train, test, k=3)) == [expected] * size
