"""Checks at the door, given what nobody expects."""

import datetime
import decimal

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae._util import checks
from acvae.exceptions import GraphError, InputError, MissingDependencyError, OptionError, did_you_mean


class Fails:
    """Fails whatever it is asked to be."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")

    __index__ = __float__ = __iter__ = __repr__ = __str__ = __array__


HUGE = 10**5000  # more digits than Python turns into text
huge = pytest.param(HUGE, id="huge")


@pytest.mark.parametrize("value", [Fails(), huge, "x" * 10_000, list(range(10_000))])
def test_every_value_can_be_shown(value):
    assert len(checks.shown(value)) < 300
    assert len(did_you_mean(value, ["a", "b"])) < 300


@pytest.mark.parametrize("odd", [Fails(), huge, True, np.True_, 1.0, "1", None, [1], np.arange(2), -1, 2**63])
def test_what_is_no_whole_number(odd):
    with pytest.raises(OptionError, match="size must be a whole number"):
        checks.whole_number("size", odd, minimum=0)


def test_whole_numbers_and_seeds():
    assert checks.whole_number("size", np.uint8(3), minimum=0) == 3
    assert checks.seed_number("seed", 2**128 - 1) == 2**128 - 1  # as NumPy draws them
    with pytest.raises(OptionError, match="seed must be a whole number of at most"):
        checks.seed_number("seed", HUGE)


@pytest.mark.parametrize("odd", [Fails(), huge, "0.5", b"1", None, True, np.nan, np.inf, 1j, np.array([0.5])])
def test_what_is_no_real_number(odd):
    with pytest.raises(OptionError, match="gamma must be a finite number"):
        checks.real_number("gamma", odd, at_least=0)


SPARSE = torch.eye(2).to_sparse()
WITHOUT_VALUES = torch.empty(2, device="meta")


@pytest.mark.parametrize("odd", [Fails(), [[1], [1, 2]], SPARSE, WITHOUT_VALUES, torch.ones(2).bfloat16()])
def test_what_is_no_array(odd):
    with pytest.raises(GraphError, match="edges must be an array"):
        checks.as_array("edges", odd, GraphError)


@pytest.mark.parametrize("odd", [["a"], [1j], [datetime.date(2020, 1, 1)], [None], [np.nan], object()])
def test_what_is_no_array_of_real_numbers(odd):
    with pytest.raises(InputError, match="masses must be"):
        checks.real_array("masses", odd)


@pytest.mark.parametrize("odd", [Fails(), 5, None, "abc", b"abc", object])
def test_what_is_no_list(odd):
    with pytest.raises(InputError, match="names must be a list"):
        checks.as_list("names", odd)


@pytest.mark.parametrize("odd", [None, 5, "a\0b", b"a", ["a"], object(), "x" * 500])
def test_what_is_no_path(odd):
    with pytest.raises(OptionError, match="path must be a path"):
        checks.as_path("path", odd)


def test_a_home_folder_that_is_not_there():
    assert checks.as_path("path", "~/a", home=True).is_absolute()
    assert str(checks.as_path("path", "~/a")) == "~/a"
    with pytest.raises(OptionError, match="path must be a path, not '~no-such-user/a'"):
        checks.as_path("path", "~no-such-user/a", home=True)


@pytest.mark.parametrize("odd", [5, [1], ["a", None], Fails(), b"a", np.ones(2)])
def test_what_are_no_texts(odd):
    with pytest.raises(OptionError, match="columns must be a text or a list of texts"):
        checks.texts("columns", odd)


def test_texts():
    assert checks.texts("columns", None) == []
    assert checks.texts("columns", "ab") == ["ab"]
    assert checks.texts("columns", ("ab", "c")) == ["ab", "c"]


@pytest.mark.parametrize("odd", [5, None, [("a", 1)], {1: "a"}, np.ones(2)])
def test_what_is_no_dict_by_name(odd):
    with pytest.raises(OptionError, match="options must be a dict"):
        checks.by_name("options", odd)


@pytest.mark.parametrize("odd", [5, ["a"], b"a", np.ones(2)])
def test_what_is_no_text(odd):
    with pytest.raises(OptionError, match="name must be a text"):
        checks.optional_text("name", odd)


def test_a_sparse_matrix_that_says_it_is_a_dict():
    assert checks.is_mapping({})
    assert not checks.is_mapping(sp.dok_array((6, 4)))
    assert not checks.is_mapping([("a", 1)])


def test_what_is_no_function():
    assert checks.function("say", len) is len
    with pytest.raises(OptionError, match="say must be a function"):
        checks.function("say", "len")


@pytest.mark.parametrize("odd", [[[0, 1]], [np.nan, 1.0], [None, "a"], 5, SPARSE])
def test_what_are_no_labels(odd):
    with pytest.raises(InputError, match="labels must be"):
        checks.as_labels("labels", odd)


def test_what_can_be_looked_up():
    assert checks.is_hashable("a")
    assert not checks.is_hashable([])
    assert not checks.is_hashable(decimal.Decimal("sNaN"))


def test_labels():
    assert checks.as_labels("labels", np.array(["b", "a"], dtype=object)).tolist() == ["b", "a"]
    assert checks.as_labels("labels", [True, False]).tolist() == [True, False]


def test_real_numbers_and_their_bounds():
    assert checks.real_number("x", 1.5, above=1, at_most=1.5) == 1.5
    for value in (1, 1.6):
        with pytest.raises(OptionError, match=r"x must be a finite number above 1 and at most 1.5, not "):
            checks.real_number("x", value, above=1, at_most=1.5)
    assert checks.real_number("x", 2, at_least=2) == 2.0
    with pytest.raises(OptionError, match="at least 2 and below 3"):
        checks.real_number("x", 3, at_least=2, below=3)


def test_choices():
    assert checks.choice("by", "link", ("link", "distance")) == "link"
    with pytest.raises(OptionError, match=r"by='lnk' is unknown.*Did you mean 'link'"):
        checks.choice("by", "lnk", ("link", "distance"))


def test_a_package_that_is_not_there():
    assert checks.optional_import("json", needed_for="x", install="y").loads("1") == 1
    with pytest.raises(MissingDependencyError, match="drawing needs the package 'no_such': pip install it"):
        checks.optional_import("no_such.part", needed_for="drawing", install="it")
