"""`acvae neighbors`: the nearest vertices of a named one, by expected distance."""

from __future__ import annotations

import argparse
from typing import Any

from acvae.commands._names import find_vertex
from acvae.commands._output import note, print_json, print_table
from acvae.commands._usage import add_json, add_quiet, add_run, new_parser, positive

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae neighbors runs/debian python3-numpy
  acvae neighbors runs/debian python3-numpy -k 20 --include-known
  acvae neighbors runs/debian python3-numpy --json
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "neighbors",
        summary="the nearest vertices of a named one",
        description="The vertices with the smallest expected squared distance from NAME: links that the "
        "model predicts. Those joined to it in training are left out; test links, which training did not "
        "see, are marked.",
        examples=EXAMPLES,
    )
    add_run(parser)
    parser.add_argument(
        "name", metavar="NAME", help="name of a vertex, or its number where there are no names"
    )
    parser.add_argument("-k", type=positive, default=10, metavar="K", help="how many (default: 10)")
    parser.add_argument(
        "--include-known", action="store_true", help="show neighbours known from training too"
    )
    add_json(parser)
    add_quiet(parser, "the table alone")
    return parser


def run(args: argparse.Namespace) -> int:
    """Find and print them."""
    from acvae.runs import Run

    opened = Run(args.run_folder)
    graph, test = opened.graph, opened.test
    vertex = find_vertex(graph, args.name)
    ids, distances = opened.posterior.nearest([vertex], args.k, None if args.include_known else graph)
    known = set(graph.neighbors(vertex).tolist())
    hidden = set() if test is None else set(test.neighbors(vertex).tolist())
    rows = [
        {"name": graph.name(i), "distance": float(d), "known": i in known, "test": i in hidden}
        for i, d in zip(ids[0].tolist(), distances[0].tolist(), strict=True)
        if i >= 0
    ]
    if args.json:
        print_json(
            {
                "vertex": graph.name(vertex),
                "known_neighbors": len(known),
                "test_neighbors": None if test is None else len(hidden),
                "neighbors": rows,
            }
        )
        return 0
    if not rows:
        note(f"no vertex is left: all others are known neighbours of {args.name}; see --include-known")
        return 0
    marks = [_mark(row["known"], row["test"]) for row in rows]
    with_marks = any(marks)
    print_table(
        ("", "name", "distance", *([""] if with_marks else [])),
        [
            (str(rank), str(row["name"]), f"{row['distance']:.4g}", *([mark] if with_marks else []))
            for rank, (row, mark) in enumerate(zip(rows, marks, strict=True), start=1)
        ],
        numbers=(0, 2),
    )
    if test is not None and not args.quiet:
        among = sum(row["test"] for row in rows)
        note(
            f"{args.name} has {len(known)} known neighbours; {among} of its {len(hidden)} hidden test links "
            f"{'is' if among == 1 else 'are'} shown"
        )
    return 0


def _mark(known: bool, test: bool) -> str:
    return "known" if known else "test link" if test else ""
