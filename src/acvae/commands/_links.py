"""What `neighbors` and `links` share: the best vertices of one, as a table or as JSON."""

from __future__ import annotations

import argparse
from typing import Any

from acvae.commands._names import find_vertex
from acvae.commands._output import note, print_json, print_table, reading

__all__ = ["add_by", "print_best"]

BY = ("link", "distance", "pairs")


def add_by(parser: argparse.ArgumentParser) -> None:
    """How to rank."""
    parser.add_argument(
        "--by",
        choices=BY,
        help="rank by the probability of a link, by expected distance, or by the pair network alone "
        "(default: link; without probabilities of links, link is distance)",
    )


def print_best(opened: Any, args: argparse.Namespace) -> int:
    """Find the best of the vertex `args.name` and print them.

    Known neighbours are left out, unless the command has `--include-known` and it was given.
    """
    from acvae.methods import RANKINGS
    from acvae.runs.links import best_links
    from acvae.runs.rankings import ranker_by

    graph, test = opened.graph, opened.test
    include_known = getattr(args, "include_known", None)
    vertex = find_vertex(graph, args.name, opened.stored_graph.display_names)
    by = ranker_by(opened, args.by)
    with reading(args):
        (found,) = best_links(opened, [vertex], args.k, by=by, exclude=None if include_known else graph)
    known = set(graph.neighbors(vertex).tolist())
    hidden = set() if test is None else set(test.neighbors(vertex).tolist())
    what, values = found.what, found.values
    best = found.ids[0][found.ids[0] >= 0]
    rows = [
        {"name": graph.name(i), what: float(d), "known": i in known, "test": i in hidden}
        for i, d in zip(best.tolist(), values[0].tolist(), strict=False)
    ]
    classes = opened.class_names(best)
    if classes is not None:
        rows = [{**row, "class": str(name)} for row, name in zip(rows, classes, strict=True)]
    if args.json:
        print_json(
            {
                "vertex": graph.name(vertex),
                "ranked_by": by,
                "known_neighbors": len(known),
                "test_neighbors": None if test is None else len(hidden),
                "neighbors": rows,
            }
        )
        return 0
    if not rows:
        shown_by = "acvae neighbors --include-known" if include_known is None else "--include-known"
        note(f"no vertex is left: all others are known neighbours of {args.name}, which {shown_by} shows")
        return 0
    marks = ["known" if row["known"] else "test link" if row["test"] else "" for row in rows]
    columns = {
        "": [str(rank) for rank in range(1, len(rows) + 1)],
        "name": [opened.show_name(i) for i in best.tolist()],
        what: [f"{row[what]:.4g}" for row in rows],
        **({} if classes is None else {"class": classes.tolist()}),
        **({" ": marks} if any(marks) else {}),
    }
    print_table(tuple(columns), list(zip(*columns.values(), strict=True)), numbers=(0, 2))
    if not args.quiet:
        note(f"ranked by {RANKINGS[by].title}")
    if test is not None and not args.quiet:
        among = sum(row["test"] for row in rows)
        note(
            f"{args.name} has {len(known)} known neighbours; {among} of its {len(hidden)} hidden test links "
            f"{'is' if among == 1 else 'are'} shown"
        )
    return 0
