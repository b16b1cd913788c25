"""Errors are caught by who knows the package and by who does not; hints are of what is near."""

import builtins
import inspect

import pytest

from acvae import exceptions
from acvae.exceptions import AcvaeError, AcvaeWarning, StorageError, UnknownNameError, did_you_mean

CLASSES = [
    kind
    for _, kind in inspect.getmembers(exceptions, inspect.isclass)
    if kind.__module__ == exceptions.__name__
]
PLAIN = (Exception, BaseException, object)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_each_has_our_root_and_a_builtin_that_fits(kind):
    if issubclass(kind, Warning):
        assert issubclass(kind, AcvaeWarning)
        return
    assert issubclass(kind, AcvaeError)
    if kind is not AcvaeError:
        assert any(
            getattr(builtins, base.__name__, None) is base and base not in PLAIN for base in kind.__mro__
        )
    assert kind.__doc__


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if issubclass(kind, AcvaeError)])
def test_messages_are_shown_as_they_were_written(kind):
    assert str(kind("it's 'so'.")) == "it's 'so'."


def test_without_a_message():
    assert str(UnknownNameError()) == ""


def test_what_the_system_said_is_kept():
    error = StorageError("cannot be written", "No space left on device")
    assert error.strerror == "No space left on device"
    assert str(error) == "cannot be written"
    assert StorageError("x").strerror is None


def test_hints():
    assert did_you_mean("debain", ["debian", "tree"]) == " Did you mean 'debian'?"
    assert did_you_mean("xyz", ["debian", "tree"]) == ""
    assert did_you_mean(12, [11, 12, 13]).startswith(" Did you mean '12'")
    assert did_you_mean("a" * 10**6, ["a"]) == ""


def test_what_has_no_text_is_like_nothing():
    class Mute:
        def __str__(self):
            raise RuntimeError

    assert did_you_mean(Mute(), ["a"]) == did_you_mean("a", [Mute()]) == ""
