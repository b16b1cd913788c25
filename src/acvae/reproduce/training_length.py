"""How long to train: the stored curves of `experiments/training_length.py` beside the paper's ELBOs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from acvae.reproduce import paper
from acvae.reproduce.spec import gamma_text
from acvae.reproduce.tables import DATASETS, LABELS, NONE, markdown

__all__ = ["SHOWN", "read_curves", "training_length"]

SHOWN = (10, 30, 50, 100, 200, 500, 1000, 2000)
"""Epochs that have a row, besides the last of a curve."""

Curve = dict[str, Any]


def read_curves(folder: Path) -> list[Curve]:
    """Every stored curve that can be read, in the order of their names."""
    curves = []
    for path in sorted(folder.glob("*.json")):
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, json.JSONDecodeError):
            continue  # one is being written
        if isinstance(stored, dict) and stored.get("curve"):
            curves.append(stored)
    return curves


def training_length(curves: Iterable[Curve]) -> str:
    """A row for some epochs of each curve, NCRR by belief propagation and by the pair network."""
    rows = []
    for stored in curves:
        data, method, gamma = stored["data"], stored["method"], stored["gamma"]
        kind = "bp" if method.startswith("acvae") else "pairwise"
        last = stored["curve"][-1]["epoch"]
        for row in stored["curve"]:
            if row["epoch"] in SHOWN or row["epoch"] == last:
                rows.append(
                    [
                        DATASETS[data],
                        LABELS[method, "pairwise"],
                        gamma_text(gamma),
                        str(row["epoch"]),
                        f"{row['train_elbo']:.4g}",
                        _printed_elbo(data, method, gamma, kind),
                        *(_ncrr(row, name) for name in ("bp_train", "bp_test", "pair_train", "pair_test")),
                    ]
                )
    head = ["data", "method", "γ", "epochs", "train ELBO", "paper", "+BP, train NCRR", "+BP, test"]
    return markdown([*head, "pair network, train NCRR", "pair network, test"], rows) if rows else "not run"


def _printed_elbo(data: str, method: str, gamma: float, kind: str) -> str:
    by_method = (
        paper.TABLE3.get(data, {}) if kind == "bp" else paper.TABLE4 if data == "citation-1998" else {}
    )
    figure = by_method.get(method, {}).get(gamma)
    return NONE if figure is None else f"{figure[0]:g}"


def _ncrr(row: dict[str, Any], name: str) -> str:
    value = row.get(f"{name}_ncrr")
    return NONE if value is None else f"{value:.3f}"
