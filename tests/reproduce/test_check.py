"""The check: every digit with the same code, a stated tolerance across; and claims of runners that share."""

import copy
import io
import threading

import pytest

from acvae.reproduce.check import TOLERANCE, differences
from acvae.reproduce.config import load_experiment
from acvae.reproduce.display import Display
from acvae.reproduce.runner import run_experiments
from acvae.reproduce.store import read_all


@pytest.fixture
def result(make_result):
    return make_result("citation-1998", "acvae-eb", 0.1, 0, bp=(0.5, 0.2))


def changed(result, value, *path):
    other = copy.deepcopy(result)
    place = other["selected"]["bp"]
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return other


@pytest.mark.parametrize(
    ("path", "near", "far"),
    [
        (("ncrr", "test"), 0.2 + 0.0064, 0.2 + 0.0066),
        (("ncrr", "train"), 0.5 - 0.0109, 0.5 - 0.0111),
        (("mrr", "test"), 0.1 - 0.0129, 0.1 - 0.0131),
        (("elbo",), -7.5 * 1.0084, -7.5 * 1.0087),
        (("kl",), 0.25 * 1.13, 0.25 * 1.15),
        (("mean_correlation",), 0.504, 0.506),
        (("epoch",), 20, None),
    ],
)
def test_tolerance(path, near, far, result):
    assert differences(result, copy.deepcopy(result)) == []
    assert len(differences(result, changed(result, near, *path))) == 1  # not the same to the last digit
    assert differences(result, changed(result, near, *path), TOLERANCE) == []
    if far is not None:
        assert len(differences(result, changed(result, far, *path), TOLERANCE)) == 1
        assert len(differences(result, changed(result, None, *path), TOLERANCE)) == 1


def test_what_was_selected_at_another_epoch_is_compared_by_its_scores_alone(result):
    other = changed(changed(result, -5.0, "elbo"), 20, "epoch")
    assert differences(result, other, TOLERANCE) == []
    assert len(differences(result, other)) == 2
    assert len(differences(result, changed(result, -5.0, "elbo"), TOLERANCE)) == 1
    worse = changed(other, 0.1, "ncrr", "test")
    assert len(differences(result, worse, TOLERANCE)) == 1


def test_the_split_has_no_tolerance(result):
    other = {**result, "data": {"test_edges_sha256": "another"}}
    assert len(differences(result, other, TOLERANCE)) == 1


def test_two_runners_share_the_work(configs, tmp_path):
    results, shown = tmp_path / "results", [io.StringIO(), io.StringIO()]

    def work(stream):
        run_experiments(
            [load_experiment("table1", folder=configs)],
            results, jobs=1, only=["small", "run=0"], display=Display(stream),
        )  # fmt: skip

    threads = [threading.Thread(target=work, args=(stream,)) for stream in shown]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    lines = [line for stream in shown for line in stream.getvalue().splitlines() if line.startswith("[")]
    done = [line for line in lines if "by another process" not in line]
    assert len(list(read_all(results))) == 4
    assert len(done) == 4, lines  # each run by one of them
    assert not list(results.rglob("*.claim"))
