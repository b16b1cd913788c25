"""The vertex that was meant, or those that may have been."""

import pytest

from acvae import Graph
from acvae.commands._names import AT_MOST, find_vertex, suggestions
from acvae.exceptions import UnknownNameError

NAMES = ["python3", "python3-numpy", "libpython3.11", "Perl", "r-base", "ruby"]
GRAPH = Graph(6, [], NAMES)


def test_by_name_and_by_number():
    assert find_vertex(GRAPH, "Perl") == 3
    assert find_vertex(Graph(3, [], [7, 5, 3]), "5") == 1  # a name, not an id
    assert find_vertex(Graph(3, []), "2") == 2


@pytest.mark.parametrize("text", ["3", "-1", "x", "1.0", ""])
def test_numbers_that_are_no_vertex(text):
    with pytest.raises(UnknownNameError, match="no names here, but numbers from 0 to 2"):
        find_vertex(Graph(3, []), text)


def test_an_unknown_name_is_answered_with_those_like_it():
    with pytest.raises(UnknownNameError, match=r"no vertex is called 'perl'\. Did you mean Perl\?"):
        find_vertex(GRAPH, "perl")
    with pytest.raises(UnknownNameError, match=r"Did you mean python3-numpy\?"):
        find_vertex(GRAPH, "numpy")
    with pytest.raises(UnknownNameError, match="Names here are like 'python3', 'python3-numpy', 'lib"):
        find_vertex(GRAPH, "zzz")


def test_the_likeliest_come_first():
    assert suggestions("PYTHON3", NAMES) == ["python3"]  # but for capitals it is that
    assert suggestions("numpy", NAMES)[0] == "python3-numpy"
    assert suggestions("base", NAMES)[0] == "r-base"
    # As the last word, as a word, at the beginning, as a part; the shorter first.
    names = ["xxab", "ab-y", "abz", "z-ab", "q"]
    assert suggestions("ab", names) == ["z-ab", "ab-y", "abz", "xxab"]
    assert suggestions("rubby", NAMES) == ["ruby"]


def test_no_more_than_a_few():
    assert len(suggestions("a", [f"a{k}" for k in range(50)])) == AT_MOST
    assert suggestions("", NAMES) == []


def test_letters_of_patterns_are_letters():
    assert suggestions("c++", ["libstdc++", "c"]) == ["libstdc++"]


PACKAGES = ["numpy-stl", "python3-numpy", "python3-numpydoc", "python3-scipy", "Pillow", "num_py"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("numpy", ["python3-numpy", "numpy-stl", "python3-numpydoc"]),  # last word, a word, a part
        ("pillow", ["Pillow"]),
        ("python3-nunpy", ["python3-numpy", "python3-numpydoc"]),
        ("qqqq", []),
        ("", []),
    ],
)
def test_suggestions(text, found):
    assert suggestions(text, PACKAGES)[: max(len(found), 1)] == found


def test_names_that_are_whole_numbers_are_found_by_their_digits():
    graph = Graph.from_edges([(1001, 1002), (1002, 1010)])
    assert find_vertex(graph, "1010") == 2
    with pytest.raises(UnknownNameError, match="Did you mean 1001"):
        find_vertex(graph, "10011")


def test_names_to_show_are_found_too():
    graph = Graph(7, [(0, 1)], list("abcdefg"))
    shown = ["Ann", "Ben", "Cid", "a", "Ann", "Dee", "Dee"]
    assert find_vertex(graph, "Ben", shown) == 1
    assert find_vertex(graph, "a", shown) == 0  # an id is an id
    with pytest.raises(UnknownNameError, match=r"2 vertices are called 'Ann'. Give the id of one: a or e\."):
        find_vertex(graph, "Ann", shown)
    with pytest.raises(UnknownNameError, match=r"no vertex is called 'ben'\. Did you mean Ben"):
        find_vertex(graph, "ben", shown)
    with pytest.raises(UnknownNameError, match=r"7 vertices are called 'x'.*: a, b, c, d, e, …\."):
        find_vertex(graph, "x", ["x"] * 7)
    numbered = Graph(3, [(0, 1)])
    assert find_vertex(numbered, "2", ["x", "y", "1"]) == 2
    assert find_vertex(numbered, "y", ["x", "y", "1"]) == 1
    with pytest.raises(UnknownNameError, match="Names here are like 'x', 'y', '1'"):
        find_vertex(numbered, "zzz", ["x", "y", "1"])
