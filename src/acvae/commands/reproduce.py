"""`acvae reproduce`: run the paper's tables and figure, check a stored run, write the results."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from acvae.commands._usage import new_parser, positive
from acvae.exceptions import OptionError

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae reproduce table1 --quick            a smoke of the same code, in minutes
  acvae reproduce table1                    all runs of table 1 that are not stored yet
  acvae reproduce table1 --only acvae-eb --only gamma=0.001 --only citation-1998
  acvae reproduce table1 table3 table4      several at once; what they share is run once
  acvae reproduce figure1                   train if need be, and draw
  acvae reproduce check experiments/results/citation-1998/vae/gamma=none/run=0.json
  acvae reproduce results                   RESULTS.md from what is stored
"""
ACTIONS = ("check", "results")


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "reproduce",
        summary="run the paper's tables and figure",
        description="Run the paper's experiments. Each finished run is stored at once; killed and started "
        "again, only what is missing is done.",
        examples=EXAMPLES,
    )
    parser.add_argument(
        "what",
        nargs="+",
        metavar="WHAT",
        help="table1 … table5, figure1, all; or: check RESULT.json …; or: results",
    )
    parser.add_argument(
        "--quick", action="store_true", help="few epochs, γ and runs, stored in a folder apart"
    )
    parser.add_argument("--jobs", type=positive, metavar="N", help="runs at a time (default: one per core)")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="FILTER",
        help="a method, a data set, gamma=… or run=…; may be repeated",
    )
    parser.add_argument("--results", type=Path, metavar="DIR", help="where results are stored")
    parser.add_argument("--data-root", type=Path, metavar="DIR", help="folder with the raw data")
    parser.add_argument("--configs", type=Path, metavar="DIR", help="folder with other configs")
    parser.add_argument(
        "--out", type=Path, metavar="PATH", help="file (results) or folder (figure1) to write"
    )
    parser.set_defaults(after_interrupt="finished runs are stored; the same command goes on from there")
    return parser


def run(args: argparse.Namespace) -> int:
    """Do what was asked."""
    if args.what[0] == "check":
        return _check([Path(name) for name in args.what[1:]], args.data_root)
    if args.what == ["results"]:
        return _write_results(args)
    return _run_tables(args)


def _run_tables(args: argparse.Namespace) -> int:
    from acvae.reproduce.config import NAMES, load_experiment, results_folder
    from acvae.reproduce.runner import run_experiments

    names = list(NAMES) if args.what == ["all"] else args.what
    for name in names:
        if name in ACTIONS or name == "all":
            raise OptionError(f"{name!r} stands alone: acvae reproduce {name}.")
    results = args.results or results_folder(args.quick)
    experiments = [load_experiment(name, quick=args.quick, folder=args.configs) for name in names]
    try:
        summary = run_experiments(
            experiments, results, jobs=args.jobs, only=args.only, data_root=args.data_root
        )
    except OptionError as error:
        raise OptionError(f"--only {error}") from error
    for experiment in experiments:
        if experiment.settings.get("figure") and not summary.failed:
            from acvae.reproduce.figure import draw

            for path in draw(experiment, results, args.out, data_root=args.data_root):
                print(path)
    return 1 if summary.failed else 0


def _check(paths: list[Path], data_root: Path | None) -> int:
    from acvae.reproduce.check import check_result

    if not paths:
        raise OptionError("check needs a stored result: acvae reproduce check RESULT.json.")
    code = 0
    for path in paths:
        lines, changed, exact, digits = check_result(path, data_root=data_root)
        within = f"within the tolerance ({digits} figures differ in some digit)"
        same = "the same to the last digit" if exact or not digits else within
        print(f"{path}: {same if not lines else f'{len(lines)} figures differ'}")
        for line in [*lines[:20], *(f"changed since: {line}" for line in changed if lines)]:
            print(f"  {line}", file=sys.stderr)
        code |= bool(lines)
    return code


def _write_results(args: argparse.Namespace) -> int:
    from acvae.reproduce.config import config_folder, results_folder
    from acvae.reproduce.report import write_report

    out = args.out or (
        config_folder().parent / "RESULTS.md" if config_folder().name == "experiments" else Path("RESULTS.md")
    )
    write_report(args.results or results_folder(args.quick), out, config_folder() / "discussion.md")
    print(out)
    return 0
