"""What the subcommands share in reading their arguments: typed numbers, wrong usage, names of flags."""

from __future__ import annotations

import argparse
import re
import textwrap
from pathlib import Path
from typing import Any

from acvae.exceptions import AcvaeError

__all__ = [
    "UsageError",
    "add_json",
    "add_quiet",
    "add_run",
    "as_flags",
    "new_parser",
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


# How the library's messages call what the command line calls otherwise.
_SPELLINGS = {
    "header=False": "--no-header",
    "row_ids=True": "--row-ids",
    "columns=": "--columns",
    "features=": "--features",
    "edges=": "--edges",
    "ids=": "--ids",
    "root=": "--data-root",
    "device=": "--device ",
    "likelihood=": "--likelihood ",
    "isolated=": "--isolated ",
    "model=": "--model ",
    "id_column=": "--id-column ",
    "text_column=": "--text-column ",
    "missing=": "--missing ",
    "combine=": "--combine ",
}


def as_flags(message: str, names: tuple[str, ...]) -> str:
    """The library's message with its options called as on the command line: --learning-rate."""
    for python, flag in _SPELLINGS.items():
        message = re.sub(rf"(?<![\w'\"-]){re.escape(python)}", flag, message)
    for name in names:
        if "_" in name:
            message = re.sub(rf"(?<![\w'\"./-]){name}(?![\w'\"./])", f"--{name.replace('_', '-')}", message)
    message = re.sub(
        rf"the option ({'|'.join(names)})\b", lambda m: f"--{m[1].replace('_', '-')}", message
    ).replace("the option --", "--")
    message = re.sub(r"(--[a-z-]+) '([\w-]+)'", r"\1 \2", message)
    return re.sub(
        rf"^({'|'.join(names)}) (must|needs|is for)", lambda m: f"--{m[1].replace('_', '-')} {m[2]}", message
    )
