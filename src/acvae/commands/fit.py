"""`acvae fit`: train a model on a data set or on your own files, and keep it in a folder."""

from __future__ import annotations

import argparse
import shlex
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acvae._util.text import counted, score_text
from acvae.commands._fit_flags import add_data_and_run, add_model, given
from acvae.commands._output import note, silent, warn_of_collapse
from acvae.commands._settings import merge, output_folder
from acvae.commands._usage import UsageError, new_parser, options_by_flags
from acvae.exceptions import (
    AcvaeError,
    AcvaeWarning,
    HeaderWarning,
    OptionError,
    TrainingWarning,
)

__all__ = ["add_parser", "complete", "not_understood", "run"]

# What others call it.
ALIASES = {
    "--lr": "--learning-rate",
    "--dim": "--latent-dim",
    "--dimensions": "--latent-dim",
    "--hidden": "--hidden-dim",
    "--batch-size": "--batch-edges",
    "--n-epochs": "--epochs",
    "--random-state": "--seed",
    "--output": "--out",
    "-o": "--out",
    "--labels": "--label-column",
    "--graph": "--edges",
}

EXAMPLES = """  acvae fit debian --out runs/debian
  acvae fit --features words.csv --edges links.csv --out runs/mine
  acvae fit --features texts.csv --text-column abstract --edges links.csv --out runs/texts
  acvae fit --features people.csv --categorical town --missing mean --edges knows.csv --out runs/people
  acvae fit --features words.csv --edges links.csv --all-edges --out runs/all    for links to use
  acvae fit acm.npz --out runs/acm                                 features and edges in one file
  acvae fit debian --model vae --epochs 50 --seed 1 --out runs/vae
  acvae fit --config runs/debian/config.toml --out runs/again      the same once more, bit for bit
  acvae fit --config runs/vae/config.toml --epochs 200 --out runs/longer
  acvae fit --resume runs/debian                                   after Ctrl-C
  torchrun --nproc-per-node 4 -m acvae.commands.main fit debian --out runs/debian   four processes
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "fit",
        summary="train a model and keep it in a folder",
        description="Train on a data set by name, or on features and edges of your own. Test edges are held "
        "out as in the paper's protocol and stored with the model, so that `acvae evaluate RUN` can score "
        "it. Every setting is recorded in RUN/config.toml. Ctrl-C leaves a checkpoint to go on from.",
        examples=EXAMPLES,
    )
    parser.usage = (
        "acvae fit (DATASET | --features FILE --edges FILE | FILE.npz | --config FILE) [--model MODEL] "
        "--out RUN …\n"
        "       acvae fit --resume RUN [--quiet]"
    )
    add_data_and_run(parser)
    return parser


def complete(parser: argparse.ArgumentParser) -> None:
    """Add what only the estimators know; they take their time to import."""
    add_model(parser)


def run(args: argparse.Namespace) -> int:
    """Train, or go on training."""
    with options_by_flags():
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    work, folder = _going_on(args) if args.resume is not None else _starting(args)
    try:
        with _warnings_as_notes(silent if args.quiet else note) as of_training:
            finished = work()
    except (KeyboardInterrupt, SystemError):  # which a Ctrl-C in compiled code becomes
        args.after_interrupt = _how_to_go_on(folder)
        raise
    if finished is not None and not args.quiet:
        _print_summary(finished)
        _warn(finished, of_training)
    return 0


def _starting(args: argparse.Namespace) -> tuple[Callable[[], Any], Path]:
    from acvae.engine.distributed import is_leader
    from acvae.runs import RunConfig, fit_run, follow_run, read_config

    say = note if is_leader() and not args.quiet else silent
    file = {} if args.config is None else read_config(args.config)
    values, notes = merge(file, given(args))
    folder = output_folder(getattr(args, "out", None), file, args.config)
    for text in notes:
        say(text)
    if not {"dataset", "features", "edges"} & values.keys():
        raise UsageError("no data were named: give DATASET, or --features FILE and --edges FILE")
    if folder is None:
        raise UsageError("--out RUN is needed: the folder to keep the run in")
    _check_dataset(values.get("dataset"))
    _check_epochs(values.get("epochs"))
    config = RunConfig.from_values(values)
    if not is_leader():
        return lambda: follow_run(config, folder), folder
    options = {"overwrite": args.overwrite, "progress": not args.quiet, "say": say}
    return lambda: fit_run(config, folder, **options), folder


def _check_dataset(name: Any) -> None:
    """A file in the place of a data set's name is a likely slip."""
    from acvae.datasets import NAMES

    if name not in (None, *NAMES) and Path(str(name)).exists():
        raise UsageError(
            f"{name!r} is not the name of a data set but a file; give files of your own with --features FILE "
            "--edges FILE"
        )


