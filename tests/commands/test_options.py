"""Options of the models as flags."""

import argparse

import pytest

from acvae.commands._options import add_options, reading, unlisted
from acvae.commands._usage import real, whole
from acvae.methods import Option, option_names


@pytest.fixture(scope="module")
def parser():
    made = argparse.ArgumentParser()
    add_options(made)
    return made


def test_what_is_not_given_leaves_no_trace(parser):
    assert vars(parser.parse_args([])) == {}


def test_one_flag_for_each_option(parser):
    flags = {action.dest for action in parser._actions} - {"help"}
    assert flags == set(option_names())
    given = vars(parser.parse_args(["--learning-rate", "0.1", "--epochs", "3", "--likelihood", "poisson"]))
    assert given == {"learning_rate": 0.1, "epochs": 3, "likelihood": "poisson"}


def test_help_of_every_flag_can_be_shown(parser):
    text = " ".join(parser.format_help().split())
    assert "`" not in text  # code is for the documents
    assert "chosen by the model" in text


@pytest.mark.parametrize(
    ("annotation", "kind", "metavar"),
    [
        ("int", whole, "N"),
        ("int | None", whole, "N"),
        ("float", real, "X"),
        ("float | int", real, "X"),
        ("str", str, "NAME"),
        ("str | Likelihood", str, "NAME"),
    ],
)
def test_types_are_the_annotations(annotation, kind, metavar):
    assert reading(Option("x", annotation, None, "")) == {"type": kind, "metavar": metavar}


@pytest.mark.parametrize("annotation", ["bool", "bool | None"])
def test_a_switch_is_turned_on_and_off(annotation):
    assert reading(Option("x", annotation, None, "")) == {"action": argparse.BooleanOptionalAction}


@pytest.mark.parametrize(
    ("text", "annotation", "value"),
    [
        ("3", "int | str", 3),
        ("3", "float | str", 3.0),
        ("0.5", "float | str", 0.5),
        ("auto", "float | str", "auto"),
    ],
)
def test_a_number_or_a_word(text, annotation, value):
    found = reading(Option("x", annotation, None, ""))
    assert found["metavar"] == "X"
    assert found["type"](text) == value
    assert type(found["type"](text)) is type(value)


def test_a_list_takes_several_numbers_and_one_word_stands_for_itself(parser):
    given = parser.parse_args(["--scales", "1.5", "15"])
    assert unlisted("scales", given.scales) == [1.5, 15.0]
    assert unlisted("scales", parser.parse_args(["--scales", "auto"]).scales) == "auto"
    assert unlisted("scales", [2.0]) == [2.0]
