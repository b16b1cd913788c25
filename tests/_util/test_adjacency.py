from itertools import pairwise

import numpy as np
import pytest

from acvae._util.adjacency import adjacency, neighbour_lists


def test_adjacency():
    edges = np.array([[2, 0], [3, 2], [1, 2]])
    indptr, neighbour, number = adjacency(5, edges)
    assert indptr.tolist() == [0, 1, 2, 5, 6, 6]
    for v in range(5):
        here = slice(indptr[v], indptr[v + 1])
        for w, e in zip(neighbour[here], number[here], strict=True):
            assert sorted(edges[e].tolist()) == sorted([v, int(w)])


@pytest.mark.parametrize("narrow", [False, True])
def test_neighbour_lists_of_canonical_edges_are_sorted(narrow):
    indptr, neighbours = neighbour_lists(4, np.array([[0, 1], [0, 3], [1, 3]]), narrow=narrow)
    assert indptr.tolist() == [0, 2, 4, 4, 6]
    assert [neighbours[a:b].tolist() for a, b in pairwise(indptr)] == [[1, 3], [0, 3], [], [0, 1]]
    assert indptr.dtype == neighbours.dtype == (np.int32 if narrow else np.int64)


def test_no_edges():
    indptr, neighbours, number = adjacency(3, np.empty((0, 2), dtype=np.int64))
    assert indptr.tolist() == [0, 0, 0, 0]
    assert len(neighbours) == len(number) == 0
