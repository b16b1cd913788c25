"""The options of the models as flags: names, defaults and descriptions are the estimators' own."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any

from acvae.commands._usage import real, whole
from acvae.methods import DEFAULT_METHOD, METHODS, Option, option_names

__all__ = ["add_options", "value_type"]


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
        kind, metavar = value_type(first)
        more: dict[str, Any] = {"type": kind, "metavar": metavar}
        if kind is bool:
            more = {"action": argparse.BooleanOptionalAction}
        group.add_argument(
            flag, help=_help(first, takers).replace("%", "%%"), default=argparse.SUPPRESS, **more
        )


def value_type(option: Option) -> tuple[Callable[[str], Any], str]:
    """How a text becomes a value, and what stands for it in the help, by the option's annotation."""
    kinds = set(re.findall(r"\w+", option.annotation))
    if "bool" in kinds:
        return bool, ""
    if kinds & {"int", "float"} and "str" in kinds:
        return _number_or_text, "X"
    if "float" in kinds:
        return real, "X"
    return (whole, "N") if "int" in kinds else (str, "NAME")


def _number_or_text(text: str) -> Any:
    for kind in (int, float):
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
