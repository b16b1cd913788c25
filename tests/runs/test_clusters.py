"""By which of the two a run is clustered."""

import numpy as np
import pytest

from acvae import Posterior, cluster
from acvae.clustering import cluster_directions
from acvae.methods import METHODS
from acvae.runs.clusters import clusters_by, clusters_of


@pytest.fixture
def posterior():
    mean = np.random.default_rng(0).standard_normal((12, 2)).astype(np.float32)
    return Posterior(mean, np.ones_like(mean), np.empty((0, 2), dtype=int), np.empty((0, 2)))


@pytest.mark.parametrize(("model", "by"), [("graph-gaussian", "direction"), ("vae", "distance")])
def test_a_model_that_learns_links_goes_by_direction(model, by, posterior):
    assert clusters_by(METHODS[model], posterior) == by


def test_without_features_means_point_nowhere():
    zero = np.zeros((5, 2), dtype=np.float32)
    nowhere = Posterior(zero, np.ones_like(zero), np.empty((0, 2), dtype=int), np.empty((0, 2)))
    assert clusters_by(METHODS["graph-gaussian"], nowhere) == "distance"


def test_labels_are_those_of_the_library(posterior):
    assert (clusters_of(posterior, 3, "direction") == cluster_directions(posterior, 3)).all()
    assert (clusters_of(posterior, 3, "distance") == cluster(posterior, 3)).all()
