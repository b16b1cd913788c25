"""`acvae links`: the best new links of a vertex, or of all, to the screen or to a file."""

from __future__ import annotations

import argparse
import os
from functools import partial
from pathlib import Path
from typing import Any

from acvae.commands._links import add_by, print_best
from acvae.commands._output import note
from acvae.commands._usage import UsageError, add_json, add_quiet, add_run, new_parser, positive

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae links runs/debian python3-numpy
  acvae links runs/debian --out links.csv               of every vertex, written as they are found
  acvae links runs/debian -k 3 --out links.parquet
  torchrun --standalone --nproc-per-node 4 -m acvae.commands.main links runs/debian --out links.csv
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "links",
        summary="predicted links of a vertex, or of all to a file",
        description="The best new links: of NAME as a table, or of every vertex to a CSV or Parquet file, a "
        "row each, with probabilities where the run knows them and distances elsewhere. Links known from "
        "training are left out; test links, which training did not see, are marked.",
        examples=EXAMPLES,
    )
    add_run(parser)
    parser.add_argument("name", metavar="NAME", nargs="?", help="one vertex instead of all")
    parser.add_argument("-k", type=positive, default=10, metavar="K", help="how many each (default: 10)")
    add_by(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="file to write, .csv or .parquet")
    add_json(parser)
    add_quiet(parser, "no progress and no notes")
    return parser


def run(args: argparse.Namespace) -> int:
    """Find them and print or write them."""
    from acvae.runs import Run

    opened = Run(args.run_folder)
    if args.name is not None and args.out is None:
        return print_best(opened, args)
    if args.out is None:
        raise UsageError("of which vertex? Give NAME, or --out FILE.csv to write those of all vertices")
    write(opened, args.out, args.k, args.by, name=args.name, progress=not args.quiet)
    return 0


def write(opened: Any, path: Path, k: int, by: str | None, *, name: str | None = None, progress: bool) -> int:
    """Write the best links, a part of the vertices at a time; the number of rows is told."""
    import numpy as np

    from acvae._util.progress import Progress, Waiting
    from acvae._util.table_writer import check_ending, write_table
    from acvae.commands._names import find_vertex
    from acvae.runs.links import best_links, links_columns
    from acvae.runs.rankings import ranker, ranker_by

    check_ending(path)
    graph = opened.graph
    shown = opened.stored_graph.display_names
    rows = np.arange(graph.n_vertices) if name is None else np.array([find_vertex(graph, name, shown)])
    turns, leads = _processes()
    found_by = {"by": ranker_by(opened, by), "exclude": graph, "turns": turns}
    if not leads:
        for _ in best_links(opened, rows, k, **found_by):  # the first process writes what this one finds
            pass
        return 0
    with Waiting("reading the run", show=progress):
        ranker(opened, found_by["by"])
    with Progress(len(rows), "ranking links", show=progress) as told:

        def parts() -> Any:
            for found in best_links(opened, rows, k, **found_by):
                yield links_columns(opened, found)
                told.advance(len(found.rows))

        count = write_table(path, parts())
    if progress:
        note(f"{count:,} links of {len(rows):,} vertices in {path}")
    return count


def _processes() -> tuple[Any, bool]:
    """How processes that torchrun has started share the vertices, and whether this one is the first."""
    if os.environ.get("WORLD_SIZE", "1") == "1":
        return None, True
    import torch

    from acvae.engine.distributed import join
    from acvae.training.sharded import in_turns

    world = join(torch.device("cpu"))
    return partial(in_turns, world), world.rank == 0
