import numpy as np
import pytest

from acvae._util.vertex_names import as_names, examples, factorize, id_text, is_range, order_of
from acvae.exceptions import GraphError


@pytest.mark.parametrize(
    ("names", "kind"), [([3, 1], "i"), (["b", "a"], "U"), ([1, "a"], "O"), ([(0, 1), (1, 0)], "O")]
)
def test_names_stay_what_they_were(names, kind):
    found = as_names(names)
    assert found.dtype.kind == kind
    assert found.tolist() == names
    assert not found.flags.writeable


@pytest.mark.parametrize(
    ("names", "n", "telling"),
    [
        ("ab", 2, "not a single string"),
        (["a", "b", "a"], 3, "distinct, but 'a' occurs more than once"),
        (["a"], 2, "1 names were given for 2 vertices"),
        (np.zeros((2, 2), int), None, r"got shape \(2, 2\)"),
        ([[1], [2]], None, "hashable"),
    ],
)
def test_what_cannot_name_vertices(names, n, telling):
    with pytest.raises(GraphError, match=telling):
        as_names(names, n)


def test_numbered_in_sorted_order_or_as_they_come():
    names, ids = factorize(np.array(["u2", "u10", "u2"]))
    assert (names.tolist(), ids.tolist()) == (["u10", "u2"], [1, 0, 1])
    names, ids = factorize(np.array(["b", 1, "b"], dtype=object))
    assert (names.tolist(), ids.tolist()) == (["b", 1], [0, 1, 0])


@pytest.mark.parametrize(
    ("names", "expected"),
    [(None, True), (np.arange(3), True), (np.array([1, 0]), False), (np.array(["0", "1"]), False)],
)
def test_ids_that_are_names(names, expected):
    assert is_range(names) is expected


@pytest.mark.parametrize(
    ("value", "text"), [(1282.0, "1282"), ("1282.0", "1282"), (" a ", "a"), ("1.5", "1.5"), ("a.0", "a.0")]
)
def test_whole_numbers_stored_as_floats(value, text):
    assert id_text(value) == text


def test_the_same_names_in_another_order():
    given = np.array([10.0, 30.0, 20.0])
    assert order_of(given, np.array(["30", "10", "20"])).tolist() == [1, 0, 2]
    assert order_of(given, np.array([20, 30, 10])).tolist() == [2, 1, 0]
    assert order_of(given, np.array([10, 20, 40])) is None
    assert order_of(given, np.array([10, 20])) is None


def test_a_few_examples():
    assert examples(np.array([1, 2])) == "1, 2"
    assert examples(["a", "b", "c", "d"]) == "'a', 'b', 'c', …"
