"""Clusters of a page, and what small ones share."""

import numpy as np

import acvae
from acvae.report.dendrogram import dendrogram
from acvae.report.groups import group, legend
from report.samples import blobs, same_partition


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
