"""Results in files: every digit, read again, and what does not count as done."""

import json

import pytest

from acvae.reproduce.spec import RunSpec
from acvae.reproduce.store import done, holds, read_all, read_result, write_result

SPEC = RunSpec("small", "vae", None, 0, "link-prediction", "tree", options={"epochs": 4})


def test_results_keep_every_digit_and_no_nan(tmp_path):
    path = tmp_path / "deep" / "run=0.json"
    value = 0.1 + 0.2
    history = [{"epoch": 1, "x": value}, {"epoch": 2, "x": float("inf")}]
    write_result({"format": 1, "spec": {}, "selected": {"a": float("nan")}, "history": history}, path)
    result = read_result(path)
    assert result["history"] == [{"epoch": 1, "x": value}, {"epoch": 2, "x": None}]
    assert result["selected"] == {"a": None}
    assert list(path.parent.iterdir()) == [path]
    path.write_text("[]")
    assert read_result(path) is None


def test_a_data_set_may_be_called_as_one_likes(tmp_path):
    spec = RunSpec("HISTORY", "vae", None, 0, "link-prediction", ' "history": []')
    write_result({**stored(spec), "history": [{"epoch": 1}]}, spec.path(tmp_path))
    assert done(spec, tmp_path)
    assert read_result(spec.path(tmp_path))["history"] == [{"epoch": 1}]


def stored(spec=SPEC, **more):
    return {"format": 1, "spec": spec.as_json(), "selected": {}, "history": [], **more}


def test_done_is_the_very_run(tmp_path):
    assert not done(SPEC, tmp_path)
    write_result(stored(), SPEC.path(tmp_path))
    assert done(SPEC, tmp_path)
    other = RunSpec("small", "vae", None, 0, "link-prediction", "tree", options={"epochs": 5})
    assert other.path(tmp_path) == SPEC.path(tmp_path)
    assert not done(other, tmp_path)
    assert not holds(tmp_path / "none.json", SPEC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"format": 2}',
        '{"format": 1}',
        '{"format": 1, "spec": [], "selected": {}}',
        "[" * 10**5,
    ],
)
def test_what_cannot_be_read_is_done_again(tmp_path, text):
    path = SPEC.path(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert read_result(path) is None
    assert not done(SPEC, tmp_path)
    assert list(read_all(tmp_path)) == []


@pytest.mark.parametrize(
    "change", [{"method": "none"}, {"task": 3}, {"dataset": None}, {"every": {"hops": 1}}]
)
def test_a_spec_that_is_none_does_not_count(tmp_path, change):
    write_result(stored() | {"spec": SPEC.as_json() | change}, SPEC.path(tmp_path))
    assert not done(SPEC, tmp_path)


def test_all_in_the_order_of_their_paths(tmp_path):
    specs = [RunSpec("small", "vae", None, run, "link-prediction", "tree") for run in (2, 0, 1)]
    for spec in specs:
        write_result(stored(spec), spec.path(tmp_path))
    (tmp_path / "small" / "vae" / "notes.json").write_text("{}")
    assert [result["spec"]["run"] for result in read_all(tmp_path)] == [0, 1, 2]


def test_the_history_has_a_line_for_each_row(tmp_path):
    path = tmp_path / "run=0.json"
    write_result(stored(history=[{"epoch": 1, "x": "é"}, {"epoch": 2, "x": "b"}]), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert '  {"epoch": 1, "x": "é"},' in lines
    assert '  {"epoch": 2, "x": "b"}' in lines
    assert json.loads(path.read_text(encoding="utf-8"))["history"][0]["x"] == "é"
