"""A training in its folder: the library's own, said as it goes on, and not done twice."""

import numpy as np

import acvae
from acvae.runs import Run, fit_run, resume_run
from acvae.runs.writer import RunWriter
from runs.samples import VALUES, config


def test_trains_as_the_library_does(finished):
    run = Run(finished)
    data = run.load_data()
    split = acvae.split_edges(data.graph, seed=0)
    options = {key: VALUES[key] for key in ("epochs", "latent_dim", "hidden_dim", "pair_hidden_dim")}
    model = acvae.ACVAE(**options, device="cpu", progress=False).fit(data.features, split.train)
    np.testing.assert_array_equal(model.posterior_.mean, run.posterior.mean)
    np.testing.assert_array_equal(model.posterior_.joint.correlation, run.posterior.joint.correlation)


def test_without_a_split(tmp_path):
    run = fit_run(config(all_edges=True), tmp_path / "run", progress=False)
    assert run.test is None
    assert run.scores is None
    assert Run(run.path).graph == acvae.datasets.load("tree", n_vertices=30, n_features=8).graph


def test_resuming_a_finished_run_trains_nothing(finished):
    told = []
    before = (finished / "model.safetensors").read_bytes()
    assert resume_run(finished, say=told.append).finished
    assert told == [f"{finished} is finished already"]
    assert (finished / "model.safetensors").read_bytes() == before


def test_says_what_is_going_on(tmp_path):
    told = []
    fit_run(config(), tmp_path / "run", progress=False, say=told.append)
    assert told[0] == "loading tree"
    assert told[1].startswith("tree: 30 vertices with 8 features, ")
    assert "test edges held out (split seed 0)" in told[2]


def test_discarding_leaves_what_is_not_the_run_s(run):
    (run / "notes.txt").write_text("mine")
    with RunWriter(run) as writer:
        writer.discard()
    assert [path.name for path in run.iterdir()] == ["notes.txt"]
