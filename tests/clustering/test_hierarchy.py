import re

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

import oracles
from acvae import Posterior, cluster
from acvae.clustering.hierarchy import linkage
from acvae.exceptions import OptionError
from acvae.gaussian import PairwiseMarginals


def make(shape, n, d=3, seed=0):
    rng = np.random.default_rng(seed)
    edges = oracles.forest_edges(shape, n, rng)
    rho = oracles.random_correlations(rng, len(edges), d)
    mean, std = rng.normal(size=(n, d)), rng.uniform(0.2, 1, size=(n, d))
    correlation = oracles.dense_correlation(n, edges, rho)
    return Posterior(mean, std, edges, rho, dtype="float64"), oracles.dense_distances(mean, std, correlation)


def streamed_rows(q, **options):
    """How many rows of distances linkage asks for."""
    blocks, count = q.distance_blocks, 0

    def counted(rows=None):
        nonlocal count
        for found in blocks(rows):
            count += len(found[0])
            yield found

    q.distance_blocks = counted
    linkage(q, **options)
    del q.distance_blocks
    return count


def same_partition(a, b):
    return np.array_equal(a[:, None] == a, b[:, None] == b)


def complete_linkage_by_hand(distances, k):
    """Merge the two clusters whose farthest members are nearest, until k are left."""
    clusters = [[i] for i in range(len(distances))]
    while len(clusters) > k:
        pairs = [(a, b) for a in range(len(clusters)) for b in range(a)]
        a, b = min(pairs, key=lambda p: distances[np.ix_(clusters[p[0]], clusters[p[1]])].max())
        clusters[b] += clusters.pop(a)
    labels = np.empty(len(distances), dtype=int)
    for number, members in enumerate(clusters):
        labels[members] = number
    return labels


@pytest.mark.parametrize("k", [1, 2, 5, 30, 60])
@pytest.mark.parametrize("shape", ["random", "many trees", "isolated"])
def test_against_scipy_on_the_dense_matrix(shape, k):
    q, distances = make(shape, 60)
    np.fill_diagonal(distances, 0)
    tree = hierarchy.linkage(squareform(distances, checks=False), method="complete")
    np.testing.assert_allclose(linkage(q)[:, 2], tree[:, 2], rtol=0, atol=1e-9)
    labels = cluster(q, k)
    assert labels.dtype == np.int64
    assert sorted(np.unique(labels).tolist()) == list(range(k))
    assert same_partition(labels, hierarchy.cut_tree(tree, k).ravel())


@pytest.mark.parametrize("k", [2, 4, 7])
def test_against_merging_by_hand(k):
    q, distances = make("random", 20, seed=4)
    assert same_partition(cluster(q, k), complete_linkage_by_hand(distances, k))


def test_correlation_decides():
    # Four vertices with the same marginals; the forest joins 0-2 and 1-3 tightly.
    q = Posterior(np.zeros((4, 2)), np.ones((4, 2)), [[0, 2], [1, 3]], np.full((2, 2), 0.9))
    assert same_partition(cluster(q, 2), np.array([0, 1, 0, 1]))


def test_exactly_k_clusters_among_ties():
    q = Posterior(np.zeros((16, 2)), np.ones((16, 2)))
    for k in (2, 5, 15):
        assert len(np.unique(cluster(q, k))) == k


def test_well_separated_groups_are_found_by_default():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, size=100)
    q = Posterior(100.0 * truth[:, None] + rng.normal(size=(100, 1)), np.ones((100, 1)))
    assert same_partition(cluster(q), truth)


@pytest.mark.parametrize("shape", ["random", "many trees", "isolated", "star", "path"])
def test_too_little_memory_changes_nothing(shape):
    q, distances = make(shape, 150, seed=2)
    np.fill_diagonal(distances, 0)
    tree = hierarchy.linkage(squareform(distances, checks=False), method="complete")
    streamed = linkage(q, memory=1)
    assert streamed_rows(q, memory=1) > 2 * q.n_vertices  # it is not one pass
    np.testing.assert_allclose(streamed[:, 2], tree[:, 2], rtol=1e-6)
    for k in (1, 2, 5, 30, 149, 150):
        assert same_partition(cluster(q, k, memory=1), hierarchy.cut_tree(tree, k).ravel())
        np.testing.assert_array_equal(cluster(q, k, memory=1), cluster(q, k))


