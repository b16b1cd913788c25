"""Scores of pairs, against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import acvae
from acvae.exceptions import GraphError
from acvae.reproduce.compare import (
    Scores,
    pairs,
)
from reproduce.compare.samples import small


def test_auc_and_average_precision_against_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    for ties in (False, True):
        links, others = rng.random(30), rng.random(50) + 0.2
        if ties:
            links, others = links.round(1), others.round(1)
        truth = np.repeat([1, 0], [30, 50])
        scores = -np.concatenate([links, others])
        assert pairs.auc(links, others) == pytest.approx(roc_auc_score(truth, scores))
        assert pairs.average_precision(links, others) == pytest.approx(average_precision_score(truth, scores))


def test_non_links_are_distinct_pairs_that_are_in_neither_graph() -> None:
    split = acvae.split_edges(small().graph, seed=0)
    found = pairs.random_non_links(100, split.train, split.test, 3)
    assert len(np.unique(found, axis=0)) == 100
    assert (found[:, 0] < found[:, 1]).all()
    assert not (split.train.has_edges(found) | split.test.has_edges(found)).any()
    np.testing.assert_array_equal(found, pairs.random_non_links(100, split.train, split.test, 3))
    triangle = acvae.Graph(3, [[0, 1], [1, 2]])
    with pytest.raises(GraphError, match="there are 0"):
        pairs.random_non_links(1, triangle, acvae.Graph(3, [[0, 2]]), 0)


def test_a_recorder_keeps_the_mean_of_both_directions() -> None:
    table = np.random.default_rng(0).random((6, 6))
    wanted = np.array([[0, 1], [4, 2], [1, 5]])
    recorder = pairs.Recorder(Scores(6, lambda rows: table[rows], random_ties=False), wanted)
    for _ in recorder.distance_blocks([0, 1, 2, 4], 3):
        pass
    expected = [-(table[0, 1] + table[1, 0]) / 2, -(table[4, 2] + table[2, 4]) / 2, -table[1, 5]]
    np.testing.assert_allclose(recorder.distances, expected)
