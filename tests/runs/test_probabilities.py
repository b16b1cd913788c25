"""Calibration and classes among a run's scores."""

import json

import numpy as np
import pytest

import acvae
from acvae.commands.main import main
from acvae.links.evaluation import evaluate_links
from acvae.runs import Run
from acvae.runs.probabilities import calibration_scores, classification_scores
from acvae.runs.rankings import ranker


@pytest.fixture(scope="module", params=["graph-gaussian", "vae"])
def run(request, tmp_path_factory):
    """A run on a tree with classes."""
    folder = tmp_path_factory.mktemp("runs") / request.param
    argv = ["fit", "tree", "--data-option", "n_vertices=80", "--model", request.param, "--out", str(folder)]
    argv += ["--epochs", "3"] if request.param == "vae" else []
    assert main([*argv, "--quiet"]) == 0
    return Run(folder)


def test_fit_and_evaluate_store_the_same(run, capsys):
    links = ranker(run, "link")
    expected = evaluate_links(links, run.graph, run.test, size=50_000).as_dict()
    stored = run.scores["calibration"]
    assert stored["calibration_error"] == pytest.approx(expected["calibration_error"], abs=1e-5)
    assert stored["log_loss"] == pytest.approx(expected["log_loss"], rel=1e-4)
    assert len(stored["reliability"]) == len(expected["reliability"])
    assert main(["evaluate", str(run.path), "--quiet"]) == 0
    out = capsys.readouterr().out
    assert f"log-loss {expected['log_loss']:.2f} per hidden link" in out
    again = json.loads((run.path / "scores.json").read_text())["calibration"]
    assert again["calibration_error"] == pytest.approx(stored["calibration_error"], abs=1e-5)
    assert "classes from embeddings: " in out
    assert 0 <= Run(run.path).scores["classification"]["accuracy"] <= 1


def test_long_work_shows_how_far_it_is(run, capsys, monkeypatch):
    monkeypatch.setattr("acvae.runs.probabilities.PAIRS_AT_A_TIME", 50)
    links = ranker(run, "link")
    plain = calibration_scores(links, run.graph, run.test)
    assert capsys.readouterr().err == ""
    watched = calibration_scores(links, run.graph, run.test, progress=True)
    assert watched["log_loss"] == pytest.approx(plain["log_loss"], rel=1e-5)
    assert watched["auc"] == pytest.approx(plain["auc"], rel=1e-5)
    assert "probabilities of pairs: " in capsys.readouterr().err
    labels = np.arange(run.graph.n_vertices) % 2
    classification_scores(run.posterior.mean, labels, progress=True)
    assert "classes from embeddings: 5/5" in capsys.readouterr().err


def test_without_test_links_there_is_nothing_to_say(run):
    assert calibration_scores(None, run.graph, run.graph.with_edges([])) is None


class TestClasses:
    def test_classes_that_lie_apart_are_told(self):
        rng = np.random.default_rng(0)
        labels = np.repeat([0, 1, 2, -1], [30, 20, 10, 5])
        mean = rng.normal(0, 0.1, (65, 3)) + np.eye(4, 3)[labels]
        found = classification_scores(mean, labels)
        assert found["accuracy"] == 1
        assert found["majority"] == 0.5  # 30 of the 60 with a class
        assert (found["classes"], found["vertices"]) == (3, 60)

    def test_noise_is_no_better_than_the_largest_class(self):
        rng = np.random.default_rng(1)
        found = classification_scores(rng.normal(size=(400, 4)), rng.integers(0, 2, 400))
        assert abs(found["accuracy"] - 0.5) < 0.1

    def test_classes_with_too_few_members_are_left_out(self):
        labels = np.array([0] * 10 + [1] * 4)
        assert classification_scores(np.ones((14, 2)), labels) is None


def test_the_stored_curve_can_be_drawn(run):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    figure, ax = plt.subplots()
    stored = run.scores["calibration"]
    acvae.plot.link_reliability(stored, ax)
    counted = [bin for bin in stored["reliability"] if bin["counted"]]
    drawn = sum(
        len(dots.get_offsets())
        for dots in ax.collections
        if hasattr(dots, "get_sizes") and len(dots.get_sizes())
    )
    assert drawn == len(counted)
    plt.close(figure)
    with pytest.raises(acvae.exceptions.InputError, match="no bins of probabilities"):
        acvae.plot.link_reliability({"reliability": []}, ax)
