"""`acvae report`: runs side by side on one HTML page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from acvae.commands._output import note, reading, silent
from acvae.commands._usage import add_quiet, add_run, new_parser, positive

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae report runs/debian -o report.html
  acvae report runs/debian runs/debian-vae -o report.html     two runs side by side
  acvae report runs/large --map pca                           without the t-SNE map, which takes longest
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "report",
        summary="runs on one HTML page: verdict, links and why, map, scores",
        description="One self-contained HTML page of one or more runs, to be opened from disk or passed on: "
        "how good the predicted links are, the links with reasons, a map with named clusters, a search for "
        "vertices, scores side by side and training curves. FILE#v=NAME opens it at a vertex. The page asks "
        "no other host for anything.",
        examples=EXAMPLES,
    )
    add_run(parser, nargs="+")
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        default=Path("report.html"),
        metavar="FILE",
        help="page to write (default: report.html)",
    )
    parser.add_argument(
        "--map", choices=("both", "tsne", "pca"), default="both", help="maps to draw (default: both)"
    )
    parser.add_argument(
        "--clusters", type=positive, metavar="K", help="clusters to colour (default: 8 to 16, as they fall)"
    )
    parser.add_argument("--title", metavar="TEXT", help="heading of the page")
    add_quiet(parser, "print nothing but errors and the file's name")
    return parser


def run(args: argparse.Namespace) -> int:
    """Read the runs and write the page."""
    from acvae.report.entry import open_runs
    from acvae.report.page import write_report

    say = silent if args.quiet else note
    with reading(args):
        entries = open_runs(args.run_folder)
    path = write_report(
        entries,
        args.out,
        title=args.title,
        maps=args.map,
        clusters=args.clusters,
        progress=not args.quiet,
        say=say,
    )
    say(f"{path.stat().st_size / 1e6:.1f} MB; open it in a browser:")
    print(path)
    return 0
