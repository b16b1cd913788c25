"""Models that learn links are shown by the directions of their means."""

from dataclasses import replace

import numpy as np

import acvae
from acvae.report.directions import directions
from acvae.report.groups import group
from report.samples import make_entry, same_partition


def rays(sizes, d: int = 6, seed: int = 0):
    """Means along a few directions, some twice as long as others; variances that make hubs of a few vertices.

    The least length is above the mean of all along any direction: centring turns no vertex around.
    """
    rng = np.random.default_rng(seed)
    kind = np.repeat(np.arange(len(sizes)), sizes)
    direction = np.linalg.qr(rng.normal(size=(d, d)))[0][kind]
    mean = rng.uniform(1, 2, (len(kind), 1)) * (direction + 0.05 * rng.normal(size=direction.shape))
    return acvae.Posterior(mean, rng.uniform(1, 9, mean.shape)), kind


def test_a_model_that_learns_links_is_grouped_by_directions():
    q, kind = rays([60, 50, 40])
    entry = replace(make_entry(), posterior=q, model="graph-gaussian")
    points = directions(entry)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, rtol=1e-5)
    for most in (200, 50):
        found = group(q, 3, most=most, points=points)
        assert found.linkage == "ward"
        assert same_partition(found.labels, kind)
    assert directions(replace(entry, model="acvae-eb")) is None
    assert directions(replace(entry, model="my own")) is None
