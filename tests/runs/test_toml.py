import tomllib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from acvae.runs.toml import to_toml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLAIN = st.one_of(st.booleans(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False), TEXT)
VALUES = st.one_of(PLAIN, st.lists(PLAIN, max_size=3), st.dictionaries(TEXT, PLAIN, max_size=3))


@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_python_reads_back_what_was_written(values):
    assert tomllib.loads(to_toml(values)) == values


def test_none_is_left_out():
    assert to_toml({"a": None, "b": 1}) == "b = 1\n"


def test_numbers_and_lists_of_other_kinds():
    values = {"a": np.float64(1.5), "b": np.array([1.0, 2.5]), "c": range(3), "d": np.int64(2), "e": np.True_}
    assert to_toml(values) == "a = 1.5\nb = [1.0, 2.5]\nc = [0, 1, 2]\nd = 2\ne = true\n"
