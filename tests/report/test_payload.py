"""What the page is given agrees with the posterior."""

from dataclasses import replace

import numpy as np
import pytest

import acvae
from acvae.exceptions import OptionError
from acvae.gaussian import PairwiseMarginals
from acvae.report import Entry
from acvae.report.payload import calibration, curves, payload
from report.reading import unpack
from report.samples import Predictor, make_entry


def test_names_of_runs_on_the_same_data_are_there_once():
    data = payload(
        [make_entry("a"), make_entry("b", seed=1), make_entry("c", n=30, data="other")], maps="pca"
    )
    assert [run["names"] for run in data["runs"]] == [0, 0, 1]
    assert [len(names) for names in data["names"]] == [40, 30]
    assert [run["n"] for run in data["runs"]] == [40, 40, 30]


def test_maps_have_a_place_for_every_vertex(entry):
    run = payload([entry])["runs"][0]
    assert list(run["maps"]) == ["tsne", "pca"]
    for place in run["maps"].values():
        assert len(unpack(place["x"])) == len(unpack(place["y"])) == 40
    assert list(payload([entry], maps="pca")["runs"][0]["maps"]) == ["pca"]


def test_without_a_forest_there_are_links_but_no_paths():
    run = payload([make_entry(forest=False)], maps="pca")["runs"][0]
    assert run["forest"] is None
    assert run["lengths"] is None
    assert run["links"]["k"] == 10
    assert run["dendrogram"]["merges"]


def test_pairwise_posteriors_have_links_but_no_paths():
    rng = np.random.default_rng(0)
    pairs = PairwiseMarginals(*(rng.normal(size=s).astype(np.float32) for s in [(12, 4), (12, 4), (4, 2), 2]))
    q = acvae.Posterior.from_correlations(rng.normal(size=(12, 2)), np.ones((12, 2)), pairs)
    graph = acvae.Graph(12, [(0, 1), (3, 4)])
    run = payload([Entry("c", "cvae-corr", "toy", q, graph)], maps="pca")["runs"][0]
    assert run["forest"] is None
    assert run["test"] is None
    nearest, _ = q.nearest(np.arange(12), 10, exclude=graph)
    assert (unpack(run["links"]["ids"]).reshape(12, 10) == np.where(nearest < 0, 0xFFFF, nearest)).all()


def test_one_dimension_is_a_map_too():
    q = acvae.Posterior(np.arange(6.0)[:, None], np.ones((6, 1)))
    run = payload([Entry("one", "vae", "toy", q, acvae.Graph(6, [(0, 1)]))], maps="pca")["runs"][0]
    assert (unpack(run["maps"]["pca"]["y"]) == 0).all()


def test_curves_leave_out_what_is_no_number(entry):
    found = curves(entry.history)
    assert found["elbo"] == {"epoch": [1, 2], "value": [-5.0, -4.0]}
    assert "kl" not in found  # one point is no curve
    assert "test_ncrr" not in found
    assert "settled" not in found  # of no model whose weights settle
    assert "settled" in curves(entry.history, "acvae-eb")
    assert curves([]) == {}


@pytest.mark.parametrize("wrong", [{"maps": "umap"}, {"clusters": 0}, {"clusters": 1000}])
def test_wrong_options_are_refused(entry, wrong):
    with pytest.raises(OptionError):
        payload([entry], **wrong)


def test_too_many_vertices_are_refused_before_the_work(entry, monkeypatch):
    monkeypatch.setattr("acvae.report.payload.MOST_VERTICES", 39)
    with pytest.raises(OptionError, match=r"a page holds at most 39.*acvae links RUN"):
        payload([entry])


def test_stored_bins_of_probabilities_are_shown(entry):
    one = {
        "predicted": 0.1,
        "observed": 0.1,
        "low": 0.0,
        "high": 0.2,
        "links": 1,
        "pairs": 10,
        "counted": True,
    }
    other = {**one, "predicted": 0.2, "observed": 0.3}
    likely = {**one, "predicted": 0.5, "observed": 0.25, "links": 5, "pairs": 20}
    few = {**one, "predicted": 0.9, "observed": 1.0, "links": 4, "pairs": 4}
    left_out = [{**one, "observed": None}, {**one, "counted": False}, {"counted": True}]
    stored = {"reliability": [one, other, *left_out], "calibration_error": 0.05, "log_loss": None}
    found = calibration({"calibration": stored})
    assert found is not None
    assert found["fraction"] == [0.1, 0.3]
    assert (found["error"], found["log_loss"]) == (0.05, None)
    assert found["likely"] is None
    more = calibration({"calibration": {**stored, "reliability": [one, other, likely, few]}})
    assert more["fraction"] == [0.1, 0.3, 0.25]  # four pairs say nothing of their own
    assert more["likely"] == {"pairs": 24, "share": 9 / 24}
    assert calibration({"calibration": {"reliability": [one]}}) is None
    assert calibration({"calibration": {"reliability": "no"}}) is None
    assert calibration(None) is None


def test_links_come_with_probabilities_and_reasons_where_there_is_a_predictor(entry):
    run = payload([replace(entry, predictor=Predictor())], maps="pca")["runs"][0]
    assert unpack(run["links"]["probability"]).shape == (400,)
    v, place = run["links"]["best"][0]
    told_why = run["links"]["words"][f"{v} {place}"]
    other = int(unpack(run["links"]["ids"]).reshape(40, 10)[v, place])
    assert told_why == [f"{v} is near {other}", "<b>bold</b>"]
    assert payload([entry], maps="pca")["runs"][0]["links"]["asked"] is None
