"""RESULTS.md: every table from the stored results alone, and the discussion that people wrote."""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from pathlib import Path

from acvae._util.files import replacing
from acvae._util.progress import duration
from acvae.reproduce import tables
from acvae.reproduce.beyond import beyond
from acvae.reproduce.selection import Grid, group
from acvae.reproduce.spec import all_methods, gamma_text
from acvae.reproduce.store import Result, read_all
from acvae.reproduce.training_length import Curve, read_curves, training_length

__all__ = ["render", "write_report"]

INTRODUCTION = """\
Written by `acvae reproduce results` from the stored runs in `experiments/results`, one JSON file each; \
a cell without runs says "not run". Any run can be done again and compared: \
`acvae reproduce check RESULT.json`.

- "paper" is what the paper prints; "difference" is ours minus the paper's. Epinions is the paper's own \
crawl; beside the Tang crawl, another one of the same site, stand the paper's figures on its own.
- ± is the standard deviation over runs (n − 1); a run has its own split and its own seed.
- γ is the one with the best average train NCRR. While training, an evaluation is taken only if train ELBO \
and train NCRR are both better than at the last one taken.
- KL is the mean divergence of a vertex's posterior from the prior, in nats; where it is near 0 and ρ near \
τ = 0.99 the posterior has collapsed, and the expected distance is little more than the number of hops in \
a spanning tree. The rows in italics show what such hops score in a *random* spanning tree, where nothing is \
learnt.
- GraphSAGE has no ELBO; minus its loss takes its place in the selection.
"""

FIGURE = """\
![t-SNE of the means with part of the largest tree, empirical Bayes and saddle point]({})

Drawn by `acvae reproduce figure1`: t-SNE of the means, and around its centroid a part of the largest tree \
of the forest that each option learns (at most eight branches a vertex); lines are wider the larger the mean \
|ρ|. Joined vertices often lie far apart: what the forest knows, the means do not show.
"""


LENGTH = """\
One run of a configuration (the first of its table), trained far longer than in the tables; stored by \
`python experiments/training_length.py`. The pair network is ranked over a sample of vertices here.
"""


def _relative(path: Path, folder: Path) -> str | None:
    return Path(os.path.relpath(path, folder)).as_posix() if path.is_file() else None


def write_report(results: Path, out: Path, discussion: Path) -> None:
    """Write the whole page, or leave the old one as it is."""
    text = render(
        list(read_all(results)),
        discussion.read_text("utf-8") if discussion.is_file() else "",
        _relative(results.parent / "figures" / "figure1.png", out.parent),
        read_curves(results.parent / "training_length"),
        beyond(results.parent / "beyond" / "results"),
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    with replacing(out) as partial:
        partial.write_text(text, encoding="utf-8")


def render(
    results: list[Result],
    discussion: str = "",
    figure: str | None = None,
    curves: Sequence[Curve] = (),
    more: str = "",
) -> str:
    """The page as Markdown; `figure` is the place of figure 1, if it has been drawn, `more` of `beyond`."""
    groups = group(results)
    sections = {
        "Table 1: link prediction": tables.table1(groups),
        "Table 2: clustering (Epinions, in place of LibraryThing)": tables.table2(groups),
        "Table 3: ELBO and NCRR, ACVAE with belief propagation": tables.table3(groups),
        "Table 4: ELBO and NCRR, ACVAE without belief propagation and CVAE, Citation": tables.table4(groups),
        "Table 5: the larger Citation": tables.table5(groups),
        "Figure 1: the learnt forests on a map of the means, Citation": FIGURE.format(figure)
        if figure
        else "not drawn",
        "Every γ, Citation": tables.every_gamma(groups, "citation-1998"),
        "Every γ, Epinions": tables.every_gamma(groups, "epinions"),
        "Every γ, Epinions, Tang crawl (a stand-in)": tables.every_gamma(groups, "epinions-tang"),
        "Length of training": f"{LENGTH}\n{training_length(curves)}",
        "What was run": _what_was_run(groups),
    }
    parts = ["# Results", INTRODUCTION.strip()]
    parts += [f"## {title}\n\n{body}" for title, body in sections.items()]
    if more:
        parts.append(f"## Beyond the paper\n\n{more}")
    if discussion.strip():
        parts.append(discussion.strip())
    return "\n\n".join(parts) + "\n"


def _what_was_run(groups: dict[tuple[str, str], Grid]) -> str:
    order = {method: place for place, method in enumerate(all_methods())}
    keys = sorted(groups, key=lambda key: (key[0], order.get(key[1], len(order))))
    rows = []
    total = 0.0
    for dataset, method in keys:
        grid = groups[dataset, method]
        runs = [run for found in grid.values() for run in found]
        seconds = [run["seconds"]["total"] for run in runs]
        total += sum(seconds)
        rows.append(
            [
                dataset,
                method,
                ", ".join(gamma_text(gamma) for gamma in sorted(grid, key=lambda g: g or 0)),
                "–".join(sorted({str(len(found)) for found in grid.values()})),
                _settings(runs, "epochs"),
                duration(statistics.median(run["seconds"]["train"] for run in runs)),
                duration(statistics.median(run["seconds"]["evaluate"] for run in runs)),
                duration(sum(seconds)),
            ]
        )
    if not rows:
        return "Nothing yet."
    head = ["data", "method", "γ", "runs per γ", "epochs", "training", "evaluation", "all runs"]
    results = [run for grid in groups.values() for found in grid.values() for run in found]
    return "\n\n".join(
        [
            "Training and evaluation are medians of one run. "
            f"{len(results)} runs in {duration(total)} of processes with "
            f"{_distinct(str(run['threads']) for run in results)} thread(s).",
            tables.markdown(head, rows),
            f"Versions: {_versions(results)}.",
        ]
    )


def _settings(runs: list[Result], name: str) -> str:
    return _distinct(str(run["spec"]["options"].get(name, "–")) for run in runs)


def _versions(results: list[Result]) -> str:
    names = ("acvae", "torch", "numpy", "python")
    shown = [f"{name} {_distinct(run['versions'][name] for run in results)}" for name in names]
    return ", ".join([*shown, f"fingerprint of the code {_distinct(run['code'] for run in results)}"])


def _distinct(values: object) -> str:
    return ", ".join(sorted(set(values)))  # type: ignore[call-overload]
