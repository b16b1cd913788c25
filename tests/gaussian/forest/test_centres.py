import numpy as np
import pytest

import oracles
from acvae.forests.centroid import centroid_decomposition
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest.centres import choose_centres


def component(n, edges, vertex, without):
    """The vertices that a search from `vertex` reaches when one is taken away."""
    found, todo = {vertex}, [vertex]
    while todo:
        u = todo.pop()
        for a, b in edges.tolist():
            for x, y in ((a, b), (b, a)):
                if x == u and y not in found and y != without:
                    found.add(y)
                    todo.append(y)
    return found


@pytest.mark.parametrize("leaf_size", [1, 5])
@pytest.mark.parametrize("most", [1, 3, 16])
@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_the_pendant_is_all_that_the_centre_does_not_separate(shape, most, leaf_size):
    n = 40
    edges = oracles.forest_edges(shape, n, np.random.default_rng(2))
    pieces = centroid_decomposition(root_forest(n, edges), edges, leaf_size=leaf_size)
    if pieces.is_leaf.all():
        return
    found = choose_centres(pieces, edges, most)
    assert len(found.piece) <= most
    centroids = pieces.vertex[pieces.start[found.piece]]
    for p in range(n):
        vertex, centre, pendant = pieces.vertex[p], centroids[found.own[p]], found.pendant[p]
        if vertex == centre:
            assert pendant == -1
            continue
        inside = set(pieces.vertex[pieces.start[pendant] : pieces.stop[pendant]].tolist())
        assert inside == component(n, edges, vertex, centre)
