"""The folder of a run: what is read from it, and every way it can be damaged."""

import json

import numpy as np
import pytest

import acvae
from acvae.exceptions import DataError, RunError
from acvae.runs import Run
from acvae.runs.errors import NoRunError, NotBegunError, StoppedRunError


def test_holds_the_model_the_split_and_the_scores(finished):
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


@pytest.mark.parametrize(
    "changes",
    [{"timing": 3}, {"timing": {"epochs": 3}}, {"timing": [1]}, {"timing": {"epochs": [1, "x"]}}],
)
def test_times_are_left_out_where_there_are_none(run, changes):
    about = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(about | changes))
    assert [row["epoch"] for row in Run(run).history] == [1, 2]


def test_files_elsewhere_are_no_files_of_the_run(run):
    outside = run.parent / "outside"
    outside.write_text("x")
    about = json.loads((run / "run.json").read_text())
    about["files"]["../outside"] = 1
    (run / "run.json").write_text(json.dumps(about))
    assert Run(run).missing == ["../outside"]


def test_a_history_with_more_cells_than_names(run):
    about = json.loads((run / "run.json").read_text())
    text = (run / "history.csv").read_text().replace("\n", ",7\n").replace(",7\n", "\n", 1)
    (run / "history.csv").write_text(text)
    about["files"]["history.csv"] = len(text)
    (run / "run.json").write_text(json.dumps(about))
    with pytest.raises(RunError, match=r"history\.csv' cannot be read"):
        _ = Run(run).history


def test_data_that_are_not_told(run):
    about = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(about | {"data": 3}))
    with pytest.raises(DataError, match="have changed"):
        Run(run).load_data()


def test_a_damaged_record_of_the_run(run):
    (run / "run.json").write_text("{")
    with pytest.raises(RunError, match=r"run\.json' cannot be read"):
        Run(run)
    for other in (99, 1, "2", None):
        (run / "run.json").write_text(json.dumps({"format": other}))
        with pytest.raises(RunError, match=f"of format {other}, and this acvae .* reads format 2"):
            Run(run)


def test_a_damaged_config(run):
    (run / "config.toml").write_text('dataset = "tree"\nepochs = -1\n')
    with pytest.raises(RunError, match=r"config\.toml' was changed and cannot be used: model=None"):
        Run(run)
    (run / "config.toml").unlink()
    with pytest.raises(DataError, match=r"there is no file .*config\.toml"):
        Run(run)


def test_a_damaged_model(run):
    (run / "model.safetensors").write_bytes(b"nothing")
    assert not Run(run).finished
    with pytest.raises(StoppedRunError, match=r"model\.safetensors in .* is missing or damaged"):
        _ = Run(run).model


def test_a_damaged_split(run):
    (run / "graph.safetensors").write_bytes(b"nothing")
    with pytest.raises(RunError, match=r"the graph in .*graph\.safetensors' cannot be read"):
        _ = Run(run).test


def test_other_data(run):
    text = (run / "config.toml").read_text()
    (run / "config.toml").write_text(text.replace("n_features = 8", "n_features = 9"))
    with pytest.raises(DataError, match="'tree'"):
        Run(run).load_data()


def test_where_there_is_no_run(run, tmp_path):
    with pytest.raises(NoRunError, match="does not exist") as caught:
        Run(tmp_path / "none")
    assert caught.value.path == tmp_path / "none"
    with pytest.raises(NoRunError, match="is a file, not the folder of a run"):
        Run(run / "run.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match=r"is not the folder of a run: it has no run\.json"):
        Run(tmp_path / "empty")
    (tmp_path / "empty" / "lock").touch()
    with pytest.raises(NotBegunError, match="stopped before it began"):
        Run(tmp_path / "empty")


def test_one_that_was_stopped(run):
    about = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(about | {"finished": False}))
    opened = Run(run)
    assert not opened.finished
    for ask in (opened.need_finished, lambda: opened.model, lambda: opened.posterior, lambda: opened.history):
        with pytest.raises(StoppedRunError, match="was stopped before its end"):
            ask()


@pytest.mark.parametrize("record", ["[]", "3", '{"format": "2"}', "{}"])
def test_a_record_of_another_kind(run, record):
    (run / "run.json").write_text(record)
    with pytest.raises(RunError):
        Run(run)


def test_a_file_cut_short_is_missing(run):
    path = run / "posterior.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    assert Run(run).missing == ["posterior.safetensors"]


def test_scores_are_written_and_read(run):
    opened = Run(run)
    opened.write_scores({"a": [1, float("nan")], "b": np.float64(0.5)})
    assert opened.scores == {"a": [1, None], "b": 0.5}
    (run / "scores.json").unlink()
    assert opened.scores is None


def test_classes_and_names_to_show(run):
    opened = Run(run)
    opened.stored_graph = opened.stored_graph._replace(
        classes=np.array([1, -1, 0]), class_names=["no", "yes"], display_names=["A", "B", "A"]
    )
    assert opened.class_names().tolist() == ["yes", "", "no"]
    assert opened.class_names(np.array([2, 0])).tolist() == ["no", "yes"]
    assert opened.show_name(2) == "A"
    opened.stored_graph = opened.stored_graph._replace(class_names=None, display_names=None)
    assert opened.class_names().tolist() == ["1", "", "0"]
    assert opened.show_name(2) == str(opened.graph.name(2))
    opened.stored_graph = opened.stored_graph._replace(classes=None)
    assert opened.class_names() is None
