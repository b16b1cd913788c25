"""Scores of models and runs as plain values, against the metrics themselves."""

import json
import types

import numpy as np
import pytest

from acvae import Graph, Posterior, metrics, split_edges
from acvae.exceptions import OptionError
from acvae.methods import METHODS
from acvae.runs import Run
from acvae.runs import scores as module
from acvae.runs.collapse import spread_of
from acvae.runs.scores import link_scores, score_model, score_run, watched

N = 12
RNG = np.random.default_rng(0)
OWN, PAIRS = (Posterior(RNG.standard_normal((N, 2)), np.ones((N, 2))) for _ in range(2))
SPLIT = split_edges(Graph(N, [(k, (k + s) % N) for k in range(N) for s in (1, 2)]), seed=1)


def config(model="acvae-eb", **options):
    return types.SimpleNamespace(
        model=model, data_name="mine", method=METHODS[model], options={"epochs": 7, **options}
    )


def expected(ranking):
    return link_scores(metrics.evaluate(ranking, SPLIT.train, SPLIT.test))


def test_a_table_of_plain_values():
    found = expected(OWN)
    assert list(found) == ["ncrr", "mrr", "hits_at_10"]
    assert set(found["ncrr"]) == {"train", "test", "random"}
    assert json.loads(json.dumps(found)) == found
    assert "hits_at_3" in link_scores(metrics.evaluate(OWN, SPLIT.train, SPLIT.test, k=3))


def test_of_a_model_that_knows_no_links():
    model = types.SimpleNamespace(posterior_=OWN)
    found = score_model(config(), model, SPLIT, pairs=PAIRS)
    assert found["link_prediction"] == {"bp": expected(OWN), "pairwise": expected(PAIRS)}
    assert found["embeddings"] == spread_of(OWN)._asdict()
    assert (found["model"], found["data"], found["epochs"]) == ("acvae-eb", "mine", 7)
    assert (found["n_vertices"], found["train_edges"]) == (N, SPLIT.train.n_edges)
    assert "calibration" not in found
    assert score_model(config(), model, None) is None


def test_what_is_known_is_not_computed_again():
    model = types.SimpleNamespace(posterior_=OWN)
    found = score_model(config(), model, SPLIT, known={"bp": {"ncrr": "known"}})
    assert found["link_prediction"] == {"bp": {"ncrr": "known"}}


def test_a_pair_network_that_would_take_long_is_not_asked(monkeypatch):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", N * N * 5)
    model = types.SimpleNamespace(posterior_=OWN)
    for width, asked in ((5, True), (6, False)):
        found = score_model(config(pair_hidden_dim=width), model, SPLIT, pairs=PAIRS)
        assert ("pairwise" in found["link_prediction"]) is asked


def test_links_come_with_their_calibration():
    class Links:
        n_vertices = N

        def log_odds(self, i, j):
            return np.where((i + j) % 2, 1.0, -1.0)

        def distance_blocks(self, rows=None, block_rows=None):
            yield from PAIRS.distance_blocks(rows)

    found = score_model(config("vae"), types.SimpleNamespace(posterior_=OWN, links_=Links()), SPLIT)
    assert list(found["link_prediction"]) == ["link", "independent"]
    assert found["link_prediction"]["link"] == expected(PAIRS)
    assert found["calibration"]["log_loss"] > 0


def test_of_a_run(finished):
    run = Run(finished)
    found = score_run(run, clusters=True)
    assert found["link_prediction"]["bp"] == link_scores(metrics.evaluate(run.posterior, run.graph, run.test))
    assert "notes" not in found
    assert set(score_run(run, pair_network=False)["link_prediction"]) == set(found["link_prediction"]) - {
        "pairwise"
    }
    for wrong in ("run", None):
        with pytest.raises(OptionError, match="run"):
            score_run(wrong)
    with pytest.raises(OptionError, match="clusters"):
        score_run(run, clusters=1)


def test_clusters_are_held_against_known_classes(finished):
    run = Run(finished)
    classes = np.arange(30) % 3
    classes[:5] = -1
    run.stored_graph = run.stored_graph._replace(classes=classes)
    found = score_run(run, clusters=True)["clustering"]
    assert set(found) == {"bp", "pairwise"}  # probabilities of links are no distances
    for told in found.values():
        assert told["k"] == 3
        assert sum(told["cluster_counts"]) == 30
        assert 0 <= told["nmi_geometric"] <= 1
    assert "clustering" not in score_run(run)


def test_a_posterior_that_is_watched_is_the_same(capsys):
    assert watched(OWN, "ranking", show=False) is OWN
    shown = watched(OWN, "ranking", show=True)
    assert shown.n_vertices == N
    rows = np.array([3, 1])
    for (at, columns, block), (own_at, own_columns, own) in zip(
        shown.distance_blocks(rows, 1), OWN.distance_blocks(rows, 1), strict=True
    ):
        assert at.tolist() == own_at.tolist()
        assert columns.tolist() == own_columns.tolist()
        np.testing.assert_array_equal(block, own)
    capsys.readouterr()  # how far it is, for whom it may concern
