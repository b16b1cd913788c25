import numpy as np
import pytest

import oracles
from acvae.forests.centroid import centroid_decomposition
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest.pieces import inner_pieces


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_children_lie_inside_and_the_deepest_is_the_smallest_around(shape):
    n = 50
    edges = oracles.forest_edges(shape, n, np.random.default_rng(6))
    pieces = centroid_decomposition(root_forest(n, edges), edges, leaf_size=3)
    inner, arrays = inner_pieces(pieces)
    assert [piece.number for piece in inner] == list(range(len(inner)))
    for piece in inner:
        starts = [child.start for child in piece.children]
        assert starts == sorted(starts)
        for child in piece.children:
            assert piece.start < child.start < child.stop <= piece.stop
            assert arrays.above[child.number] == piece.number
    for p in range(n):
        around = [piece for piece in inner if piece.start <= p < piece.stop]
        smallest = min(around, key=lambda piece: piece.stop - piece.start, default=None)
        assert arrays.deepest[p] == (-1 if smallest is None else smallest.number)
