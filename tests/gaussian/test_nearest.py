import numpy as np
import pytest

from acvae import Graph
from acvae.gaussian.nearest import nearest_of_blocks


@pytest.mark.parametrize("k", [1, 3, 12, 20])
def test_against_sorting(k):
    n, rng = 12, np.random.default_rng(3)
    distance = rng.integers(0, 4, (n, n)).astype(float)  # with many ties
    columns, known = rng.permutation(n), Graph(n, rng.integers(0, n, (15, 2)))
    rows = np.array([0, 4, 5, 11])
    blocks = [(np.array([11, 4]), columns, distance[[11, 4]][:, columns])]
    blocks.append((np.array([0, 5]), columns, distance[[0, 5]][:, columns]))
    ids, values = nearest_of_blocks(blocks, rows, k, known, np.dtype(float))
    for row, found, value in zip(rows.tolist(), ids, values, strict=True):
        hidden = {row, *known.neighbors(row).tolist()}
        best = sorted((distance[row, j], j) for j in range(n) if j not in hidden)[:k]
        missing = k - len(best)
        assert found.tolist() == [j for _, j in best] + [-1] * missing
        assert value.tolist() == [x for x, _ in best] + [np.inf] * missing
