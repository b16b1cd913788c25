"""The registry: every method can be made, fitted, evaluated, asked, repeated in a grid and reported."""

import inspect
import json

import pytest

import acvae
from acvae import methods
from acvae.commands.main import main
from acvae.exceptions import OptionError
from acvae.methods import BASELINES, DEFAULT_METHOD, METHODS, RANKINGS, method_named, method_of
from acvae.reproduce.execute import execute
from acvae.reproduce.spec import RunSpec
from acvae.runs import Run

SMALL = {"epochs": 2, "latent_dim": 3, "hidden_dim": 4, "pair_hidden_dim": 5, "device": "cpu"}
TREE = {"n_vertices": 30, "n_features": 8}


def small(method):
    return {name: value for name, value in SMALL.items() if method.takes(name)}


@pytest.mark.parametrize("name", METHODS)
def test_from_the_command_line_to_the_report(name, tmp_path, capsys):
    method, run = METHODS[name], str(tmp_path / "run")
    options = [f"--{key.replace('_', '-')}={value}" for key, value in small(method).items()]
    data = [word for key, value in TREE.items() for word in ("--data-option", f"{key}={value}")]
    assert main(["fit", "tree", *data, "--model", name, *options, "--out", run, "--quiet"]) == 0
    assert main(["evaluate", run, "--json", "--quiet"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert set(method.rankings) <= set(scores["link_prediction"]) <= set(RANKINGS)
    assert main(["neighbors", run, "3", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["neighbors"]) == 10
    assert main(["links", run, "-k", "2", "--out", str(tmp_path / "l.csv"), "--quiet"]) == 0
    assert len((tmp_path / "l.csv").read_text().splitlines()) == 1 + 2 * 30
    assert main(["report", run, "-o", str(tmp_path / "r.html"), "--map", "pca", "--quiet"]) == 0
    assert name in (tmp_path / "r.html").read_text()
    assert method_of(Run(run).model) is method


@pytest.mark.parametrize("name", [*METHODS, *BASELINES])
def test_as_a_run_of_a_grid(name):
    method = {**METHODS, **BASELINES}[name]
    own = {key: value for key, value in small(method).items() if key != "device"} if name in METHODS else {}
    every = {method.ranking: 2} if name in METHODS and method.takes("epochs") else {}
    gamma = 0.1 if method.takes("gamma") else None
    spec = RunSpec("d", name, gamma, 1, "link-prediction", "tree", TREE, own, every)
    result = execute(spec)
    assert RunSpec.from_json(result["spec"]).same_work(spec)
    once = {"link"} if name in METHODS and not method.takes("epochs") else set()
    assert set(result["selected"]) == set(every or method.rankings) | once
    assert all(0 <= found["ncrr"]["test"] <= 1 for found in result["selected"].values())


@pytest.mark.parametrize("name", METHODS)
def test_options_are_the_estimator_s_own(name):
    method = METHODS[name]
    model, parameters = method.make({}), inspect.signature(method.estimator_class.__init__).parameters
    assert isinstance(model, getattr(acvae, method.estimator))
    assert model.get_params(deep=False) == {
        **{key: p.default for key, p in parameters.items() if key != "self"},
        **method.fixed,
        "progress": False,
    }
    assert {*method.options, *method.fixed, *method.without, "progress", "self"} == set(parameters)
    assert all(option.text for option in method.described)  # so that the help has something to say
    assert set(method.rankings) <= set(RANKINGS)


def test_importing_it_imports_no_estimator():
    assert DEFAULT_METHOD in METHODS
    assert "import torch" not in inspect.getsource(methods)


def test_mistakes():
    with pytest.raises(OptionError, match=r"model='vea' is unknown.*Did you mean 'vae'"):
        method_named("vea")
    with pytest.raises(OptionError, match="gamma does not apply to the model vae, which takes latent_dim"):
        METHODS["vae"].make({"gamma": 1})
    with pytest.raises(OptionError, match="a Graph is not one of the models"):
        method_of(acvae.Graph(2, [(0, 1)]))
    assert method_named("random-tree", baselines=True) is BASELINES["random-tree"]
