"""Complete linkage with too little memory, on matrices of distances of all kinds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

import oracles
from acvae.clustering import candidates, cluster_distances, complete, on_demand
from acvae.clustering.complete import complete_linkage
from acvae.exceptions import PosteriorError
from clustering.samples import Given, distinct, hubs, points, scipys


@pytest.fixture
def starved(monkeypatch):
    """Lists of one or a few clusters, and groups of a few rows."""
    monkeypatch.setattr(complete, "LEAST_NEAREST", 1)
    monkeypatch.setattr(cluster_distances, "GROUP_BYTES", 1 << 12)
    monkeypatch.setattr(cluster_distances, "GROUP_VERTICES", 20)
    monkeypatch.setattr(candidates, "SAMPLE", 8)
    monkeypatch.setattr(candidates, "NODES_AT_A_TIME", 16)
    monkeypatch.setattr(on_demand, "VERTICES_AT_ONCE", 5)


def members_of(tree):
    """The vertices of every node of a tree."""
    nodes = [[vertex] for vertex in range(len(tree) + 1)]
    for left, right in tree[:, :2].astype(int):
        nodes.append(nodes[left] + nodes[right])
    return nodes


def check_possible(tree, matrix):
    """A tree that merging greedily can lead to, ties broken somehow."""
    n = len(matrix)
    assert hierarchy.is_valid_linkage(tree)
    assert hierarchy.is_monotonic(tree)
    nodes = members_of(tree)
    present = dict(enumerate(nodes[:n]))
    for t, (left, right, height, size) in enumerate(tree):
        a, b = present.pop(int(left)), present.pop(int(right))
        assert matrix[np.ix_(a, b)].max() == height
        assert size == len(a) + len(b)
        for near in (a, b):  # no other was nearer to either
            for other in present.values():
                assert matrix[np.ix_(near, other)].max() >= height
        present[n + t] = nodes[n + t]


@pytest.mark.parametrize("few", [0.0, 0.25, 1.1])  # never rows on demand, as it is, after every list
@pytest.mark.parametrize("make", [distinct, hubs, points])
@pytest.mark.parametrize("memory", [1, 2_000, 8_000, 40_000])
def test_scipys_tree_whatever_the_memory(memory, make, few, starved, monkeypatch):
    monkeypatch.setattr(complete, "FEW_MERGES", few)
    q = Given(make(120))
    np.testing.assert_array_equal(complete_linkage(q, memory), scipys(q))
    assert q.streamed > 120  # more than once: it did not fit


@given(
    n=st.integers(2, 120),
    seed=st.integers(0, 10**6),
    make=st.sampled_from([distinct, hubs, points]),
    length=st.integers(1, 12),
    few=st.sampled_from([0.0, 0.25, 1.1]),
)
@settings(max_examples=200, deadline=None)
def test_scipys_tree_of_any_size(n, seed, make, length, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(complete, "LEAST_NEAREST", length)
        patch.setattr(complete, "FEW_MERGES", few)
        q = Given(make(n, seed), seed=seed)
        np.testing.assert_array_equal(complete_linkage(q, 1), scipys(q))


@pytest.mark.parametrize("few", [0.0, 1.1])
@pytest.mark.parametrize("values", [1, 2, 5, 40])  # how many different distances there are
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ties(dtype, values, few, starved, monkeypatch):
    monkeypatch.setattr(complete, "FEW_MERGES", few)
    n = 70
    matrix = squareform(np.random.default_rng(values).integers(1, values + 1, n * (n - 1) // 2))
    check_possible(complete_linkage(Given(matrix, dtype), 1), matrix)


def test_many_equals_take_few_rounds():
    n = 1500
    q = Given(np.ones((n, n)) - np.eye(n))
    tree = complete_linkage(q, 1)
    assert (tree[:, 2] == 1).all()
    assert q.streamed < 4 * n


def test_everybodys_nearest_takes_few_rounds():
    n = 1000
    variance = np.arange(1.0, n + 1)  # the merges are one chain, and all lists name its beginning
    matrix = variance[:, None] + variance
    np.fill_diagonal(matrix, 0)
    q = Given(matrix)
    np.testing.assert_array_equal(complete_linkage(q, 1), scipys(q))
    assert q.streamed < 6 * n


@pytest.mark.parametrize("few", [0.0, 1.1])
def test_two_roundings_of_one_distance(few, starved, monkeypatch):
    # All distances are equal but for a last bit that differs between (i, j) and (j, i).
    monkeypatch.setattr(complete, "FEW_MERGES", few)
    n = 90
    matrix = np.nextafter(np.float32(1), np.float32(2)) - np.float32(2**-23) * np.random.default_rng(
        0
    ).integers(0, 2, (n, n)).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    tree = complete_linkage(Given(matrix, "float32"), 1)
    assert hierarchy.is_valid_linkage(tree)
    assert hierarchy.is_monotonic(tree)
    np.testing.assert_allclose(tree[:, 2], 1, rtol=1e-6)


def test_in_memory_the_row_of_the_smaller_vertex_counts():
    matrix = np.array([[0, 1, 5], [2, 0, 3], [4, 6, 0]], dtype=float)
    assert complete_linkage(Given(matrix), 10**6)[:, 2].tolist() == [1, 5]


@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize("memory", [1, 10**6])
def test_distances_that_are_not_finite(value, memory, starved):
    matrix = distinct(60)
    matrix[3, 5] = matrix[5, 3] = value
    with pytest.raises(PosteriorError, match="some expected distances are not finite"):
        complete_linkage(Given(matrix), memory)


@pytest.mark.parametrize("make", [distinct, hubs])
def test_memory_is_bounded(make, monkeypatch):
    n = 2500
    monkeypatch.setattr(cluster_distances, "GROUP_BYTES", 1 << 20)
    q = Given(make(n))
    all_pairs = n * (n - 1) // 2 * 8  # 25 MB
    allowed = all_pairs // 8
    peak = oracles.peak_memory(lambda: complete_linkage(q, allowed))
    assert peak < allowed + all_pairs // 8  # groups of rows, blocks, and what goes by vertex
    assert q.streamed > n
    assert oracles.peak_memory(lambda: complete_linkage(q, all_pairs)) > all_pairs
