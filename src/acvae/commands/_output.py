"""What the subcommands share in printing: tables for people, JSON for programs, notes beside both."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acvae.methods import Method

__all__ = ["note", "print_json", "print_table", "reading", "silent", "warn_of_collapse"]


def note(text: str) -> None:
    """A word on what is going on, on standard error, so that results can be piped."""
    print(text, file=sys.stderr, flush=True)


def silent(text: str) -> None:
    """In place of `note` when all is to be quiet."""


def reading(args: argparse.Namespace) -> AbstractContextManager[Any]:
    """Around what reads a run: a joint on a large graph is factorised anew, which takes its time."""
    from acvae._util.progress import Waiting

    return Waiting("reading the run", show=not args.quiet)


def warn_of_collapse(scores: dict[str, Any], method: Method) -> None:
    """A word on embeddings that know nothing, if these do not."""
    from acvae.runs.collapse import Spread, collapse_warning

    text = collapse_warning(Spread(**scores["embeddings"]), method) if "embeddings" in scores else None
    if text is not None:
        note(f"warning: {text}")


def print_json(value: Any) -> None:
    """One document on standard output, with null for what is not a number."""
    from acvae.runs.files import plain

    print(json.dumps(plain(value), indent=1, ensure_ascii=False))


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> None:
    """Columns as wide as they need to be; the columns in `numbers` are flush right."""
    table = [list(header), *map(list, rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for row in table:
        cells = [
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
