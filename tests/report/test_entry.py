"""One run as a page needs it: what is read of its folder, and what it is called."""

import numpy as np
import pytest

from acvae import Graph, Posterior
from acvae.exceptions import OptionError
from acvae.report import Entry
from acvae.report.entry import _labels, open_runs
from acvae.runs import RunConfig, fit_run
from report.samples import make_entry

VALUES = {
    "dataset": "tree",
    "data_options": {"n_vertices": 30, "n_features": 8},
    "model": "acvae-eb",
    "epochs": 1,
    "latent_dim": 2,
    "hidden_dim": 3,
    "pair_hidden_dim": 4,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    config = RunConfig.from_values(VALUES)
    return fit_run(config, tmp_path_factory.mktemp("runs") / "mine", progress=False)


def test_everything_is_read_from_the_folder(run):
    entry = Entry.from_run(run, "mine")
    assert (entry.label, entry.model, entry.data) == ("mine", "acvae-eb", "tree")
    assert entry.graph == run.graph
    assert entry.test == run.test
    assert entry.scores == run.scores
    assert entry.options["latent_dim"] == 2
    assert entry.features.shape == (30, 8)
    assert entry.has_forest
    np.testing.assert_array_equal(entry.posterior.mean, run.posterior.mean)
    ids, _ = entry.predictor.predict_links(np.array([0]), 3, entry.graph)
    assert ids.shape == (1, 3)


def test_without_its_data_a_page_has_no_features(run, monkeypatch):
    def gone(self):
        raise OSError("gone")

    monkeypatch.setattr(type(run), "load_data", gone)
    entry = Entry.from_run(run, "mine")
    assert entry.features is entry.feature_names is None
    np.testing.assert_array_equal(entry.classes, run.classes)  # which the run has stored
    assert entry.posterior.n_vertices == 30


def test_runs_are_called_by_what_tells_them_apart(run, tmp_path):
    (entry,) = open_runs([run.path])
    assert entry.label == "mine"
    with pytest.raises(OptionError, match="a run was given twice"):
        open_runs([run.path, run.path.parent / "." / "mine"])


def test_labels_are_as_short_as_can_be(tmp_path):
    assert _labels([tmp_path / "a", tmp_path / "b"]) == ["a", "b"]
    assert _labels([tmp_path / "x" / "a", tmp_path / "y" / "a"]) == ["x/a", "y/a"]
    assert _labels([]) == []


def test_names_are_numbers_where_there_are_none():
    q = Posterior(np.zeros((2, 1)), np.ones((2, 1)))
    entry = Entry("a", "vae", "toy", q, Graph(2, []))
    assert entry.names == ["0", "1"]
    assert not entry.has_forest
    assert make_entry(n=5, names=[9, 8, 7, 6, 5]).names == ["9", "8", "7", "6", "5"]
