"""Numbers of flags, and options of the library by the names of their flags."""

import argparse

import pytest

from acvae._util.options import option, setting, the_option
from acvae.commands._usage import new_parser, options_by_flags, positive, real, whole


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(whole, "-3", -3), (positive, "3", 3), (real, "1e-3", 1e-3), (real, "-inf", float("-inf"))],
)
def test_numbers(kind, text, value):
    assert kind(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (whole, "1.5"),
        (whole, ""),
        (positive, "0"),
        (positive, "-1"),
        (positive, "1.0"),
        (real, "x"),
        (real, ""),
    ],
)
def test_texts_that_are_none(kind, text):
    with pytest.raises(argparse.ArgumentTypeError, match=f"number.*not {text!r}"):
        kind(text)


def test_options_are_called_by_their_flags_within():
    before = option("learning_rate")
    with options_by_flags():
        assert "--learning-rate" in option("learning_rate")
        assert "--missing mean" in setting("missing", "mean")
        assert "--no-header" in setting("header", False)
        assert "--data-root" in the_option("root")
        assert "--" not in option("colour")
    assert option("learning_rate") == before


def test_flags_are_whole():
    parsers = argparse.ArgumentParser().add_subparsers()
    parser = new_parser(parsers, "do", summary="s", description="word " * 40, examples="  acvae do x")
    parser.add_argument("--number")
    assert parser.parse_args(["--number", "3"]).number == "3"
    with pytest.raises(SystemExit):
        parser.parse_args(["--num", "3"])
    text = parser.format_help()
    assert text.endswith("examples:\n  acvae do x\n")
    assert max(map(len, text.splitlines())) <= 100
