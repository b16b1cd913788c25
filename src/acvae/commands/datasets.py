"""`acvae datasets`: what can be loaded, from where, and what is already here."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

from acvae.commands._output import print_json
from acvae.commands._usage import add_json, new_parser

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae datasets
  acvae datasets --data-root ~/data        look for raw files there first
  acvae datasets --json
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "datasets",
        summary="list the data sets that can be loaded by name",
        description="What can be loaded by name, who publishes it, and whether its files are already here. "
        "Raw files are looked for in --data-root, in $ACVAE_DATA and in the user's cache; what is published "
        "for download is fetched when it is first used.",
        examples=EXAMPLES,
    )
    parser.add_argument("--data-root", type=Path, metavar="DIR", help="folder with the raw data")
    add_json(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """List them."""
    from acvae.datasets import available

    found = available(args.data_root)
    if args.json:
        print_json([asdict(description) for description in found])
        return 0
    width = max(60, min(110, shutil.get_terminal_size().columns))
    for number, data in enumerate(found):
        if number:
            print()
        print(f"{data.name:<16}{'here' if data.here else 'not here'}")
        lines = [f"{data.what}.", f"From: {data.origin}."]
        if data.found:
            lines.append(f"Found: {', '.join(data.found)}")
        if data.missing:
            lines.append(f"Missing: {', '.join(data.missing)}")
        for line in lines:
            print(
                textwrap.fill(
                    line, width, initial_indent="  ", subsequent_indent="    ", break_long_words=False
                )
            )
    return 0
