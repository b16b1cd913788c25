"""How messages call the options of a function: as in Python, unless who calls the library has other names.

The command line has flags, and says so for as long as it works (`called_by`); a message that is made
meanwhile names those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from acvae._util.text import shown

__all__ = ["Speller", "called_by", "option", "setting", "the_option"]

# An option's name, and its value if one is told; None where it is called as in Python.
Speller = Callable[[str, object | None], str | None]

_speller: ContextVar[Speller] = ContextVar("how options are called", default=lambda name, value: None)


@contextmanager
def called_by(speller: Speller) -> Iterator[None]:
    """Let messages call options so."""
    before = _speller.set(speller)
    try:
        yield
    finally:
        _speller.reset(before)


def option(name: str) -> str:
    """An option where a sentence begins with it: "tau" must be …"""
    return _speller.get()(name, None) or name


def the_option(name: str) -> str:
    """An option in the middle of a sentence: say by "the option missing" …"""
    return _speller.get()(name, None) or f"the option {name}"


def setting(name: str, value: object) -> str:
    """An option with its value: "missing='mean'"."""
    return _speller.get()(name, value) or f"{name}={shown(value)}"
