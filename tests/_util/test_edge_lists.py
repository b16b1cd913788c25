import numpy as np
import pytest

from acvae._util.edge_lists import canonical
from acvae.exceptions import GraphError


@pytest.mark.parametrize("seed", range(5))
def test_canonical_against_a_set(seed):
    n = 9
    pairs = np.random.default_rng(seed).integers(0, n, (40, 2))
    edges, weights, loops, repeated = canonical(n, pairs)
    expected = sorted({(min(u, v), max(u, v)) for u, v in pairs.tolist() if u != v})
    assert edges.tolist() == [list(pair) for pair in expected]
    assert weights is None
    assert loops == sum(u == v for u, v in pairs.tolist())
    assert repeated == len(pairs) - loops - len(expected)


def test_what_is_canonical_is_copied():
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    edges, *_ = canonical(3, pairs)
    assert np.array_equal(edges, pairs)
    assert not np.shares_memory(edges, pairs)


@pytest.mark.parametrize(
    ("combine", "expected"), [("sum", [5.0, 7.0]), ("mean", [2.5, 7.0]), ("max", [4.0, 7.0])]
)
def test_weights_of_repeated_edges(combine, expected):
    pairs, weights = np.array([(1, 0), (2, 1), (0, 1)]), np.array([1.0, 7.0, 4.0])
    edges, found, _, repeated = canonical(3, pairs, weights, combine)
    assert edges.tolist() == [[0, 1], [1, 2]]
    assert found.tolist() == expected
    assert repeated == 1
    with pytest.raises(GraphError):
        canonical(3, pairs, weights, "equal")
