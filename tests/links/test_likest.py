"""The likest of each vertex, against sorting."""

import numpy as np

from acvae import Graph
from acvae.links.likest import likest_by_order

N = 9
SCORES = np.random.default_rng(0).standard_normal((N, N)).astype(np.float32)
SCORES[:, 6] = -np.inf  # no candidate of anybody


class Table:
    """A ranking of scores (N, N), four rows at a time."""

    n_vertices = N

    def score_blocks(self, rows):
        for first in range(0, len(rows), 4):
            at = rows[first : first + 4]
            yield at, SCORES[at]


def test_the_likest_are_those_of_the_largest_scores_that_are_no_neighbours():
    graph = Graph(N, [(0, 4), (4, 7), (2, 3)])
    at = np.array([0, 4])
    found = likest_by_order(Table(), at, graph, 3).toarray()
    for i in range(N):
        score = np.where(np.isin(np.arange(N), [i, *graph.neighbors(i)]), -np.inf, SCORES[i])
        best = np.argsort(-score)[:3]
        assert found[i].nonzero()[0].tolist() == (sorted(best) if i in at else [])
        if i in at:
            assert found[i, best].tolist() == [3, 2, 1]


def test_a_vertex_with_few_others_has_fewer_likest():
    graph = Graph(N, [(0, k) for k in range(1, N - 1)])  # 0 could be linked with the last alone
    found = likest_by_order(Table(), np.array([0]), graph, 3)
    assert found.indices.tolist() == [N - 1]
