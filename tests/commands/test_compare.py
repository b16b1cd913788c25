"""`acvae compare` as it is called."""

import argparse
import json

import numpy as np
import pytest

import acvae
from acvae.commands import compare
from acvae.commands._usage import UsageError
from acvae.exceptions import DataError, UnknownNameError
from acvae.runs import Run


def call(*given: str) -> int:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    compare.add_parser(subparsers)
    return compare.run(parser.parse_args(["compare", *given]))


def test_a_table_of_rules_and_the_same_as_json(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    flags = ("--methods", "common-neighbours", "cosine", "--splits", "2", "--out", str(tmp_path))
    assert call("tree", *flags) == 0
    out, err = capsys.readouterr()
    assert "Hidden links ranked: tree" in out
    assert "common neighbours" in out
    assert "±" in out
    assert "split 1" in err
    assert call("tree", *flags, "--json", "--quiet") == 0
    out, err = capsys.readouterr()
    assert err == ""
    table = json.loads(out)["tables"]["tree"]
    data = acvae.datasets.load("tree")
    scores = []
    for seed in range(2):
        split = acvae.split_edges(data.graph, seed=seed)
        ranking = acvae.reproduce.compare.rules.common_neighbours(split.train, seed=seed)
        scores.append(acvae.metrics.ncrr(ranking, split.train, split.test).test)
    assert table["common neighbours"]["ncrr"]["mean"] == pytest.approx(np.mean(scores))


def test_a_run_on_its_own_split(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    from acvae.commands.main import main

    folder = str(tmp_path / "run")
    assert main(["fit", "tree", "--model", "vae", "--epochs", "2", "--out", folder, "--quiet"]) == 0
    capsys.readouterr()
    assert call(folder, "--methods", "cosine", "--json", "--quiet") == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"].values()
    opened = Run(folder)
    expected = acvae.metrics.ncrr(opened.posterior, opened.graph, opened.test).test
    assert table[f"{folder} (vae)"]["ncrr"] == pytest.approx(expected)
    assert "cosine of the features" in table
    with pytest.raises(UsageError, match="alone"):
        call(folder, "--splits", "3")


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no method"):
        call("tree", "--methods", "magic")
    with pytest.raises(UnknownNameError, match="no data set"):
        call("treee", "--methods", "cosine")
    with pytest.raises(DataError, match="no labels"):
        call("debian", "--task", "classification", "--methods", "svd", "--quiet")
