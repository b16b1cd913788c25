"""The flags of `acvae fit`. Each is a setting of a config file too, by the same name with underscores."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any

from acvae._util.plugins import load_plugins
from acvae.commands._options import add_options, unlisted
from acvae.commands._usage import positive, real, whole
from acvae.methods import DEFAULT_METHOD, METHODS

__all__ = ["add_data_and_run", "add_model", "given"]

FILES: tuple[tuple[str, Any, str, str], ...] = (
    (
        *("features", str, "FILE"),
        "matrix (.npz, .npy, .mtx, mapped folder) or table (.csv, .tsv, .parquet), a row per vertex",
    ),
    ("edges", str, "FILE", "table (.csv, .tsv, .txt, .parquet), an edge per row"),
    ("id_column", str, "NAME", 'column of the features with the ids ("id", else the first)'),
    ("max_words", positive, "N", "how many words of the text column to keep (1000)"),
    ("ids", str, "FILE", "ids of a matrix's rows, one a line"),
    ("source_column", str, "NAME", "column of the edges with one end (the first)"),
    ("target_column", str, "NAME", "column of the edges with the other end (the second)"),
    ("weight_column", str, "NAME", 'column of the edges with their weights ("weight", if there is one)'),
    ("label_column", str, "NAME", "column of the features with what to show instead of the ids"),
    ("class_column", str, "NAME", "column of the features with classes, to compare clusters with"),
    ("name", str, "NAME", "what to call the data set (the features file's name)"),
)
LISTS = (
    ("columns", "numeric columns of the features to take (all)"),
    ("text_column", "column or columns of the features whose words become features"),
    ("categorical", "columns of kinds, a feature for each value; auto: all with few values that are texts"),
)
CHOICES = (
    ("missing", ("error", "mean", "zero", "evidence"), "empty cells among numbers (error)"),
    ("duplicates", ("error", "first", "mean"), "an id in more than one row of features (error)"),
    ("decimal", (".", ","), "how 1.5 is written (found out)"),
    ("combine", ("equal", "sum", "mean", "max"), "weights of an edge that is there twice (equal)"),
    ("isolated", ("keep", "drop"), "vertices without an edge (keep)"),
)


def add_data_and_run(parser: argparse.ArgumentParser) -> None:
    """Where the data are and where the run goes.

    A flag that is not given leaves no trace, so that a config file can say it instead.
    """
    absent: dict[str, Any] = {"default": argparse.SUPPRESS}
    parser.add_argument(
        "dataset", nargs="?", metavar="DATASET", help="name of a data set, or an .npz", **absent
    )

    data = parser.add_argument_group("data sets by name (see acvae datasets)")
    data.add_argument("--data-root", metavar="DIR", help="folder with the raw data", **absent)
    data.add_argument(
        "--data-option",
        action="append",
        dest="data_options",
        metavar="NAME=VALUE",
        help="an option of the data set, as n_vertices=500 of tree; may be repeated",
        **absent,
    )
    files = parser.add_argument_group("data of your own")
    for name, kind, metavar, text in FILES:
        files.add_argument(_flag(name), type=kind, metavar=metavar, help=text, **absent)
    for name, text in LISTS:
        files.add_argument(_flag(name), nargs="+", metavar="NAME", help=text, **absent)
    files.add_argument(
        "--no-header", action="store_false", dest="header", help="the features have no header line", **absent
    )
    files.add_argument(
        "--row-ids", action="store_true", help="the features have no ids: number the rows from 0", **absent
    )
    files.add_argument(
        "--edges-header",
        action=argparse.BooleanOptionalAction,
        help="whether the edges have a header line (found out)",
        **absent,
    )
    for name, choices, text in CHOICES:
        files.add_argument(_flag(name), choices=choices, help=text, **absent)
    run = parser.add_argument_group("the run")
    run.add_argument("--out", type=Path, metavar="RUN", help="folder to make", **absent)
    run.add_argument("--overwrite", action="store_true", help="replace the run in that folder")
    run.add_argument(
        "--config", type=Path, metavar="FILE", help="take settings from a TOML file; flags win over it"
    )
    run.add_argument("--resume", type=Path, metavar="RUN", help="go on with a training that was stopped")
    split = run.add_mutually_exclusive_group()
    split.add_argument(
        "--split-seed", type=whole, metavar="N", help="which test edges to hold out (0)", **absent
    )
    run.add_argument(
        "--test-fraction",
        type=real,
        metavar="X",
        help="share of its edges that a vertex gives to the test set, at least one (0.05)",
        **absent,
    )
    split.add_argument(
        "--all-edges", action="store_true", help="hold out no test edges, train on all", **absent
    )
    run.add_argument(
        "--evaluate-every", type=positive, metavar="N", help="epochs between evaluations (none)", **absent
    )
    run.add_argument(
        "--checkpoint-every", type=positive, metavar="N", help="epochs between checkpoints (10)", **absent
    )
    run.add_argument(
        "--quiet",
        action="store_true",
        help="no progress and no messages but errors and doubts about a header",
    )


def add_model(parser: argparse.ArgumentParser) -> None:
    """Which model, and its options, as the registry has them from the estimators."""
    load_plugins()
    lines = "\n".join(f"  {name:<16}{method.summary}" for name, method in METHODS.items())
    model = parser.add_argument_group("the model", f"models:\n{lines}\n\noptions, with their defaults:")
    model.add_argument(
        "--model", metavar="MODEL", help=f"one of the above ({DEFAULT_METHOD})", default=argparse.SUPPRESS
    )
    add_options(model)


def given(args: argparse.Namespace) -> dict[str, Any]:
    """The settings among the flags that were given."""
    from acvae.runs.config import all_keys

    values = {name: getattr(args, name) for name in all_keys() if hasattr(args, name)}
    if "data_options" in values:
        values["data_options"] = dict(_assignment(text) for text in values["data_options"])
    for name in ("text_column", "categorical"):  # where one name, or "auto", stands for itself
        if len(values.get(name, ())) == 1:
            values[name] = values[name][0]
    return {name: unlisted(name, value) for name, value in values.items()}


def _assignment(text: str) -> tuple[str, Any]:
    """NAME=VALUE, the value as TOML reads it, else as it stands."""
    name, _, value = text.partition("=")
    try:
        return name.replace("-", "_"), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.replace("-", "_"), value


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
