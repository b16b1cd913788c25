"""k-means on the directions of the means."""

import numpy as np
import pytest

from acvae import Posterior
from acvae.clustering import cluster_directions, directions, have_directions
from acvae.exceptions import OptionError


def posterior_of(mean, std=1.0):
    mean = np.asarray(mean, dtype=np.float32)
    return Posterior(mean, np.full_like(mean, std), np.empty((0, 2), dtype=int), np.empty((0, mean.shape[1])))


@pytest.fixture
def three_ways():
    """Thirty vertices in three directions; lengths differ a hundredfold, and so do distances."""
    rng = np.random.default_rng(0)
    angle = np.repeat(2 * np.pi / 3 * np.arange(3), 10)  # evenly, so that the middle is zero
    angle = angle + np.tile(0.05 * rng.standard_normal(10), 3)
    length = np.tile(10 ** rng.uniform(-1, 1, 10), 3)
    return posterior_of(length[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def test_directions_are_unit_vectors_from_the_middle():
    mean = np.array([[3.0, 4.0], [0.0, 0.0], [-3.0, -4.0]])
    np.testing.assert_allclose(
        directions(posterior_of(mean + np.array([7, -2]))), [[0.6, 0.8], [0, 0], [-0.6, -0.8]], atol=1e-6
    )


def test_the_ways_are_found_whatever_the_lengths(three_ways):
    assert cluster_directions(three_ways, 3).tolist() == np.repeat([0, 1, 2], 10).tolist()


@pytest.mark.parametrize("seed", [-1, 1.5, "a", None, 2**128])
def test_a_seed_is_a_whole_number(three_ways, seed):
    with pytest.raises(OptionError, match="seed must be a whole number"):
        cluster_directions(three_ways, 3, seed=seed)


def test_clusters_are_numbered_by_their_smallest_vertices(three_ways):
    labels = cluster_directions(three_ways, 5)
    first = [labels.tolist().index(k) for k in range(5)]
    assert first == sorted(first)
    assert (labels == cluster_directions(three_ways, 5)).all()


def test_one_cluster_and_as_many_as_vertices(three_ways):
    assert set(cluster_directions(three_ways, 1)) == {0}
    assert cluster_directions(three_ways, 30).tolist() == list(range(30))


def test_mistakes(three_ways):
    with pytest.raises(OptionError, match="cannot make 31 clusters of 30 vertices"):
        cluster_directions(three_ways, 31)
    with pytest.raises(OptionError, match="the embeddings have only 1 different ones"):
        cluster_directions(posterior_of(np.ones((4, 2))), 2)


class TestWithoutFeatures:
    """All means are the same, and draws from the joint take their place."""

    @staticmethod
    def of_paths(length=12, rho=0.97):
        """Three paths, along which vertices are strongly correlated."""
        n = 3 * length
        edges = np.array([(i, i + 1) for i in range(n - 1) if (i + 1) % length])
        return Posterior(np.zeros((n, 2)), np.ones((n, 2)), edges, np.full((len(edges), 2), rho))

    def test_components_are_clusters(self):
        assert cluster_directions(self.of_paths(), 3).tolist() == np.repeat([0, 1, 2], 12).tolist()

    def test_unit_vectors_the_same_each_time(self):
        q = self.of_paths()
        found = directions(q)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
        np.testing.assert_array_equal(found, directions(q))

    def test_correlated_vertices_point_the_same_way(self):
        found = directions(self.of_paths())
        cosine = found @ found.T
        assert cosine[0, 1] > 0.9
        assert abs(cosine[0, 20]) < 0.7

    def test_whether_there_are_any(self, three_ways):
        assert have_directions(self.of_paths())
        assert have_directions(three_ways)
        pairs = Posterior.from_correlations(np.zeros((3, 1)), np.ones((3, 1)), NoJoint())
        assert not have_directions(pairs)


class NoJoint:
    """Correlations of pairs, and no joint to draw from."""

    n_vertices, latent_dim = 3, 1

    def pairs(self, i, j):
        return np.zeros((len(i), 1))

    def distance_blocks(self, mean, std):
        raise AssertionError("nobody asks for distances here")
