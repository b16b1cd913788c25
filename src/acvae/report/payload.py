"""Everything the page's script needs to know, as plain values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from acvae._util.checks import choice, whole_number
from acvae._util.progress import Waiting
from acvae.exceptions import OptionError
from acvae.gaussian.posterior import Posterior
from acvae.plot import map_coordinates
from acvae.report.dendrogram import dendrogram
from acvae.report.entry import Entry
from acvae.report.groups import group, legend
from acvae.report.links import held_out, known_neighbors, predicted_links
from acvae.report.packing import floats, pack
from acvae.report.paths import by_path_length, rooted_forest

__all__ = ["CLUSTERS", "MAPS", "payload"]

Say = Callable[[str], None]

MAPS = {"both": ("tsne", "pca"), "tsne": ("tsne",), "pca": ("pca",)}
CLUSTERS = 8
MOST_CLUSTERS = 200  # a cluster's number is one byte
CURVES = ("elbo", "kl", "train_ncrr", "test_ncrr", "settled")


def payload(
    entries: Sequence[Entry],
    *,
    maps: str = "both",
    clusters: int = CLUSTERS,
    progress: bool = False,
    say: Say = lambda text: None,
) -> dict[str, Any]:
    """The data of the page; names that several runs share are there once."""
    choice("maps", maps, tuple(MAPS))
    if whole_number("clusters", clusters, minimum=1) > MOST_CLUSTERS:
        raise OptionError(f"clusters must be at most {MOST_CLUSTERS}, got {clusters}.")
    names: list[list[str]] = []
    runs = []
    for entry in entries:
        own = entry.names
        if own not in names:
            names.append(own)
        data = _run(entry, MAPS[maps], clusters, progress, say)
        runs.append({**data, "names": names.index(own)})
    return {"runs": runs, "names": names}


def _run(entry: Entry, maps: tuple[str, ...], clusters: int, progress: bool, say: Say) -> dict[str, Any]:
    q, names, degrees = entry.posterior, entry.names, entry.graph.degrees
    data: dict[str, Any] = {
        "label": entry.label,
        "model": entry.model,
        "data": entry.data,
        "n": q.n_vertices,
        "d": q.latent_dim,
        "curves": curves(entry.history),
        "links": predicted_links(q, entry.graph, label=entry.label, progress=progress),
        "known": known_neighbors(q, entry.graph),
        "test": None if entry.test is None else held_out(entry.test),
        "forest": None,
        "lengths": None,
    }
    if entry.has_forest:
        data["forest"] = rooted_forest(q)
        data["lengths"] = by_path_length(q)
    say(f"{entry.label}: clusters of {q.n_vertices:,} vertices")
    with Waiting(show=progress):
        groups = group(q, clusters)
    data["cluster"] = pack(groups.labels, "u8")
    data["clusters"] = legend(groups, degrees, names)
    data["small"] = (
        {"groups": groups.small, "vertices": data["clusters"][-1]["size"]} if groups.small else None
    )
    data["dendrogram"] = dendrogram(groups, degrees, names)
    data["maps"] = {}
    for method in maps:
        if method == "tsne":
            say(f"{entry.label}: t-SNE map, which may take a while; --map pca goes without")
        with Waiting(show=progress):
            data["maps"][method] = _map(q, method)
    return data


def _map(posterior: Posterior, method: str) -> dict[str, Any]:
    place = map_coordinates(posterior, method)
    if place.shape[1] < 2:  # one latent dimension
        place = np.column_stack([place, np.zeros(len(place))])
    return {"x": floats(place[:, 0]), "y": floats(place[:, 1])}


def curves(history: list[dict[str, float]]) -> dict[str, Any]:
    """The figures of each epoch by name, each with the epochs that have it."""
    found: dict[str, Any] = {}
    for name in CURVES:
        points = [
            (row.get("epoch", number), row[name])
            for number, row in enumerate(history, start=1)
            if row.get(name) is not None and math.isfinite(row[name])
        ]
        if points:
            epochs, values = zip(*points, strict=True)
            found[name] = {
                "epoch": [int(e) for e in epochs],
                "value": [float(f"{v:.6g}") for v in values],
            }
    return found
