"""`acvae export`: what came of a run, as files for other tools."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

from acvae.commands._links import add_by
from acvae.commands._output import note, silent
from acvae.commands._usage import UsageError, add_quiet, add_run, new_parser, positive
from acvae.exceptions import RunError

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae export runs/debian --embeddings embeddings.csv
  acvae export runs/debian --embeddings e.npy --links links.parquet -k 5
  acvae export runs/debian --model models/debian
"""
AT_A_TIME = 65_536


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "export",
        summary="embeddings, links and the model as files",
        description="Write the embeddings (a row per vertex: name, means, standard deviations; .npy has the "
        "means alone, in the order of the vertices), the best new links of all vertices, or the model with "
        "its joint and its vertices, which `acvae.load` reads in Python.",
        examples=EXAMPLES,
    )
    add_run(parser)
    parser.add_argument("--embeddings", type=Path, metavar="FILE", help=".csv, .parquet or .npy")
    parser.add_argument("--links", type=Path, metavar="FILE", help=".csv or .parquet")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="folder to make or to add to")
    parser.add_argument("-k", type=positive, default=10, metavar="K", help="links each (default: 10)")
    add_by(parser)
    add_quiet(parser, "no progress and no notes")
    return parser


def run(args: argparse.Namespace) -> int:
    """Write what was asked for."""
    from acvae._util.table_writer import check_ending
    from acvae.commands import links
    from acvae.runs import Run

    if args.embeddings is None and args.links is None and args.model is None:
        raise UsageError("nothing was asked for: give --embeddings FILE, --links FILE or --model FOLDER")
    opened = Run(args.run_folder)
    opened.need_finished()
    if args.embeddings is not None:
        check_ending(args.embeddings, (".csv", ".parquet", ".npy"))
    if args.links is not None:
        check_ending(args.links)
    say = silent if args.quiet else note
    if args.embeddings is not None:
        _embeddings(opened, args.embeddings)
        say(f"embeddings of {opened.posterior.n_vertices:,} vertices in {args.embeddings}")
    if args.links is not None:
        links.write(opened, args.links, args.k, args.by, progress=not args.quiet)
    if args.model is not None:
        _model(opened, args.model)
        say(f"the model in {args.model}")
    return 0


def _embeddings(opened: Any, path: Path) -> None:
    import numpy as np

    from acvae._util.files import replacing
    from acvae._util.table_writer import write_table

    posterior, names = opened.posterior, opened.graph.names
    n, d = posterior.mean.shape
    if path.suffix.lower() == ".npy":
        try:
            with replacing(path) as partial, partial.open("wb") as file:
                np.save(file, posterior.mean, allow_pickle=False)
        except OSError as error:
            raise RunError(f"{str(path)!r} cannot be written ({error.strerror or error}).") from error
        return
    shown = opened.stored_graph.display_names

    def parts() -> Any:
        for start in range(0, max(n, 1), AT_A_TIME):
            at = slice(start, min(start + AT_A_TIME, n))
            columns = {"vertex": np.arange(n)[at] if names is None else names[at]}
            if shown is not None:
                columns["label"] = np.array(shown[at], dtype=object)
            classes = opened.class_names(at)
            if classes is not None:
                columns["class"] = classes
            columns |= {f"mean_{j}": posterior.mean[at, j] for j in range(d)}
            columns |= {f"std_{j}": posterior.std[at, j] for j in range(d)}
            yield columns

    write_table(path, parts())


def _model(opened: Any, folder: Path) -> None:
    """The files that stand for themselves, without the record of how they came about."""
    from acvae.runs.folder import CONFIG, GRAPH, LINKS, MODEL, POSTERIOR

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (MODEL, POSTERIOR, LINKS, GRAPH, CONFIG):
            if (opened.path / name).is_file():
                shutil.copyfile(opened.path / name, folder / name)
    except OSError as error:
        raise RunError(f"{str(folder)!r} cannot be written ({error.strerror or error}).") from error
