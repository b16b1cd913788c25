"""Spoilt files of every kind: refused by an error of acvae, or read as what they say.

Some hundred of those that `benchmarks/faults/mutants.py` opens in processes of their own.
"""

import warnings
from collections import Counter

import mutants
import pytest
from file_kinds import make_kinds
from mutations import numpy_files, packed

EACH = 10


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_kinds(tmp_path_factory.mktemp("valid"))


def test_none_is_let_in(kinds, tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "PIECES", 1)
    monkeypatch.setattr(numpy_files, "BOMB", 1 << 24)
    outcomes, faults = Counter(), []
    for kind in kinds:
        bench = mutants.Bench(kind, tmp_path)
        for number in range(EACH):
            outcome, word = bench.open(number)
            outcomes[outcome] += 1
            if outcome in mutants.FAULTS:
                faults.append((kind.name, number, outcome, word))
    assert not faults
    assert outcomes.total() == EACH * len(kinds) >= 400
    assert outcomes[mutants.REFUSED] > outcomes.total() / 2


def test_the_valid_files_are_read_the_same_again(kinds, tmp_path):
    for kind in kinds:
        bench = mutants.Bench(kind, tmp_path)
        assert mutants.digest(kind.read(bench.put(bench.valid))) == bench.answer, kind.name
