"""k-means on the directions of the means."""

import numpy as np
import pytest

from acvae import Posterior
from acvae.clustering import cluster_directions, directions
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
