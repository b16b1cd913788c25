"""Known classes of the vertices, for the colours of the map."""

from __future__ import annotations

from typing import Any

import numpy as np

from acvae.report.entry import Entry
from acvae.report.packing import pack

__all__ = ["class_payload"]

MOST_CLASSES = 24  # with colours; more are grey together


def class_payload(entry: Entry) -> dict[str, Any] | None:
    """Class of each vertex by size, the largest is 0; what is in none, or in a small one, comes last, without
    a name."""
    if entry.classes is None:
        return None
    labels = np.asarray(entry.classes)
    known, inverse, size = np.unique(labels[labels >= 0], return_inverse=True, return_counts=True)
    if len(known) < 2:
        return None
    order = np.argsort(-size, kind="stable")[:MOST_CLASSES]
    rank = np.full(len(known), len(order))
    rank[order] = np.arange(len(order))
    number = np.full(len(labels), len(order))
    number[labels >= 0] = rank[inverse]
    names = entry.class_names
    shown: list[dict[str, Any]] = [
        {"name": str(names[c]) if names is not None and c < len(names) else f"class {c}", "size": int(s)}
        for c, s in zip(known[order].tolist(), size[order].tolist(), strict=True)
    ]
    rest = int((number == len(order)).sum())
    if rest:
        shown.append({"name": None, "size": rest})
    return {"of": pack(number, "u8"), "classes": shown}
