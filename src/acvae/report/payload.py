"""Everything the page's script needs to know, as plain values."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from acvae._util.checks import choice, whole_number
from acvae.exceptions import OptionError
from acvae.methods import METHODS
from acvae.plot.layout import map_coordinates
from acvae.report.classes import class_payload
from acvae.report.dendrogram import dendrogram
from acvae.report.directions import directions
from acvae.report.entry import Entry
from acvae.report.groups import Groups, group, legend
from acvae.report.links import LARGE, LINKS, SECONDS, best_pairs, held_out, known_neighbors, predicted_links
from acvae.report.naming import common_features
from acvae.report.packing import floats, ids, pack
from acvae.report.paths import by_path_length, rooted_forest
from acvae.report.reasons import explanations, telling_features
from acvae.report.verdict import verdict
from acvae.report.work import Work

__all__ = ["MAPS", "payload"]

Say = Callable[[str], None]

MAPS = {"both": ("tsne", "pca"), "tsne": ("tsne",), "pca": ("pca",)}
MOST_CLUSTERS = 200  # a cluster's number is one byte
MOST_VERTICES = 100_000  # a page of more would be hundreds of megabytes, and no browser would like it
CURVES = ("elbo", "kl", "train_ncrr", "test_ncrr", "settled")
LIKELY = 0.5
LEAST_PAIRS = 10  # that a share is worth telling of


def payload(
    entries: Sequence[Entry],
    *,
    maps: str = "both",
    clusters: int | None = None,
    progress: bool = False,
    say: Say = lambda text: None,
) -> dict[str, Any]:
    """The data of the page; names that several runs share are there once."""
    choice("maps", maps, tuple(MAPS))
    if clusters is not None and whole_number("clusters", clusters, minimum=1) > MOST_CLUSTERS:
        raise OptionError(f"clusters must be at most {MOST_CLUSTERS}, got {clusters}.")
    for entry in entries:
        if entry.posterior.n_vertices > MOST_VERTICES:
            raise OptionError(
                f"{entry.label} has {entry.posterior.n_vertices:,} vertices; a page holds at most "
                f"{MOST_VERTICES:,}. `acvae links RUN` writes the links of all of them to a file."
            )
    names: list[list[str]] = []
    runs = []
    for entry in entries:
        own = entry.names
        if own not in names:
            names.append(own)
        say(f"{entry.label}: links, clusters and map of {entry.posterior.n_vertices:,} vertices")
        with Work(_seconds(entry.posterior.n_vertices), show=progress) as work:
            data = _run(entry, MAPS[maps], clusters, work)
        runs.append({**data, "names": names.index(own)})
    return {"runs": runs, "names": names}


def _seconds(n: int) -> dict[str, float]:
    """About what each part takes on two cores; the map is of a sample, links are given a time."""
    return {
        "links": min(20.0, 1 + 1e-3 * n),
        "neighbours": 9 + 1e-4 * n,  # reasons have eight seconds of it
        "clusters": 1 + 2e-4 * min(n, 4_000),
        "map": 6 + 3e-4 * n,
        "scores": 1.0,
    }


def _run(entry: Entry, maps: tuple[str, ...], clusters: int | None, work: Work) -> dict[str, Any]:
    q, n = entry.posterior, entry.posterior.n_vertices
    found, distance, probability, asked = predicted_links(entry, LINKS, advance=_advance_links(work, n))
    best = best_pairs(found, distance, probability)
    data: dict[str, Any] = {
        "label": entry.label,
        "model": entry.model,
        "data": entry.data,
        "n": n,
        "d": q.latent_dim,
        "links": {
            "k": LINKS,
            "ids": ids(found, n),
            "distance": floats(distance),
            "probability": None if probability is None else floats(probability),
            "best": best,
            "asked": None if asked.all() else {"of": pack(asked, "u8"), "count": int(asked.sum())},
            "words": explanations(entry, found, best),
        },
        "known": known_neighbors(q, entry.graph),
        "test": None if entry.test is None else held_out(entry.test),
        "features": telling_features(entry),
        "forest": rooted_forest(q) if entry.has_forest else None,
        "lengths": by_path_length(q) if entry.has_forest else None,
        "curves": curves(entry.history, entry.model),
        "calibration": calibration(entry.scores),
        "classes": class_payload(entry),
    }
    work.advance("neighbours", 1)
    points = directions(entry)
    data |= _clusters(entry, group(q, clusters, points=points))
    work.advance("clusters", 1)
    data["maps"] = {}
    for method in maps:
        share = 1.0 if len(maps) == 1 else 0.95 if method == "tsne" else 0.05
        place = map_coordinates(q, method, points=points, advance=partial(_advance_map, work, share))
        data["maps"][method] = {"x": floats(place[:, 0]), "y": floats(place[:, 1])}
    data["verdict"] = verdict(entry)._asdict()
    work.advance("scores", 1)
    return data


def _advance_links(work: Work, n: int) -> Callable[[int], None]:
    """By the vertices that are done; of a large graph by the time that links are given."""
    start, done = time.monotonic(), 0.0

    def advance(rows: int) -> None:
        nonlocal done
        passed = (time.monotonic() - start) / SECONDS if n > LARGE else 0.0
        share = max(rows / n, min(1.0, passed) - done)
        done += share
        work.advance("links", share)

    return advance


def _advance_map(work: Work, share: float, part: float) -> None:
    work.advance("map", share * part)


def _clusters(entry: Entry, groups: Groups) -> dict[str, Any]:
    words = None
    if entry.features is not None and entry.feature_names is not None:
        words = common_features(groups.labels, entry.features, np.asarray(entry.feature_names, dtype=object))
    shown = legend(groups, entry.graph.degrees, entry.names, words)
    return {
        "cluster": pack(groups.labels, "u8"),
        "clusters": shown,
        "small": {"groups": groups.small, "vertices": shown[-1]["size"]} if groups.small else None,
        "dendrogram": dendrogram(groups, entry.graph.degrees, entry.names),
    }


def curves(history: list[dict[str, float]], model: str = "") -> dict[str, Any]:
    """The figures of each epoch by name, each with the epochs that have it; none that means nothing."""
    found: dict[str, Any] = {}
    method = METHODS.get(model)
    for name in CURVES:
        points = [
            (row.get("epoch", number), row[name])
            for number, row in enumerate(history, start=1)
            if row.get(name) is not None and math.isfinite(row[name])
        ]
        if len(points) < 2:  # one point is no curve
            continue
        if name == "settled" and not (method is not None and method.takes("weight_step")):
            continue
        epochs, values = zip(*points, strict=True)
        found[name] = {"epoch": [int(e) for e in epochs], "value": [float(f"{v:.6g}") for v in values]}
    return found


def calibration(scores: dict[str, Any] | None) -> dict[str, Any] | None:
    """The stored bins of predicted probabilities against the shares that came true, with the two scores.

    Of all bins those that hold nearly all links, with enough pairs to say something; None where there are
    fewer than two. Of the pairs that are called likely, `likely` tells how many are links.
    """
    stored = (scores or {}).get("calibration")
    if not isinstance(stored, dict) or not isinstance(stored.get("reliability"), list):
        return None
    names = {"predicted": "mean_predicted", "observed": "fraction", "low": "lower", "high": "upper"}
    names |= {"pairs": "count"}
    rows = [
        row
        for row in stored["reliability"]
        if isinstance(row, dict)
        and row.get("counted")
        and all(_is_finite(row.get(name)) for name in (*names, "links"))
        and row["predicted"] > 0
    ]
    likely = [row for row in rows if row["predicted"] >= LIKELY]
    pairs, links = (sum(row[name] for row in likely) for name in ("pairs", "links"))
    rows = [row for row in rows if row["pairs"] >= LEAST_PAIRS]
    if len(rows) < 2:
        return None
    told = {name: stored.get(name) for name in ("calibration_error", "log_loss")}
    return {
        **{shown: [float(f"{row[name]:.6g}") for row in rows] for name, shown in names.items()},
        "likely": {"pairs": round(pairs), "share": links / pairs} if pairs >= LEAST_PAIRS else None,
        "error": told["calibration_error"] if _is_finite(told["calibration_error"]) else None,
        "log_loss": told["log_loss"] if _is_finite(told["log_loss"]) else None,
    }


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)
