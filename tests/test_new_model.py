"""A model of a user's own: one family, one joint, one estimator (`toys.py`), and everything else works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import acvae
from acvae import Graph, Posterior
from acvae._util.plugins import load_plugins
from acvae.commands.main import main
from acvae.exceptions import AcvaeWarning, OptionError, PosteriorError, SavedModelError
from acvae.gaussian.registry import register as register_joint
from acvae.methods import METHODS, method_of, register
from acvae.models import registry
from acvae.report.entry import Entry
from acvae.report.page import write_report
from acvae.runs import Run, RunConfig, fit_run, resume_run, score_run
from acvae.training import Checkpoint, Clustering, LinkPrediction, Plan, train
from toys import Equicorrelated, SpringFamily, SpringModel, Springs

N = 24
RNG = np.random.default_rng(0)
GRAPH = Graph(N, RNG.integers(0, N, (60, 2)), names=[f"v{i}" for i in range(N)])
SPLIT = acvae.split_edges(GRAPH, seed=0)
FEATURES = np.eye(N)


@pytest.fixture(autouse=True)
def registered():
    """What a user's module says once: the joint's kind, and the model's name."""
    register_joint("equicorrelated", Equicorrelated)
    register("springs", SpringModel, summary="edges are springs")
    yield
    METHODS.pop("springs", None)
    registry._ESTIMATORS.pop("SpringModel", None)


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


def test_unknown_to_the_files_it_is_refused_when_saved(model, tmp_path):
    model.save(tmp_path / "known")
    del registry._ESTIMATORS["SpringModel"]
    with pytest.raises(OptionError, match=r"acvae.methods.register\(name, SpringModel\)"):
        model.save(tmp_path / "model")
    with pytest.raises(SavedModelError, match="'SpringModel', and there is no such model; if that is yours"):
        acvae.load(tmp_path / "known")


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


CONFIG = {"dataset": "tree", "data_options": {"n_vertices": 30, "n_features": 5}, "model": "springs"}


class TestRuns:
    """All that goes by a model's name, without a change in the package."""

    def test_fit_and_resume_to_the_bit(self, tmp_path, monkeypatch):
        config = RunConfig.from_values({**CONFIG, "epochs": 12, "checkpoint_every": 3})
        whole = fit_run(config, tmp_path / "whole", progress=False)
        after = SpringFamily.after_epoch

        def stop(self, world=None):
            if self.epochs == 7:
                raise KeyboardInterrupt
            return after(self)

        monkeypatch.setattr(SpringFamily, "after_epoch", stop)
        with pytest.raises(KeyboardInterrupt):
            fit_run(config, tmp_path / "stopped", progress=False)
        monkeypatch.setattr(SpringFamily, "after_epoch", after)
        assert not Run(tmp_path / "stopped").finished
        again = resume_run(tmp_path / "stopped", progress=False)
        for name in ("model.safetensors", "posterior.safetensors", "history.csv"):
            assert (again.path / name).read_bytes() == (whole.path / name).read_bytes()
        assert method_of(again.model).name == "springs"
        assert score_run(again)["link_prediction"].keys() == {"link", "joint"}

    def test_an_option_of_its_own_is_a_setting(self, tmp_path):
        config = RunConfig.from_values({**CONFIG, "epochs": 2, "hold": 3.5})
        assert fit_run(config, tmp_path / "run", progress=False).model.hold == 3.5
        with pytest.raises(OptionError, match="the option gamma does not apply to the model springs"):
            RunConfig.from_values({**CONFIG, "gamma": 1.0})


PLUGIN = """
from acvae.gaussian import register as register_joint
from acvae.methods import register
from toys import Equicorrelated

register_joint("equicorrelated", Equicorrelated)
register("springs", "toys:SpringModel", label="Springs", summary="edges are springs")
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The toys as an installed package, known by its entry point alone."""
    METHODS.pop("springs", None)
    registry._ESTIMATORS.pop("SpringModel", None)
    site = tmp_path / "site"
    about = site / "springs-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "springs_for_acvae.py").write_text(PLUGIN)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: springs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[acvae.models]\nsprings = springs_for_acvae\n")
    monkeypatch.syspath_prepend(site)
    load_plugins.cache_clear()
    yield site
    load_plugins.cache_clear()
    sys.modules.pop("springs_for_acvae", None)


