"""Runs: the folder of a training, its settings as TOML, and every way it can be damaged."""

import json

import numpy as np
import pytest

import acvae
from acvae.exceptions import DataError, RunError
from acvae.runs import Run, fit_run, resume_run
from acvae.runs.errors import StoppedRunError
from acvae.runs.writer import RunWriter
from runs.samples import VALUES, config


class TestRecordsThatMayBeAnything:
    @pytest.mark.parametrize(
        "changes",
        [{"timing": 3}, {"timing": {"epochs": 3}}, {"timing": [1]}, {"timing": {"epochs": [1, "x"]}}],
    )
    def test_times_are_left_out_where_there_are_none(self, run, changes):
        about = json.loads((run / "run.json").read_text())
        (run / "run.json").write_text(json.dumps(about | changes))
        assert [row["epoch"] for row in Run(run).history] == [1, 2]

    def test_files_elsewhere_are_no_files_of_the_run(self, run):
        outside = run.parent / "outside"
        outside.write_text("x")
        about = json.loads((run / "run.json").read_text())
        about["files"]["../outside"] = 1
        (run / "run.json").write_text(json.dumps(about))
        assert Run(run).missing == ["../outside"]

    def test_a_history_with_more_cells_than_names(self, run):
        about = json.loads((run / "run.json").read_text())
        text = (run / "history.csv").read_text().replace("\n", ",7\n").replace(",7\n", "\n", 1)
        (run / "history.csv").write_text(text)
        about["files"]["history.csv"] = len(text)
        (run / "run.json").write_text(json.dumps(about))
        with pytest.raises(RunError, match=r"history\.csv' cannot be read"):
            _ = Run(run).history

    def test_data_that_are_not_told(self, run):
        about = json.loads((run / "run.json").read_text())
        (run / "run.json").write_text(json.dumps(about | {"data": 3}))
        with pytest.raises(DataError, match="have changed"):
            Run(run).load_data()


class TestRun:
    def test_holds_the_model_the_split_and_the_scores(self, finished):
        run = Run(finished)
        data = acvae.datasets.load("tree", n_vertices=30, n_features=8)
        split = acvae.split_edges(data.graph, seed=0)
        assert run.graph == split.train
        assert run.test == split.test
        stored = run.split
        assert (stored.seed, stored.fraction) == (0, 0.05)
        assert stored.train == split.train
        assert isinstance(run.model, acvae.ACVAE)
        assert len(run.history) == 2
        expected = acvae.metrics.ncrr(run.posterior, split.train, split.test)
        assert run.scores["link_prediction"]["bp"]["ncrr"] == expected._asdict()
        assert run.about["data"]["n_edges"] == data.graph.n_edges
        assert run.load_data().graph == data.graph

    def test_trains_as_the_library_does(self, finished):
        run = Run(finished)
        data = run.load_data()
        split = acvae.split_edges(data.graph, seed=0)
        options = {key: VALUES[key] for key in ("epochs", "latent_dim", "hidden_dim", "pair_hidden_dim")}
        model = acvae.ACVAE(**options, device="cpu", progress=False).fit(data.features, split.train)
        np.testing.assert_array_equal(model.posterior_.mean, run.posterior.mean)
        np.testing.assert_array_equal(model.posterior_.joint.correlation, run.posterior.joint.correlation)

    def test_without_a_split(self, tmp_path):
        run = fit_run(config(all_edges=True), tmp_path / "run", progress=False)
        assert run.test is None
        assert run.scores is None
        assert Run(run.path).graph == acvae.datasets.load("tree", n_vertices=30, n_features=8).graph

    def test_resuming_a_finished_run_trains_nothing(self, finished):
        told = []
        before = (finished / "model.safetensors").read_bytes()
        assert resume_run(finished, say=told.append).finished
        assert told == [f"{finished} is finished already"]
        assert (finished / "model.safetensors").read_bytes() == before

    def test_says_what_is_going_on(self, tmp_path):
        told = []
        fit_run(config(), tmp_path / "run", progress=False, say=told.append)
        assert told[0] == "loading tree"
        assert told[1].startswith("tree: 30 vertices with 8 features, ")
        assert "test edges held out (split seed 0)" in told[2]


class TestDamage:
    def test_the_record_of_the_run(self, run):
        (run / "run.json").write_text("{")
        with pytest.raises(RunError, match=r"run\.json' cannot be read"):
            Run(run)
        for other in (99, 1, "2", None):
            (run / "run.json").write_text(json.dumps({"format": other}))
            with pytest.raises(RunError, match=f"of format {other}, and this acvae .* reads format 2"):
                Run(run)

    def test_the_config(self, run):
        (run / "config.toml").write_text('dataset = "tree"\nepochs = -1\n')
        with pytest.raises(RunError, match=r"config\.toml' was changed and cannot be used: model=None"):
            Run(run)
        (run / "config.toml").unlink()
        with pytest.raises(DataError, match=r"there is no file .*config\.toml"):
            Run(run)

    def test_the_model(self, run):
        (run / "model.safetensors").write_bytes(b"nothing")
        assert not Run(run).finished
        with pytest.raises(StoppedRunError, match=r"model\.safetensors in .* is missing or damaged"):
            _ = Run(run).model

    def test_the_split(self, run):
        (run / "graph.safetensors").write_bytes(b"nothing")
        with pytest.raises(RunError, match=r"the graph in .*graph\.safetensors' cannot be read"):
            _ = Run(run).test

    def test_other_data(self, run):
        text = (run / "config.toml").read_text()
        (run / "config.toml").write_text(text.replace("n_features = 8", "n_features = 9"))
        with pytest.raises(DataError, match="'tree'"):
            Run(run).load_data()

    def test_discarding_leaves_what_is_not_the_run_s(self, run):
        (run / "notes.txt").write_text("mine")
        with RunWriter(run) as writer:
            writer.discard()
        assert [path.name for path in run.iterdir()] == ["notes.txt"]
