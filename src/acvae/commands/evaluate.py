"""`acvae evaluate`: the scores of a run, as a table and as JSON."""

from __future__ import annotations

import argparse
import math
from typing import Any

from acvae._util.text import counted
from acvae.commands._output import note, print_json, print_table, warn_of_collapse
from acvae.commands._usage import add_json, add_quiet, add_run, new_parser

__all__ = ["add_parser", "run"]

EXAMPLES = """  acvae evaluate runs/debian
  acvae evaluate runs/debian --json
  acvae evaluate runs/debian --no-pair-network     quicker on large graphs
"""
METRICS = {"ncrr": "NCRR", "mrr": "MRR", "hits_at_10": "Hits@10"}


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Describe the command to argparse."""
    parser: argparse.ArgumentParser = new_parser(
        subparsers,
        "evaluate",
        summary="link prediction and clustering scores of a run",
        description="Rank all vertices from each and score the known (train) and the hidden (test) links, "
        "beside what a random ranking of the test links would score. NCRR is 1 where the links of a vertex "
        "come first, MRR the mean of 1/(rank of the first), Hits@10 the share with one among ten. "
        "Probabilities of links are compared with the hidden links: the calibration error is how far they "
        "are off on average, the log-loss is per hidden link. "
        "A model is asked by every ranking it has: its links, its joint, its pair network alone; where the "
        "data have classes, clusters are compared with them, and a linear classifier on the embeddings is "
        "cross-validated. The scores are stored in the run's scores.json.",
        examples=EXAMPLES,
    )
    add_run(parser)
    parser.add_argument("--no-pair-network", action="store_true", help="by the joint only")
    add_json(parser)
    add_quiet(parser, "no progress and no notes")
    return parser


def run(args: argparse.Namespace) -> int:
    """Evaluate, store and print."""
    from acvae.exceptions import RunError
    from acvae.runs import Run, score_run

    opened = Run(args.run_folder)
    scores = score_run(opened, pair_network=not args.no_pair_network, clusters=True, progress=not args.quiet)
    try:
        opened.write_scores(scores)
    except RunError as error:  # a run of someone else's can be evaluated all the same
        scores.setdefault("notes", []).append(f"the scores were not stored: {error}")
    if args.json:
        print_json({"run": str(args.run_folder), **scores})
    else:
        _print(scores)
    if not args.quiet:
        warn_of_collapse(scores, opened.config.method)
        for text in scores.get("notes", []):
            note(text)
    return 0


def _print(scores: dict[str, Any]) -> None:
    from acvae.methods import RANKINGS

    epochs = "" if scores["epochs"] is None else f", {counted(scores['epochs'], 'epoch')}"
    print(
        f"{scores['model']} on {scores['data']}{epochs}: "
        f"{counted(scores['n_vertices'], 'vertex', 'vertices')}, "
        f"{counted(scores['train_edges'], 'train link')} and {counted(scores['test_edges'], 'test link')}\n"
    )
    rows = []
    for kind, found in scores["link_prediction"].items():
        for number, (key, title) in enumerate(METRICS.items()):
            values = (_figure(found[key][part]) for part in ("train", "test", "random"))
            rows.append(("" if number else RANKINGS[kind].title, title, *values))
    print_table(("links ranked by", "", "train", "test", "random"), rows, numbers=(2, 3, 4))
    if "calibration" in scores:
        found = scores["calibration"]
        print(
            f"\nprobabilities of links: calibration error {_figure(found['calibration_error'])} counted by "
            f"pairs, {_figure(found['calibration_error_of_links'])} by links; "
            f"log-loss {found['log_loss']:.2f} per hidden link, AUC {_figure(found['auc'])}, "
            f"average precision {_figure(found['average_precision'])}"
        )
    if "classification" in scores:
        found = scores["classification"]
        print(
            f"\nclasses from embeddings: {found['accuracy']:.1%} right in {found['folds']}-fold "
            f"cross-validation, {found['majority']:.1%} by always saying the largest of {found['classes']}"
        )
    if "clustering" in scores:
        print()
        print_table(
            ("clusters against classes", "by", "k", "NMI", "sizes"),
            [
                (
                    RANKINGS[kind].title,
                    found.get("by", "distance"),
                    str(found["k"]),
                    _figure(found["nmi_arithmetic"]),
                    " ".join(map(str, found["cluster_counts"])),
                )
                for kind, found in scores["clustering"].items()
            ],
            numbers=(2, 3),
        )


def _figure(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return f"{value:.4f}" if value >= 0.001 else f"{value:.2g}"