def test_too_little_memory_in_single_precision():
    q, _ = make("many trees", 150, seed=3)
    q = Posterior(q.mean, q.std, q.forest, q.joint.correlation)
    np.testing.assert_allclose(linkage(q, memory=1)[:, 2], linkage(q)[:, 2], rtol=1e-5)
    np.testing.assert_array_equal(cluster(q, 4, memory=1), cluster(q, 4))
    assert streamed_rows(q, memory=1) > streamed_rows(q) == q.n_vertices


def test_pair_by_pair_correlations_too():
    rng = np.random.default_rng(0)
    n, hidden, d = 140, 6, 3
    network = PairwiseMarginals(
        rng.normal(size=(n, hidden)), rng.normal(size=(n, hidden)), rng.normal(size=(hidden, d)), np.zeros(d)
    )
    q = Posterior.from_correlations(
        rng.normal(size=(n, d)), rng.uniform(0.2, 1, (n, d)), network, dtype="float64"
    )
    assert streamed_rows(q, memory=1) > 2 * n
    np.testing.assert_allclose(linkage(q, memory=1), linkage(q), rtol=1e-9)


def test_ties_with_too_little_memory():
    q = Posterior(np.zeros((100, 2)), np.ones((100, 2)))
    tree = linkage(q, memory=1)
    assert hierarchy.is_valid_linkage(tree)
    np.testing.assert_array_equal(tree[:, 2], 4)  # σ² of two vertices in two dimensions
    for k in (1, 2, 17, 100):
        assert len(np.unique(cluster(q, k, memory=1))) == k


def test_two_vertices():
    q = Posterior([[0.0], [3.0]], [[1.0], [1.0]])
    assert linkage(q, memory=1).tolist() == [[0, 1, 11, 2]]  # 3² + 1 + 1
    assert cluster(q, 1).tolist() == [0, 0]
    assert cluster(q, 2).tolist() == [0, 1]


def test_progress_is_shown_when_asked_for(capsys):
    q, _ = make("random", 150)
    linkage(q)
    assert capsys.readouterr().err == ""
    linkage(q, progress=True)
    err = capsys.readouterr().err
    assert "distances: 150/150" in err
    assert "merges: 149/149" in err
    linkage(q, memory=1, progress=True)
    assert re.search(r"distances of \d+ clusters: 150/150", capsys.readouterr().err)


@pytest.mark.parametrize("memory", [0, -1, 1e9, "1 GB", None, True])
def test_bad_memory(memory):
    q = Posterior(np.zeros((4, 1)), np.ones((4, 1)))
    for work in (linkage, cluster):
        with pytest.raises(OptionError, match="memory must be a whole number of at least 1, not"):
            work(q, memory=memory)


def test_more_memory_than_there_is(monkeypatch):
    q = Posterior(np.zeros((400, 1)), np.ones((400, 1)))
    monkeypatch.setattr("acvae.clustering.hierarchy.available_memory", lambda: 100_000)
    with pytest.raises(
        OptionError, match=r"would take 0.0 GB of memory .* but 0.0 GB are free; allow it less"
    ):
        linkage(q)
    assert len(linkage(q, memory=100_000)) == 399


def test_streamed_in_small_blocks(monkeypatch):
    q, _ = make("many trees", 80)
    whole = linkage(q)
    monkeypatch.setattr("acvae.gaussian.distance_matrix.BLOCK_BYTES", 1)
    np.testing.assert_allclose(linkage(q), whole, rtol=0, atol=1e-9)


def test_one_vertex():
    q = Posterior([[0.0]], [[1.0]])
    assert cluster(q, 1).tolist() == [0]
    with pytest.raises(OptionError, match="at least two vertices, got 1"):
        linkage(q)


@pytest.mark.parametrize("k", [0, -3, 1.5, "five", None])
def test_bad_k(k):
    with pytest.raises(OptionError, match="k must be a whole number of at least 1, not"):
        cluster(Posterior(np.zeros((4, 1)), np.ones((4, 1))), k)


def test_more_clusters_than_vertices():
    with pytest.raises(OptionError, match="cannot make 5 clusters of 4 vertices"):
        cluster(Posterior(np.zeros((4, 1)), np.ones((4, 1))), 5)
