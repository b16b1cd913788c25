"""Tasks: results made once, rows and tables read from a store."""

import json

import pytest

from acvae.reproduce.compare.store import Store
from acvae.reproduce.compare.tasks import TASKS, Task
from reproduce.compare.samples import small


class Line:
    """A method of which only the name counts."""

    kind = "rule"

    def __init__(self, name):
        self.name, self.label = name, name.upper()


def made(asked=None):
    def score(method, data, seed):
        if asked is not None:
            asked.append((method.name, seed))
        return {"a": {"x": 0.1, "y": 20.0}[method.name] + seed / 10, "b": None if seed else 0.5}

    return Task("mine", "Of mine", {"a": "first", "b": "second"}, score)


@pytest.fixture
def filled(tmp_path):
    store, asked, said = Store(tmp_path), [], []
    made(asked).run(small(), [Line("x"), Line("y")], range(2), store, said.append)
    return store, asked, said


def test_every_method_on_every_split_once(filled):
    store, asked, said = filled
    assert asked == [("x", 0), ("y", 0), ("x", 1), ("y", 1)]
    assert said[:2] == ["small, split 0: X", "  first 0.100"]
    made(asked).run(small(), [Line("x"), Line("y")], range(3), store)
    assert asked[4:] == [("x", 2), ("y", 2)]
    stored = json.loads(store.path("mine", "small", "x", 1).read_text())
    assert (stored["label"], stored["kind"], stored["a"], stored["b"]) == ("X", "rule", 0.2, None)


def test_rows_are_means_over_the_splits_that_are_there(filled):
    rows = made().rows("small", ["y", "none", "x"], range(5), filled[0])
    assert list(rows) == ["Y", "X"]  # in the order asked for, by label
    assert rows["X"]["a"].mean == pytest.approx(0.15)
    assert (rows["X"]["a"].values, rows["X"]["b"].values) == (2, 1)


def test_a_table_has_a_line_for_each(filled):
    lines = made().table("small", ["x", "y"], range(2), filled[0]).splitlines()
    assert lines[0] == "**Of mine: small**"
    assert lines[2] == "|  | first | second | splits |"
    # 0.1 and 0.2: half-width 12.706·0.0707/√2 = 0.635.
    assert lines[4] == "| X | 0.150 ± 0.635 | 0.500 | 2 |"
    assert lines[5] == "| Y | 20.1 ± 0.6 | 0.500 | 2 |"


def test_seconds_have_one_digit(tmp_path):
    task = Task("timed", "Timed", {"cpu_seconds": "s"}, lambda *_: {"cpu_seconds": 12.345})
    store = Store(tmp_path)
    task.run(small(), [Line("x")], [0], store)
    assert task.table("small", ["x"], [0], store).endswith("| X | 12.3 | 1 |")


def test_tasks_are_by_their_names():
    assert all(task.name == name for name, task in TASKS.items())
    assert all(task.splits >= 1 and task.metrics for task in TASKS.values())
