"""`acvae compare`: rules, graph networks and our models on the same splits, as one table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from acvae.commands._output import note, print_json, print_table, silent
from acvae.commands._usage import UsageError, add_json, add_quiet, new_parser, positive

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae compare debian --methods rules --splits 1        rules that need no training, one split
  acvae compare debian citation-1998 --out compared      everything, five splits; stop and go on at will
  acvae compare acm --task classification
  acvae compare runs/debian --methods rules              beside a run, on its own split
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "compare",
        summary="rules, graph networks and our models side by side",
        description="Hide links, rank them by every method and print one table: means over splits with 95 % "
        "confidence intervals. What can be chosen for a rule or a network is chosen on validation links that "
        "are taken out of the train links; our models have their defaults. Graph networks need the extra "
        "'baselines'. With --out results are kept, and what is there is not made again.",
        examples=EXAMPLES,
    )
    parser.add_argument("names", metavar="DATASET|RUN", nargs="+", help="data sets, or a folder of acvae fit")
    parser.add_argument(
        "--task",
        default="links",
        choices=("links", "completion", "classification"),
        help="hidden links (default), hidden features of half of the vertices, classes from 20 labels each",
    )
    parser.add_argument(
        "--methods", nargs="+", metavar="NAME", help="names, or rules, networks, ours (default: all)"
    )
    parser.add_argument("--splits", type=positive, help="how many, with seeds 0, 1, … (default: 5)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the results there, and go on from them")
    parser.add_argument("--data-root", metavar="DIR", help="folder with raw data")
    add_json(parser)
    add_quiet(parser, "no word on what is going on")
    return parser


def run(args: argparse.Namespace) -> int:
    """Compare, keep and print."""
    import tempfile

    from acvae.reproduce.compare.methods import kinds

    names = kinds(args.task, args.methods)
    runs = [name for name in args.names if Path(name).is_dir()]
    if runs and (len(args.names) > 1 or args.task != "links" or args.splits or args.out):
        raise UsageError(
            "a run is compared alone, by its links and on its own split; "
            "leave out the other names, --task, --splits and --out."
        )
    if runs:
        tables = {runs[0]: _beside(Path(runs[0]), names, args)}
    elif args.out is not None:
        tables = _data_sets(args, names, args.out)
    else:
        with tempfile.TemporaryDirectory() as folder:
            tables = _data_sets(args, names, Path(folder))
    if args.json:
        print_json({"task": args.task, "tables": tables})
    return 0


def _data_sets(args: argparse.Namespace, names: list[str], folder: Path) -> dict[str, Any]:
    from acvae import datasets
    from acvae.reproduce.compare import Store
    from acvae.reproduce.compare.methods import methods_of
    from acvae.reproduce.compare.tasks import TASKS

    task, store = TASKS[args.task], Store(folder)
    splits = range(args.splits or task.splits)
    root = {} if args.data_root is None else {"root": args.data_root}
    methods = [methods_of(args.task)[name] for name in names]
    tables = {}
    for name in args.names:
        data = datasets.load(name, **root)
        task.run(data, methods, splits, store, silent if args.quiet else note)
        rows = task.rows(data.name, names, splits, store)
        tables[name] = {
            label: {key: value._asdict() for key, value in row.items()} for label, row in rows.items()
        }
        if not args.json:
            print(f"{task.title}: {name}\n")
            cells = [[label, *task.cells(row)] for label, row in rows.items()]
            print_table(task.header, cells, numbers=range(1, len(task.header)))
            print()
    return tables


def _beside(folder: Path, names: list[str], args: argparse.Namespace) -> dict[str, Any]:
    """A run's own model, and other methods trained on the links it was trained on."""
    from acvae.exceptions import RunError
    from acvae.reproduce.compare.links import METRICS, rank_links, score_links
    from acvae.reproduce.compare.methods import methods_of
    from acvae.reproduce.compare.table import interval
    from acvae.reproduce.compare.tasks import TASKS
    from acvae.runs import Run
    from acvae.runs.rankings import ranker

    opened, task = Run(folder), TASKS["links"]
    split = opened.split
    if split is None:
        raise RunError(f"the run in {str(folder)!r} has no hidden links to compare by: it trained on all.")
    data = opened.load_data()
    say = silent if args.quiet else note
    say(f"ranking by the run's {opened.config.model}")
    own = ranker(opened, "link") if opened.config.method.learns_links else opened.posterior
    found = {f"{folder} ({opened.config.model})": score_links(own, split.train, split.test, split.seed)}
    for name in names:
        method = methods_of("links")[name]
        say(method.label)
        found[method.label] = rank_links(method, data.features, split)
    if not args.json:
        print(f"{task.title}: {folder}\n")
        rows = [
            [label, *task.cells({key: interval([row.get(key)]) for key in METRICS})]
            for label, row in found.items()
        ]
        print_table(task.header, rows, numbers=range(1, len(task.header)))
    return found
