"""Common neighbours by merging sorted lists, against sets."""

import numpy as np

import acvae
from acvae.reproduce.compare.networks.common import common_in_row, common_of_pairs
from reproduce.compare.samples import random_graph


def test_common_neighbours_against_sets() -> None:
    graph = random_graph(20, 60, 0)
    own = [set(graph.neighbors(v).tolist()) for v in range(20)]
    pairs = np.array([(i, j) for i in range(20) for j in range(20) if i != j])
    number, vertex = common_of_pairs(*graph.csr, pairs)
    for k, (i, j) in enumerate(pairs):
        assert set(vertex[number == k].tolist()) == own[i] & own[j]
    table = np.random.default_rng(1).random((20, 3))
    for i in range(20):
        ids, sums = common_in_row(*graph.csr, table, i)
        assert set(ids.tolist()) == {j for j in range(20) if j != i and own[i] & own[j]}
        for j, total in zip(ids, sums, strict=True):
            np.testing.assert_allclose(total, table[sorted(own[i] & own[j])].sum(0))


def test_by_hand() -> None:
    graph = acvae.Graph(5, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]])  # 4 is alone
    number, vertex = common_of_pairs(*graph.csr, np.array([[0, 3], [0, 4], [1, 2]]))
    assert number.tolist() == [0, 0, 2, 2]
    assert vertex.tolist() == [1, 2, 0, 3]
    ids, sums = common_in_row(*graph.csr, np.array([[1.0], [10], [100], [1000], [0]]), 0)
    assert dict(zip(ids.tolist(), sums[:, 0].tolist(), strict=True)) == {1: 100, 2: 10, 3: 110}
    assert len(common_in_row(*graph.csr, np.ones((5, 2)), 4)[0]) == 0
