"""A model of a user's own: one family, one joint, one estimator (`toys.py`), and everything else works."""

import numpy as np
import pytest
import torch

import acvae
from acvae import Graph, Posterior
from acvae.exceptions import OptionError, PosteriorError, SavedModelError
from acvae.gaussian import register
from acvae.models.persistence import MODELS
from acvae.report.entry import Entry
from acvae.report.page import write_report
from acvae.training import Checkpoint, Clustering, LinkPrediction, Plan, train
from toys import Equicorrelated, SpringFamily, SpringModel, Springs

N = 24
RNG = np.random.default_rng(0)
GRAPH = Graph(N, RNG.integers(0, N, (60, 2)), names=[f"v{i}" for i in range(N)])
SPLIT = acvae.split_edges(GRAPH, seed=0)
FEATURES = np.eye(N)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """What a user's module says once: the joint's kind, and the model's name in files."""
    register("equicorrelated", Equicorrelated)
    monkeypatch.setitem(MODELS, "SpringModel", SpringModel)


@pytest.fixture(scope="module")
def model():
    return SpringModel(epochs=30).fit(FEATURES, SPLIT.train)


def test_is_trained_and_ranks_links_better_than_chance(model):
    assert model.history_[-1]["elbo"] > model.history_[0]["elbo"]
    assert model.history_[-1].keys() == {"epoch", "steps", "seconds", "elbo", "stretch", "stiffest"}
    scores = acvae.metrics.ncrr(model.posterior_, SPLIT.train, SPLIT.test)
    assert scores.train > scores.random


def test_checkpoint_and_resume_to_the_bit(model, tmp_path):
    def stop(state):
        if state.epoch == 11:
            raise KeyboardInterrupt

    checkpoint = Checkpoint(tmp_path / "state", every=5)
    with pytest.raises(KeyboardInterrupt):
        SpringModel(epochs=30).fit(FEATURES, SPLIT.train, callbacks=[stop], checkpoint=checkpoint)
    seen = []
    again = SpringModel(epochs=30).fit(
        FEATURES, SPLIT.train, callbacks=[lambda state: seen.append(state.epoch)], checkpoint=checkpoint
    )
    assert seen[0] == 11
    np.testing.assert_array_equal(again.posterior_.mean, model.posterior_.mean)
    np.testing.assert_array_equal(again.posterior_.joint.rho, model.posterior_.joint.rho)
    with pytest.raises(OptionError, match="is of a training with epochs=30"):
        SpringModel(epochs=40).fit(FEATURES, SPLIT.train, checkpoint=checkpoint)


def test_the_packages_callbacks_see_it():
    links, clusters = LinkPrediction(SPLIT, every=2), Clustering(np.arange(N) % 3, every=2)
    SpringModel(epochs=4).fit(FEATURES, SPLIT.train, callbacks=[links, clusters])
    assert np.isfinite(links.latest.elbo)
    assert links.latest.epoch == 4
    assert clusters.selected.epoch in (2, 4)


class TestTheJoint:
    def test_answers_by_the_formula(self, model):
        q = model.posterior_
        rho = float(q.joint.rho[0])
        assert not q.has_joint
        np.testing.assert_allclose(q.pair_correlation(0, [1, 2]), rho)
        gap = q.mean[:, None].astype(float) - q.mean
        by_hand = (gap**2).sum(-1) + 2 * 2 * 0.01 * (1 - rho) * (1 - np.eye(N))
        np.testing.assert_allclose(q.distances(np.arange(N)), by_hand, atol=1e-5)
        ids, distances = q.nearest([0, 5], k=3)
        order = np.argsort(by_hand[[0, 5]] + 1e9 * np.eye(N)[[0, 5]], axis=1)[:, :3]
        np.testing.assert_array_equal(ids, order)
        np.testing.assert_allclose(distances, np.take_along_axis(by_hand[[0, 5]], order, axis=1), atol=1e-5)

    def test_is_stored_without_the_networks(self, model, tmp_path):
        model.posterior_.save(tmp_path / "posterior")
        again = Posterior.load(tmp_path / "posterior")
        np.testing.assert_array_equal(again.distances([0, 7]), model.posterior_.distances([0, 7]))
        assert isinstance(again.joint, Equicorrelated)

    def test_what_it_refuses_to_unpack_is_no_posterior(self, tmp_path):
        bad = Equicorrelated(3, np.array([0.5, 1.5]))
        Posterior.from_correlations(np.zeros((3, 2)), np.ones((3, 2)), bad).save(tmp_path / "bad")
        with pytest.raises((PosteriorError, SavedModelError), match="from 0 to below 1"):
            Posterior.load(tmp_path / "bad")

    def test_what_needs_a_joint_distribution_says_so(self, model):
        with pytest.raises(PosteriorError, match="needs a joint distribution"):
            model.posterior_.sample(1)


def test_save_and_load(model, tmp_path):
    model.save(tmp_path / "model")
    again = acvae.load(tmp_path / "model")
    assert type(again) is SpringModel
    assert again.get_params() == model.get_params()
    assert again.history_ == model.history_
    assert torch.equal(again.module_.place, model.module_.place)
    np.testing.assert_array_equal(again.posterior_.distances([3]), model.posterior_.distances([3]))
    np.testing.assert_array_equal(again.graph_.edges, SPLIT.train.edges)


def test_unknown_to_the_files_it_is_refused_when_saved(model, tmp_path, monkeypatch):
    monkeypatch.delitem(MODELS, "SpringModel")
    with pytest.raises(OptionError, match="SpringModel"):
        model.save(tmp_path / "model")


def test_cluster(model):
    labels = acvae.cluster(model.posterior_, k=3)
    assert np.bincount(labels).size == 3
    assert labels.shape == (N,)


def test_links(model):
    pytest.importorskip("acvae.links.of_posterior", reason="the head on any posterior is not there yet")
    scores = acvae.metrics.ncrr(model.links_, SPLIT.train, SPLIT.test)
    assert 0 < scores.test <= 1
    ids, probability = model.predict_links(["v0"], k=4)
    assert ids.shape == probability.shape == (1, 4)
    assert 0 < model.link_probability(0, 1) < 1


def test_report(model, tmp_path):
    entry = Entry(
        "springs", "springs", "random", model.posterior_, SPLIT.train, SPLIT.test, history=model.history_
    )
    page = tmp_path / "report.html"
    write_report([entry], page, maps="pca", clusters=3)
    assert "springs" in page.read_text()


def test_without_an_estimator_the_family_alone_is_enough():
    family = SpringFamily(Springs(N, 2, 0), SPLIT.train)
    before = family.elbo()
    train(family, Plan(epochs=20, learning_rate=1e-2, progress=False))
    assert family.elbo() > before
    assert family.posterior().distances([0]).shape == (1, N)
