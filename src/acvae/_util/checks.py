"""Checks at the door, shared by the public functions."""

import importlib
import math
import operator
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from acvae.exceptions import MissingDependencyError, OptionError, did_you_mean


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """`value` if it is one of `allowed`; otherwise an error that names them all."""
    if isinstance(value, str) and value in allowed:
        return value
    raise OptionError(
        f"{name}={value!r} is unknown; choose one of {', '.join(map(repr, allowed))}."
        + did_you_mean(value, allowed)
    )


def whole_number(name: str, value: Any, *, minimum: int) -> int:
    """`value` as an int of at least `minimum`; floats and booleans are refused."""
    try:
        number = operator.index(value)
    except TypeError:
        raise OptionError(f"{name} must be a whole number of at least {minimum}, not {value!r}.") from None
    if isinstance(value, bool) or number < minimum:
        raise OptionError(f"{name} must be a whole number of at least {minimum}, not {value!r}.")
    return number


def real_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
) -> float:
    """`value` as a finite float within the given bounds."""
    bounds = [
        text
        for text, bound in (
            (f"above {above}", above),
            (f"at least {at_least}", at_least),
            (f"below {below}", below),
            (f"at most {at_most}", at_most),
        )
        if bound is not None
    ]
    expected = "a finite number" + (f" {' and '.join(bounds)}" if bounds else "")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"{name} must be {expected}, not {value!r}.") from None
    if (
        not math.isfinite(number)
        or isinstance(value, bool)
        or (above is not None and number <= above)
        or (at_least is not None and number < at_least)
        or (below is not None and number >= below)
        or (at_most is not None and number > at_most)
    ):
        raise OptionError(f"{name} must be {expected}, not {value!r}.")
    return number


def optional_import(module: str, *, needed_for: str, install: str) -> ModuleType:
    """Import a package that is not a hard dependency, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"{needed_for} needs the package {module.split('.')[0]!r}: pip install {install}"
        ) from error
