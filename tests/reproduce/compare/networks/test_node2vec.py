"""node2vec's walks."""

import numpy as np

import acvae
from acvae.reproduce.compare.networks import node2vec


def test_walks_go_along_edges_and_their_bias_is_as_stated() -> None:
    graph = acvae.Graph(4, [[0, 1], [0, 2], [1, 2], [2, 3]])
    walks = node2vec.random_walks(
        *graph.csr, np.repeat([0, 1, 3], 2000), 12, 0.5, 4.0, np.random.default_rng(0)
    )
    steps = np.stack([walks[:, :-1].ravel(), walks[:, 1:].ravel()], axis=1)
    assert graph.has_edges(steps).all()
    came, at, to = walks[:, :-2].ravel(), walks[:, 1:-1].ravel(), walks[:, 2:].ravel()
    chosen = to[(came == 0) & (at == 2)]  # back to 0 by 1/p = 2, to 1, a neighbour of 0, by 1, to 3 by 1/q
    share = np.bincount(chosen, minlength=4) / len(chosen)
    np.testing.assert_allclose(share, np.array([2, 1, 0, 0.25]) / 3.25, atol=0.03)