class TestCommands:
    """The command line knows a model of an installed package."""

    TREE = ("tree", "--data-option", "n_vertices=30", "--data-option", "n_features=5")

    def test_from_fit_to_the_report(self, installed, tmp_path, capsys):
        run = str(tmp_path / "run")
        assert main(["fit", "--help"]) == 0
        told = capsys.readouterr().out
        assert "springs         edges are springs" in told
        assert "How firmly vertices are held near the unit sphere (1.0); only springs" in " ".join(
            told.split()
        )
        fit = ["fit", *self.TREE, "--model", "springs", "--hold", "2.5", "--epochs", "4", "--quiet"]
        assert main([*fit, "--out", run]) == 0
        assert Run(run).config.options["hold"] == 2.5
        assert main(["fit", "--resume", run, "--quiet"]) == 0
        assert main(["evaluate", run, "--json", "--quiet"]) == 0
        scores = json.loads(capsys.readouterr().out)
        assert scores["link_prediction"].keys() == {"link", "joint"}
        for by in ("link", "distance"):
            assert main(["neighbors", run, "3", "--by", by, "--json"]) == 0
            assert len(json.loads(capsys.readouterr().out)["neighbors"]) == 10
        assert main(["links", run, "-k", "2", "--out", str(tmp_path / "l.csv"), "--quiet"]) == 0
        assert len((tmp_path / "l.csv").read_text().splitlines()) == 1 + 2 * 30
        assert main(["cluster", run, "-k", "3", "--quiet"]) == 0
        assert len(set(capsys.readouterr().out.split())) > 3
        assert main(["report", run, "-o", str(tmp_path / "r.html"), "--map", "pca", "--quiet"]) == 0
        assert "correlated embeddings" in (tmp_path / "r.html").read_text()
        assert main(["compare", run, "--methods", "common-neighbours", "springs", "--quiet"]) == 0
        assert "(springs)" in capsys.readouterr().out

    def test_in_a_process_that_knows_nothing_of_it_yet(self, installed, tmp_path):
        run = str(tmp_path / "run")
        assert main(["fit", *self.TREE, "--model", "springs", "--epochs", "2", "--quiet", "--out", run]) == 0
        path = os.pathsep.join([str(installed), str(Path(__file__).parent), *sys.path])
        found = subprocess.run(
            [sys.executable, "-m", "acvae.commands.main", "neighbors", run, "3", "-k", "2", "--json"],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )
        assert found.returncode == 0, found.stderr
        assert len(json.loads(found.stdout)["neighbors"]) == 2

    def test_a_package_that_cannot_be_imported_stands_in_nobody_s_way(self, installed, tmp_path, capsys):
        (installed / "springs_for_acvae.py").write_text("raise RuntimeError('no springs today')")
        told = r"'springs' of the package springs are left out, for springs_for_acvae.*no springs today"
        with pytest.warns(AcvaeWarning, match=told):
            assert main(["fit", *self.TREE, "--model", "springs", "--out", str(tmp_path / "run")]) == 1
        assert "--model springs is unknown" in capsys.readouterr().err


class TestRegister:
    def test_what_is_wrong_is_said(self):
        with pytest.raises(OptionError, match="small letters, digits and hyphens, not 'My model'"):
            register("My model", SpringModel)
        with pytest.raises(OptionError, match="there is a model 'vae' already, VAE"):
            register("vae", SpringModel)
        with pytest.raises(OptionError, match="a class with fit, or 'module:Class', not 3"):
            register("three", 3)
        with pytest.raises(OptionError, match=r"a class or 'module:Class', not 'toys\.SpringModel'"):
            register("springs", "toys.SpringModel")
        with pytest.raises(OptionError, match="ranking='hop' is unknown"):
            register("springs", SpringModel, rankings="hop")
        with pytest.raises(OptionError, match="needs a way to rank"):
            register("springs", SpringModel, rankings={})
        with pytest.raises(OptionError, match=r"a model VAE in acvae\.models\.vae already"):
            register("mine", "toys:VAE")
        assert "mine" not in METHODS

    def test_once_more_is_no_mistake(self):
        first = METHODS["springs"]
        assert register("springs", SpringModel, summary="edges are springs") == first
        assert register("springs", SpringModel, label="other").label == "other"

    def test_variants_of_one_class(self):
        firm = register("firm-springs", SpringModel, fixed={"hold": 9.0}, rankings={"joint": "Firm"})
        try:
            assert not firm.takes("hold")
            assert method_of(firm.make({})) is METHODS["springs"]  # the first that fits
            assert firm.make({}).hold == 9.0
        finally:
            del METHODS["firm-springs"]


def test_without_an_estimator_the_family_alone_is_enough():
    family = SpringFamily(Springs(N, 2, 0), SPLIT.train)
    before = family.elbo()
    train(family, Plan(epochs=20, learning_rate=1e-2, progress=False))
    assert family.elbo() > before
    assert family.posterior().distances([0]).shape == (1, N)
