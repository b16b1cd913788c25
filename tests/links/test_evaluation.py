import json

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from acvae import Graph
from acvae.exceptions import AcvaeError
from acvae.links.evaluation import evaluate_links, weighted_auc, weighted_average_precision


@pytest.mark.parametrize("seed", range(3))
def test_weighted_scores_against_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    link, weight = rng.random(300) < 0.2, rng.uniform(0.1, 9, 300)
    scores = np.round(rng.standard_normal(300) + link, 1)  # with ties
    auc = roc_auc_score(link, scores, sample_weight=weight)
    assert weighted_auc(scores, link, weight) == pytest.approx(auc, rel=1e-10)
    precision = average_precision_score(link, scores, sample_weight=weight)
    assert weighted_average_precision(scores, link, weight) == pytest.approx(precision, rel=1e-10)


class Known:
    """Log-odds that are true: links of the graph are drawn with them."""

    def __init__(self, odds):
        self.odds, self.n_vertices = odds, len(odds)

    def log_odds(self, i, j):
        return self.odds[i, j]


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    n = 300
    place = rng.uniform(0, 10, n)
    odds = 1 - 3 * np.abs(place[:, None] - place)
    edges = np.argwhere(np.triu(rng.random((n, n)) < 1 / (1 + np.exp(-odds)), 1))
    hidden = rng.random(len(edges)) < 0.3
    # Of a pair that is not a train link: P(hidden link) = 0.3·p/(1 − 0.7·p).
    return Known(odds + np.log(0.3)), Graph(n, edges[~hidden]), Graph(n, edges[hidden])


def test_true_probabilities_are_calibrated(drawn):
    ranking, train, test = drawn
    found = evaluate_links(ranking, train, test, size=20_000)
    assert found.n_links == test.n_edges
    assert found.n_pairs == pytest.approx(300 * 299 / 2 - train.n_edges, rel=0.05)
    assert found.calibration.error < 0.02
    assert found.auc > 0.9
    shifted = evaluate_links(Known(ranking.odds + 2), train, test, size=20_000)
    assert shifted.calibration.error > 0.05
    assert shifted.calibration.log_loss > found.calibration.log_loss
    assert shifted.auc == pytest.approx(found.auc)
    inside = found.calibration
    assert (inside.low <= inside.observed + 1e-12).all()
    assert (inside.observed <= inside.high + 1e-12).all()


def test_it_can_be_written_as_json(drawn):
    told = evaluate_links(*drawn, seed=3, size=5000).as_dict()
    again = json.loads(json.dumps(told))
    assert again == told
    assert len(again["reliability"]) > 5
    assert set(again["reliability"][0]) == {
        *("log_odds", "predicted", "observed", "low", "high", "links", "pairs", "counted")
    }


def test_what_cannot_be_scored(drawn):
    ranking, train, test = drawn
    for bad in ((ranking, test, test), (ranking, Graph(3, [(0, 1)]), test), (ranking, train, Graph(300, []))):
        with pytest.raises(AcvaeError):
            evaluate_links(*bad)
    with pytest.raises(AcvaeError):
        evaluate_links(ranking, train, [(0, 1)])
