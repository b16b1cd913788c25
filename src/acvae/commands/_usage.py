"""What the subcommands share in reading their arguments: typed numbers, wrong usage, names of flags."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acvae._util.options import called_by
from acvae.exceptions import AcvaeError

__all__ = [
    "UsageError",
    "add_json",
    "add_quiet",
    "add_run",
    "new_parser",
    "options_by_flags",
    "positive",
    "real",
    "whole",
]


class UsageError(AcvaeError):
    """Arguments that do not go together; shown with the usage, exit code 2."""


def new_parser(subparsers: Any, name: str, *, summary: str, description: str, examples: str) -> Any:
    """A subcommand's parser: whole flags only, examples below its help."""
    return subparsers.add_parser(
        name,
        help=summary,
        description=textwrap.fill(description, 90),  # the formatter leaves it, and the examples, as is
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_run(parser: argparse.ArgumentParser, **more: Any) -> None:
    """The run, or the runs, to work on."""
    parser.add_argument("run_folder", metavar="RUN", type=Path, help="folder made by acvae fit", **more)


def add_json(parser: Any) -> None:
    """Results as JSON."""
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def add_quiet(parser: Any, what: str) -> None:
    """Less on standard error."""
    parser.add_argument("--quiet", action="store_true", help=what)


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None


def positive(text: str) -> int:
    """A whole number of at least 1."""
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return number


def real(text: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}") from None


# Options of the library whose flags have other names, or whose values have flags of their own.
_FLAGS = {"root": "--data-root"}
_SWITCHES = {
    ("header", False): "--no-header",
    ("row_ids", True): "--row-ids",
    ("edges_header", False): "--no-edges-header",
}


@contextmanager
def options_by_flags() -> Iterator[None]:
    """Let messages call the options of a run as the command line does: --learning-rate, --missing mean."""
    from acvae.runs.config import all_keys

    known = {name: f"--{name.replace('_', '-')}" for name in all_keys()} | _FLAGS

    def flag(name: str, value: object | None) -> str | None:
        if name not in known:
            return None
        if isinstance(value, bool):
            return _SWITCHES.get((name, value), known[name])
        return known[name] if value is None else f"{known[name]} {value}"

    with called_by(flag):
        yield
