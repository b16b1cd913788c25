"""The options of the models as flags: names, defaults and descriptions are the estimators' own."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any

from acvae.commands._usage import real, whole
from acvae.methods import DEFAULT_METHOD, METHODS, Option, option_names

__all__ = ["add_options", "reading", "unlisted"]

LISTS = {"Sequence", "list", "tuple"}  # in an annotation: several values of one option


def add_options(group: Any) -> None:
    """One flag for each option of any model; one that is not given leaves no trace."""
    for name in option_names():
        takers = {
            method.name: option
            for method in METHODS.values()
            for option in method.described
            if option.name == name
        }
        first = takers.get(DEFAULT_METHOD) or next(iter(takers.values()))
        flag = f"--{name.replace('_', '-')}"
        group.add_argument(
            flag, help=_help(first, takers).replace("%", "%%"), default=argparse.SUPPRESS, **reading(first)
        )


def reading(option: Option) -> dict[str, Any]:
    """How argparse makes a value of a text, or of several, by the option's annotation."""
    kinds = _kinds(option)
    if "bool" in kinds:
        return {"action": argparse.BooleanOptionalAction}
    kind, metavar = _of_one(kinds)
    return {"type": kind, "metavar": metavar} | ({"nargs": "+"} if kinds & LISTS else {})


def unlisted(name: str, value: Any) -> Any:
    """The value of a flag, which is a list where the option takes one: a text alone stands for itself."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        options = [option for method in METHODS.values() for option in method.described]
        if any(option.name == name and "str" in _outside(option) for option in options):
            return value[0]
    return value


def _kinds(option: Option) -> set[str]:
    return set(re.findall(r"\w+", option.annotation))


def _outside(option: Option) -> set[str]:
    """What it may be that is no list: of "str | Sequence[float]", str."""
    return set(re.findall(r"\w+", re.sub(r"\[.*?\]", "", option.annotation)))


def _of_one(kinds: set[str]) -> tuple[Callable[[str], Any], str]:
    if kinds & {"int", "float"} and "str" in kinds:
        return (_number_or_text if "int" in kinds else _real_or_text), "X"
    if "float" in kinds:
        return real, "X"
    return (whole, "N") if "int" in kinds else (str, "NAME")


def _real_or_text(text: str) -> Any:
    return _number_or_text(text, (float,))


def _number_or_text(text: str, kinds: tuple[type, ...] = (int, float)) -> Any:
    for kind in kinds:
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _help(first: Option, takers: dict[str, Option]) -> str:
    """The description, the defaults, and which models take it."""
    text = first.text.replace("`", "").rstrip(".")
    by_default: dict[str, list[str]] = {}
    for name, option in takers.items():
        by_default.setdefault(_shown(option.default), []).append(name)
    usual = max(by_default, key=lambda value: len(by_default[value]))
    others = [f"{', '.join(names)} {value}" for value, names in by_default.items() if value != usual]
    defaults = "; ".join([usual, *others])
    missing = [name for name in METHODS if name not in takers]
    only = f"; only {', '.join(takers)}" if len(takers) < len(missing) else ""
    never = f"; not for {', '.join(missing)}" if missing and not only else ""
    return f"{text} ({defaults}){only}{never}"


def _shown(value: Any) -> str:
    return "chosen by the model" if value is None else str(value)
