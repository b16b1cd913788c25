"""Headers found out, a table a line."""

from pathlib import Path

import pytest

from acvae.datasets.headers import edges_alone_have_header, edges_have_header, features_have_header
from acvae.datasets.table_files import RawTable


def rows(text, names=None, comma=False):
    return RawTable(Path("x.csv"), [line.split() for line in text.split("/")], names, comma)


@pytest.mark.parametrize(
    ("text", "known", "header"),
    [
        ("from to/a b/b c", {"a", "b", "c"}, True),
        ("a b/b c", {"a", "b", "c"}, False),
        ("a x/b c", {"a", "b", "c"}, False),  # one known id is enough
        ("1 2/2 3", {"7", "8"}, False),  # all are numbers: an edge of unknown ones
        ("1 2/2 3", {"a", "8"}, True),
        ("s 2/2 3", {"2", "3"}, False),
        ("s t/2 3", {"2", "3"}, True),
    ],
)
def test_edges_with_known_ids(text, known, header):
    assert edges_have_header(rows(text), known) is header


MANY = "/".join(f"v{k} v{k + 1}" for k in range(20))  # both ends but the outermost recur


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a b/b c/c a", False),  # its words recur
        ("0 1/2 3", False),  # whole numbers
        ("a b", False),  # nothing stands below
        ("Source TARGET/x y", True),  # usual names
        ("source target", True),  # and nothing else
        ("n source target/1 a b/2 b c", True),  # wherever they stand
        ("n from v/1 a from/2 v c", None),  # "from" and "v" are vertices too
        ("mine yours/1 2/3 4", True),  # words above whole numbers
        (f"mine yours/{MANY}", True),  # all others have further edges
        ("mine yours/a b/c d/e f", None),  # none has
        (f"mine yours/{MANY}/p q/r s", True),  # two of twenty-two are alone
        (f"mine yours/{MANY}/p q/r s/t u", None),  # three of twenty-three
    ],
)
def test_edges_alone(text, header):
    assert edges_alone_have_header(rows(text)) is header


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("name age/ada 36/bo 40", True),  # a text above numbers
        ("ada 36/bo 40/cy 7", False),  # a number above numbers
        ("name kind/ada x/bo y", True),  # no numbers at all
        ("id 1 2/a 0 1/b 1 0", True),  # numbers for names, but "id" begins the line
        ("ada na/bo 40/cy 7", True),  # a gap says nothing, and no column of numbers is left
        ("1/2/3", False),  # one column of numbers
        ("age/2/3", True),
        ("a 1", True),  # one line
    ],
)
def test_features(text, header):
    assert features_have_header(rows(text), [], set()) is header


def test_the_ids_of_edges_tell():
    text = "u0 1 2/u1 0 1/u2 1 0"
    assert not features_have_header(rows(text), [], {"u0", "u1", "u2"})
    assert features_have_header(rows(text), [], {"u1", "u2"})  # the first is no end, the second is


def test_what_the_user_speaks_of_tells():
    text = "ada 36/bo 40"
    assert features_have_header(rows(text), ["36"], set())
    assert not features_have_header(rows("name age/ada 36"), ["1"], set())
    assert not features_have_header(rows(text), ["age"], set())  # neither a name nor a place: as without


def test_a_decimal_comma_is_a_number():
    assert not features_have_header(rows("a 1,5/b 2,5", comma=True), [], set())
    assert features_have_header(rows("a 1,5/b 2,5"), [], set())


def test_parquet_has_names():
    given = rows("a b/b c", names=["u", "v"])
    assert edges_have_header(given, {"a"})
    assert edges_alone_have_header(given)
    assert features_have_header(given, [], set())
