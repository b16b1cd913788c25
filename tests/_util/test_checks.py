import numpy as np
import pytest

from acvae._util.checks import choice, optional_import, real_number, whole_number
from acvae.exceptions import MissingDependencyError, OptionError


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers(value):
    assert whole_number("k", value, minimum=3) == 3
    assert type(whole_number("k", value, minimum=3)) is int


@pytest.mark.parametrize("value", [2, 3.0, "3", True, None, np.array([3, 4])])
def test_what_is_no_whole_number(value):
    with pytest.raises(OptionError, match="k must be a whole number of at least 3, not "):
        whole_number("k", value, minimum=3)


def test_real_numbers_and_their_bounds():
    assert real_number("x", "1.5", above=1, at_most=1.5) == 1.5
    for value in (1, 1.6, np.nan, np.inf, True, "one", None):
        with pytest.raises(OptionError, match=r"x must be a finite number above 1 and at most 1.5, not "):
            real_number("x", value, above=1, at_most=1.5)
    assert real_number("x", 2, at_least=2) == 2.0
    with pytest.raises(OptionError, match="at least 2 and below 3"):
        real_number("x", 3, at_least=2, below=3)


def test_choices():
    assert choice("by", "link", ("link", "distance")) == "link"
    with pytest.raises(OptionError, match=r"by='lnk' is unknown.*Did you mean 'link'"):
        choice("by", "lnk", ("link", "distance"))


def test_a_package_that_is_not_there():
    assert optional_import("json", needed_for="x", install="y").loads("1") == 1
    with pytest.raises(MissingDependencyError, match="drawing needs the package 'no_such': pip install it"):
        optional_import("no_such.part", needed_for="drawing", install="it")
