"""`acvae cluster`: groups of vertices by direction or by distance, whichever the model goes by."""

from __future__ import annotations

import argparse
import csv
import sys
from typing import Any

from acvae.commands._output import note, print_json, print_table
from acvae.commands._usage import add_json, add_quiet, add_run, new_parser, positive

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae cluster runs/debian -k 5
  acvae cluster runs/debian -k 5 --by distance
  acvae cluster runs/debian -k 20 --csv > clusters.csv
  acvae cluster runs/debian -k 5 --json
"""
HOW = {
    "direction": "k-means on the directions of the embeddings",
    "distance": "complete linkage on the exact expected distances",
}
LOPSIDED = 0.9  # share of all vertices in one cluster that says little of them
NAMES_SHOWN = 5
MEGABYTES = 1000  # as the library's own default


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "cluster",
        summary="group the vertices of a run",
        description="Part the vertices into K clusters. By direction: k-means on where the means of the "
        "embeddings point to, from the middle of all. By distance: complete linkage on the exact expected "
        "distances; those that do not fit into the memory it may use are streamed several times, and the "
        "result is as exact.",
        examples=EXAMPLES,
    )
    add_run(parser)
    parser.add_argument("-k", type=positive, default=5, metavar="K", help="number of clusters (default: 5)")
    parser.add_argument(
        "--by",
        choices=("direction", "distance"),
        help="default: direction for graph-gaussian, whose distances tell hubs from others and little "
        "else; distance for the other models",
    )
    parser.add_argument(
        "--memory",
        type=positive,
        default=MEGABYTES,
        metavar="MB",
        help=f"megabytes for distances, where these are what it goes by (default: {MEGABYTES:,})",
    )
    shape = parser.add_mutually_exclusive_group()
    add_json(shape)
    shape.add_argument(
        "--csv", action="store_true", help="print one line per vertex: name, cluster, and what else is known"
    )
    add_quiet(parser, "no progress")
    return parser


def run(args: argparse.Namespace) -> int:
    """Cluster and print."""
    import numpy as np

    from acvae.runs import Run
    from acvae.runs.clusters import clusters_by, clusters_of

    opened = Run(args.run_folder)
    graph = opened.graph
    by = args.by or clusters_by(opened.config.method, opened.posterior)
    memory = args.memory * 1_000_000
    labels = clusters_of(opened.posterior, args.k, by, memory=memory, progress=not args.quiet)
    if not args.quiet:
        note(f"clusters by {by}: {HOW[by]}")
    if args.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        columns = {"name": [graph.name(vertex) for vertex in range(len(labels))], "cluster": labels.tolist()}
        shown, classes = opened.stored_graph.display_names, opened.class_names()
        columns |= {} if shown is None else {"label": shown}
        columns |= {} if classes is None else {"class": classes.tolist()}
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        return 0
    sizes = np.bincount(labels, minlength=args.k)
    if args.json:
        print_json(
            {
                "k": args.k,
                "by": by,
                "sizes": sizes.tolist(),
                "vertices": [
                    {"name": graph.name(vertex), "cluster": label}
                    for vertex, label in enumerate(labels.tolist())
                ],
            }
        )
        return 0
    rows = []
    for label, size in enumerate(sizes.tolist()):
        members = np.flatnonzero(labels == label)
        best = members[np.argsort(-graph.degrees[members], kind="stable")][:NAMES_SHOWN]
        more = ", …" if size > NAMES_SHOWN else ""
        rows.append((str(label), f"{size:,}", ", ".join(opened.show_name(v) for v in best.tolist()) + more))
    print_table(("cluster", "size", "vertices with the most neighbours"), rows, numbers=(0, 1))
    if not args.quiet and args.k > 1 and sizes.max() > LOPSIDED * len(labels):
        note(
            f"note: one cluster has {sizes.max():,} of {len(labels):,} vertices; the others are what lies "
            f"farthest from all. A larger -k parts it{'; so may --by direction' if by == 'distance' else ''}."
        )
    return 0
