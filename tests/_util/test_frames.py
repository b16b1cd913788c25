"""Data frames with columns of any types that hold numbers."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from acvae._util.frames import frame_values, is_frame
from acvae.exceptions import FeatureError

NAN = np.nan
NUMBERS = pd.DataFrame({"size": [1.5, 2.5, 0.0], "kind": ["x", "y", "x"]})
DUMMIES = [[1.5, 1, 0], [2.5, 0, 1], [0, 1, 0]]


def dense(table):
    return table.toarray() if sp.issparse(table) else table


def nullable(**columns):
    return pd.DataFrame({name: pd.array(values, dtype=kind) for name, (values, kind) in columns.items()})


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (pd.get_dummies(NUMBERS), DUMMIES),
        (pd.get_dummies(NUMBERS, sparse=True), DUMMIES),
        (pd.get_dummies(NUMBERS, sparse=True).astype({"size": pd.SparseDtype(float, 0)}), DUMMIES),
        (pd.DataFrame({"a": [1, 2], "b": [True, False], "c": [0.5, NAN]}), [[1, 1, 0.5], [2, 0, NAN]]),
        (
            nullable(a=([1.5, None], "Float64"), b=([True, None], "boolean"), c=([None, 7], "Int64")),
            [[1.5, 1, NAN], [NAN, NAN, 7]],
        ),
        (
            nullable(b=([True, False], "boolean")).assign(x=[0.5, 2], y=[False, True]),
            [[1, 0.5, 0], [0, 2, 1]],
        ),
    ],
    ids=["dummies", "sparse-dummies", "all-sparse", "three-types", "nullable", "nullable-and-plain"],
)
def test_the_numbers_of_columns_of_several_types(frame, expected):
    found = frame_values(frame)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(dense(found), expected)


@pytest.mark.parametrize("kind", [bool, np.int32, np.uint8, np.float32])
def test_columns_of_one_type_keep_it(kind):
    found = frame_values(pd.DataFrame(np.eye(3), columns=["a", "b", "c"]).astype(kind))
    assert found.dtype == kind
    np.testing.assert_array_equal(found, np.eye(3))
    whole = frame_values(pd.DataFrame({"a": [1, 2], "b": [True, False]}))
    assert whole.dtype == np.int64


def test_sparse_columns_stay_sparse():
    frame = pd.DataFrame(np.eye(3)).astype(pd.SparseDtype(float, 0))
    found = frame_values(frame)
    assert sp.issparse(found)
    np.testing.assert_array_equal(found.toarray(), np.eye(3))
    assert not sp.issparse(frame_values(frame.assign(other=1.0)))


def test_columns_without_numbers_are_named():
    frame = pd.DataFrame({"a": [1.0], "town": ["Zug"], "when": pd.to_datetime(["2020-01-01"])})
    with pytest.raises(FeatureError, match=r"'town' \(.*\), 'when' \(datetime64.*get_dummies"):
        frame_values(frame)


def test_no_columns():
    assert frame_values(pd.DataFrame(index=range(3))).shape == (3, 0)


def test_what_is_a_frame():
    assert is_frame(NUMBERS)
    assert not is_frame(NUMBERS["size"])
    assert not is_frame(np.eye(2))


def test_of_many_columns_that_are_no_numbers_a_few_are_named():
    frame = pd.DataFrame({f"c{k}": ["x"] for k in range(3000)})
    with pytest.raises(FeatureError, match=r"'c4' \(.*\) and 2,995 others\. Leave"):
        frame_values(frame)
