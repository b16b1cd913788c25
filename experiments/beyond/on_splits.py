"""What experiments on several data sets and splits have in common: their options, and going over them."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import acvae

RESULTS = Path(__file__).parent / "results"


def arguments(description: str | None) -> argparse.ArgumentParser:
    """A parser that knows the data sets, the splits and where results are stored."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", metavar="DATASET")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--data-root")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--print", action="store_true", help="only what is stored, as Markdown")
    return parser


def each_split(args: argparse.Namespace) -> Iterator[tuple[Any, Any]]:
    """Every data set with each of its splits; none where only what is stored is asked for."""
    root = {} if args.data_root is None else {"root": args.data_root}
    for name in args.data if not args.print else ():
        data = acvae.datasets.load(name, **root)
        for seed in range(args.splits):
            yield data, acvae.split_edges(data.graph, seed=seed)
