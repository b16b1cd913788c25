"""Clusters and their dendrogram."""

from dataclasses import replace

import numpy as np

import acvae
from acvae.report.dendrogram import dendrogram
from acvae.report.directions import directions
from acvae.report.groups import group, legend
from report.samples import make_entry


def same_partition(a, b) -> bool:
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))


def blobs(sizes, seed: int = 0) -> acvae.Posterior:
    """Groups of points far from one another, single points farther still."""
    rng = np.random.default_rng(seed)
    places = np.cumsum([50 if size > 1 else 900 for size in sizes])
    mean = np.concatenate(
        [np.array([x, 0]) + rng.normal(size=(size, 2)) for x, size in zip(places, sizes, strict=True)]
    )
    return acvae.Posterior(mean, np.full(mean.shape, 0.1))


def test_small_data_are_cut_as_cluster_does(entry):
    for k in (1, 2, 5):
        found = group(entry.posterior, k)
        assert same_partition(found.labels, acvae.cluster(entry.posterior, k))
        assert found.small == 0
        sizes = np.bincount(found.labels)
        assert (np.diff(sizes) <= 0).all()


def test_more_clusters_than_vertices_are_single_vertices():
    q = acvae.Posterior(np.arange(3.0)[:, None], np.ones((3, 1)))
    assert sorted(group(q, 10).labels.tolist()) == [0, 1, 2]


def test_without_a_number_none_has_more_than_a_third():
    q = blobs([40] * 12)
    assert group(q).labels.max() + 1 == 8
    uneven = blobs([400] + [30] * 9)  # one cut in eight leaves it whole, and none would split it apart
    assert np.bincount(group(uneven).labels).max() <= 400
    rng = np.random.default_rng(0)
    line = acvae.Posterior(np.sort(rng.exponential(size=(900, 1)) ** 3, axis=0), np.full((900, 1), 0.1))
    sizes = {k: np.bincount(group(line, k).labels).max() for k in (8, 10, 12, 14, 16)}
    enough = [k for k, size in sizes.items() if size <= 300]
    expected = enough[0] if enough else 16
    assert (group(line).labels == group(line, expected).labels).all()


def test_single_vertices_use_no_colour():
    q = blobs([300, 200, 100, 1, 1])
    found = group(q, 3)
    names = [str(v) for v in range(q.n_vertices)]
    shown = legend(found, np.arange(q.n_vertices), names)
    assert [(c["name"], c["size"]) for c in shown] == [("299", 300), ("499", 200), ("599", 100), (None, 2)]
    assert found.small == 2
    assert (found.labels[600:] == 3).all()


def test_landmarks_stand_for_the_others():
    sizes = [60, 50, 40]
    q = blobs(sizes)
    found = group(q, 3, most=50)
    assert len(found.members) == 50
    assert same_partition(found.labels, np.repeat(np.arange(3), sizes))
    drawn = dendrogram(found, np.zeros(150, int), [str(v) for v in range(150)], leaves=3)
    assert drawn["landmarks"] == 50
    assert sum(leaf["size"] for leaf in drawn["leaves"]) == 50


def test_dendrogram_joins_all_leaves(entry):
    q = entry.posterior
    found = group(q, 5)
    drawn = dendrogram(found, entry.graph.degrees, entry.names, leaves=12)
    assert len(drawn["leaves"]) == 12
    assert len(drawn["merges"]) == 11
    assert sum(leaf["size"] for leaf in drawn["leaves"]) == 40
    assert drawn["left_out"] == 0
    heights = sorted(merge["height"] for merge in drawn["merges"])
    np.testing.assert_allclose(heights, found.tree[-11:, 2], atol=1e-4)
    assert (
        sum(merge["cluster"] < 0 for merge in drawn["merges"]) == 4
    )  # five clusters are joined by four merges
    whole = [leaf for leaf in drawn["leaves"] if leaf["whole"]]
    assert [leaf["size"] for leaf in whole] == [(found.labels == leaf["cluster"]).sum() for leaf in whole]
    for leaf in drawn["leaves"]:
        assert leaf["cluster"] == found.labels[entry.names.index(leaf["name"])]
    for merge in drawn["merges"]:
        assert merge["low"][0] <= merge["height"]
        assert merge["high"][0] <= merge["height"]
        assert merge["low"][1] < merge["high"][1]


def test_dendrogram_leaves_small_groups_out():
    q = blobs([300, 200, 100, 1, 1])
    drawn = dendrogram(group(q, 3), np.zeros(602, int), [str(v) for v in range(602)], leaves=3)
    assert sorted(leaf["size"] for leaf in drawn["leaves"]) == [100, 200, 300]
    assert drawn["left_out"] == 2


def test_two_vertices_merge_once():
    entry = make_entry(n=6)
    q = acvae.Posterior([[0.0], [1.0]], np.ones((2, 1)))
    drawn = dendrogram(group(q, 8), np.zeros(2, int), entry.names)
    assert len(drawn["merges"]) == 1


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
