"""Options of the models as flags."""

import argparse

import pytest

from acvae.commands._options import add_options, value_type
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
        ("bool", bool, ""),
        ("bool | None", bool, ""),
        ("int", whole, "N"),
        ("int | None", whole, "N"),
        ("float", real, "X"),
        ("float | int", real, "X"),
        ("str", str, "NAME"),
        ("str | Likelihood", str, "NAME"),
    ],
)
def test_types_are_the_annotations(annotation, kind, metavar):
    assert value_type(Option("x", annotation, None, "")) == (kind, metavar)


@pytest.mark.parametrize(("text", "value"), [("3", 3), ("0.5", 0.5), ("auto", "auto"), ("", "")])
def test_a_number_or_a_word(text, value):
    kind, metavar = value_type(Option("x", "float | str", None, ""))
    assert metavar == "X"
    assert kind(text) == value
    assert type(kind(text)) is type(value)
