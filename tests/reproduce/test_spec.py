"""One run of a grid: what it is called, where it goes, and the settings that do it."""

import pytest

from acvae.exceptions import OptionError
from acvae.reproduce.spec import RunSpec, all_methods, gamma_text


def test_spec_survives_json_and_knows_its_path(tmp_path):
    spec = RunSpec("d", "acvae-eb", 0.001, 3, "link-prediction", "tree", every={"bp": 2}, exclusive=True)
    assert RunSpec.from_json(spec.as_json()) == spec
    assert spec.path(tmp_path) == tmp_path / "d" / "acvae-eb" / "gamma=0.001" / "run=3.json"
    assert spec.same_work(RunSpec.from_json({**spec.as_json(), "exclusive": False}))
    assert not spec.same_work(RunSpec.from_json({**spec.as_json(), "every": {"bp": 3}}))
    assert [gamma_text(g) for g in (None, 0.0001, 10.0, 1000.0)] == ["none", "0.0001", "10", "1000"]
    assert gamma_text(0.12345678) == "0.12345678"  # every digit, so that two runs never share a file


def spec(**changes):
    given = {"dataset": "d", "method": "acvae-eb", "gamma": 0.1, "run": 3, "task": "link-prediction"}
    return RunSpec(**{**given, "data": "tree", **changes})


def test_what_people_read():
    assert spec().name == "d acvae-eb γ=0.1 run 3"
    assert spec(method="vae", gamma=None).name == "d vae run 3"


def test_the_run_number_is_the_seed_of_split_and_model():
    config = spec(data_options={"n_vertices": 9}, options={"epochs": 7}).config()
    assert config.split_seed == 3
    assert (config.options["seed"], config.options["gamma"], config.options["epochs"]) == (3, 0.1, 7)
    assert config.options["device"] == "cpu"
    assert config.data == {"dataset": "tree", "data_options": {"n_vertices": 9}}
    assert spec(task="clustering").config().split_seed is None  # on all edges


@pytest.mark.parametrize(
    ("changes", "telling"),
    [
        ({"method": "gae"}, "no method 'gae'; there are graph-gaussian, "),
        ({"task": "naming"}, "no task 'naming'; there are link-prediction, clustering"),
        ({"every": {"bp": 1, "hops": 2}}, "acvae-eb cannot be evaluated by 'hops'; it can by bp, pairwise"),
    ],
)
def test_what_there_is_not(changes, telling):
    with pytest.raises(OptionError, match=telling):
        spec(**changes)


def test_fields_that_a_later_version_adds_are_passed_over():
    assert RunSpec.from_json({**spec().as_json(), "colour": "red"}) == spec()


def test_baselines_can_be_run_too():
    assert "random-tree" in all_methods()
    assert spec(method="random-tree", gamma=None, every={"hops": 1}).every == {"hops": 1}


def test_gammas_that_are_no_numbers_have_a_name_too():
    assert gamma_text(float("inf")) == "inf"
