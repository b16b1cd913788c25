"""The flags of `acvae fit`. Each is a setting of a config file too, by the same name with underscores."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any

from acvae.commands._usage import positive, real, whole

__all__ = ["MODELS", "SETTINGS", "add_flags", "given"]

MODELS = ("acvae-eb", "acvae-sp", "cvae-graph", "cvae-corr", "cvae-ind", "vae", "graphsage")

_NO_PAIRS = "not for cvae-ind, vae and graphsage"

# name, type, help
OPTIONS: tuple[tuple[str, Any, str], ...] = (
    ("epochs", whole, "passes over the edges, for vae over the vertices (200; graphsage 100)"),
    ("seed", whole, "fixes everything random in training (0)"),
    ("latent_dim", positive, "dimensions of an embedding (10)"),
    ("hidden_dim", positive, "size of the hidden layers (30)"),
    ("pair_hidden_dim", positive, f"size of the pair network's hidden layer (100); {_NO_PAIRS}"),
    (
        "tau",
        real,
        "correlation of the prior across an edge (0.99; cvae-graph 0.8); not for vae and graphsage",
    ),
    ("gamma", real, f"strength of the regulariser on random pairs (0.1); {_NO_PAIRS}"),
    ("weight_step", real, "step of the edge weights, once an epoch (0.1); acvae only"),
    ("edge_weights", str, "exact, or sampled where the graph is too large (exact); cvae only"),
    ("n_trees", positive, "spanning trees that sampled edge weights are estimated from (100); cvae only"),
    ("likelihood", str, "multinomial, bernoulli, poisson or gaussian (multinomial); not for graphsage"),
    ("learning_rate", real, "step size of Adam (0.001)"),
    ("batch_vertices", positive, "vertices per step (64); not for graphsage"),
    ("batch_edges", positive, "edges per step (256); not for vae"),
    ("batch_pairs", positive, f"random pairs per step (256); {_NO_PAIRS}"),
    ("n_negatives", positive, "negative samples (20); graphsage only"),
    ("device", str, "auto, cpu, cuda, … (auto)"),
)

FILES: tuple[tuple[str, Any, str, str], ...] = (
    (
        *("features", str, "FILE"),
        "matrix (.npz, .npy, .mtx, mapped folder) or table (.csv, .tsv, .parquet), a row per vertex",
    ),
    ("edges", str, "FILE", "table (.csv, .tsv, .parquet), an edge per row"),
    ("id_column", str, "NAME", 'column of the features with the ids ("id", else the first)'),
    ("text_column", str, "NAME", "column of the features whose words become features"),
    ("max_words", positive, "N", "how many words of the text column to keep (1000)"),
    ("ids", str, "FILE", "ids of a matrix's rows, one a line"),
    ("source_column", str, "NAME", "column of the edges with one end (the first)"),
    ("target_column", str, "NAME", "column of the edges with the other end (the second)"),
    ("name", str, "NAME", "what to call the data set (the features file's name)"),
)

SETTINGS = (
    *("dataset", "data_root", "data_options", "columns", "header", "row_ids", "edges_header", "isolated"),
    *("model", "split_seed", "all_edges", "evaluate_every", "checkpoint_every"),
    *(name for name, *_ in OPTIONS),
    *(name for name, *_ in FILES),
)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add them all. One that is not given leaves no trace, so that a config file can say it instead."""
    absent: dict[str, Any] = {"default": argparse.SUPPRESS}
    parser.add_argument("dataset", nargs="?", metavar="DATASET", help="name of a data set", **absent)

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
    files.add_argument(
        "--columns", nargs="+", metavar="NAME", help="numeric columns of the features to take (all)", **absent
    )
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
    files.add_argument(
        "--isolated", choices=("keep", "drop"), help="vertices without an edge (keep)", **absent
    )
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
    split.add_argument(
        "--all-edges", action="store_true", help="hold out no test edges, train on all", **absent
    )
    run.add_argument(
        "--evaluate-every", type=positive, metavar="N", help="epochs between evaluations (none)", **absent
    )
    run.add_argument(
        "--checkpoint-every", type=positive, metavar="N", help="epochs between checkpoints (10)", **absent
    )
    run.add_argument("--quiet", action="store_true", help="no progress and no messages but errors")

    model = parser.add_argument_group("the model (defaults in brackets)")
    model.add_argument("--model", metavar="MODEL", help=f"{', '.join(MODELS)} (acvae-eb)", **absent)
    for name, kind, text in OPTIONS:
        model.add_argument(_flag(name), type=kind, metavar=_metavar(kind), help=text, **absent)


def given(args: argparse.Namespace) -> dict[str, Any]:
    """The settings among the flags that were given."""
    values = {name: getattr(args, name) for name in SETTINGS if hasattr(args, name)}
    if "data_options" in values:
        values["data_options"] = dict(_assignment(text) for text in values["data_options"])
    return values


def _assignment(text: str) -> tuple[str, Any]:
    """NAME=VALUE, the value as TOML reads it, else as it stands."""
    name, _, value = text.partition("=")
    try:
        return name.replace("-", "_"), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.replace("-", "_"), value


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _metavar(kind: Any) -> str:
    return "NAME" if kind is str else "X" if kind is real else "N"