def _check_epochs(epochs: Any) -> None:
    """A model may be made without training it, but a run is there to be asked."""
    if epochs == 0:
        raise OptionError("--epochs must be at least 1, not 0: without an epoch nothing is learnt.")


def _going_on(args: argparse.Namespace) -> tuple[Callable[[], Any], Path]:
    from acvae.engine.distributed import is_leader
    from acvae.runs import Run, follow_run, resume_run

    others = [*given(args), *(name for name in ("out", "config", "overwrite") if getattr(args, name, None))]
    if others:
        what = args.dataset if others[0] == "dataset" else f"--{others[0].replace('_', '-')}"
        raise UsageError(f"--resume goes on with the run's own settings; leave out {what}")
    if not is_leader():
        run = Run(args.resume)
        return (lambda: None if run.finished else follow_run(run.config, run.path)), run.path
    say = silent if args.quiet else note
    return lambda: resume_run(args.resume, progress=not args.quiet, say=say), args.resume


@contextmanager
def _warnings_as_notes(say: Callable[[str], None]) -> Iterator[list[str]]:
    """The library's own warnings in a sentence each, without the line of code that they are about.

    Those of the training are not said but listed, to be told at the end. What only the user can tell is said
    even where all is to be quiet.
    """
    of_training: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", AcvaeWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, TrainingWarning):
                of_training.append(str(message))
            elif issubclass(category, HeaderWarning):  # a vertex too many, or an edge too few
                note(f"warning: {message}")
            elif issubclass(category, AcvaeWarning):
                say(f"note: {message}")
            else:
                others(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        yield of_training


def _how_to_go_on(folder: Path) -> str:
    from acvae.runs import Run

    try:
        finished = Run(folder).finished
    except AcvaeError:  # interrupted before anything was there to go on with
        return ""
    return "" if finished else f"`acvae fit --resume {shlex.quote(str(folder))}` goes on from here"


def _print_summary(finished: Any) -> None:
    from acvae.methods import RANKINGS
    from acvae.runs.rankings import default_ranking

    config, graph, where = finished.config, finished.graph, shlex.quote(str(finished.path))
    by, score = default_ranking(finished), ""
    found = (finished.scores or {}).get("link_prediction", {})
    if by in found:
        own = found[by]["ncrr"]
        score = (
            f"; test NCRR {score_text(own['test'])} by {RANKINGS[by].title}, "
            f"{score_text(own['random'])} at random"
        )
    epochs = counted(config.options["epochs"], "epoch") if "epochs" in config.options else "fitted"
    seconds = finished.about.get("timing", {}).get("total", 0.0)
    print(f"{config.model} on {config.data_name}: {epochs} in {seconds:.0f} s{score}")
    example = shlex.quote(str(graph.name(int(graph.degrees.argmax()))))
    print(f"stored in {where}; next: acvae evaluate {where}, acvae neighbors {where} {example}")


def _warn(finished: Any, of_training: list[str]) -> None:
    from acvae.runs.collapse import spread_of

    if of_training:
        note(f"warning: {of_training[0]}")
        return
    warn_of_collapse({"embeddings": spread_of(finished.posterior)._asdict()}, finished.config.method)


def not_understood(argument: str, args: argparse.Namespace) -> str | None:
    """What a user of other tools may have meant by an argument that is not ours."""
    first = getattr(args, "dataset", None)
    if not argument.startswith("-") and first is not None and (_is_file(first) or _is_file(argument)):
        return (
            f"files of your own are named by what is in them: acvae fit --features {shlex.quote(first)} "
            f"--edges {shlex.quote(argument)} --out RUN"
        )
    meant = ALIASES.get(argument.split("=")[0])
    return None if meant is None else f"there is no option {argument.split('=')[0]}. Did you mean {meant}?"


def _is_file(text: str) -> bool:
    path = Path(text)
    return path.exists() or path.suffix.lower() in (".csv", ".tsv", ".txt", ".parquet", ".npz", ".npy", ".gz")
