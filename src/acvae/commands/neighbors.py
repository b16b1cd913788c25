"""`acvae neighbors`: the nearest vertices of a named one."""

from __future__ import annotations

import argparse
from typing import Any

from acvae.commands._links import add_by, print_best
from acvae.commands._usage import add_json, add_quiet, add_run, new_parser, positive

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae neighbors runs/debian python3-numpy
  acvae neighbors runs/debian python3-numpy -k 20 --include-known
  acvae neighbors runs/debian python3-numpy --by pairs
  acvae neighbors runs/debian python3-numpy --json
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "neighbors",
        summary="the nearest vertices of a named one",
        description="The vertices nearest to NAME: links that the model predicts. Those joined to it in "
        "training are left out; test links, which training did not see, are marked.",
        examples=EXAMPLES,
    )
    add_run(parser)
    parser.add_argument(
        "name", metavar="NAME", help="name of a vertex, or its number where there are no names"
    )
    parser.add_argument("-k", type=positive, default=10, metavar="K", help="how many (default: 10)")
    add_by(parser)
    parser.add_argument(
        "--include-known", action="store_true", help="show neighbours known from training too"
    )
    add_json(parser)
    add_quiet(parser, "the table alone")
    return parser


def run(args: argparse.Namespace) -> int:
    """Find and print them."""
    from acvae.runs import Run

    return print_best(Run(args.run_folder), args)
