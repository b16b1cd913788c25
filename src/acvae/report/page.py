"""The page: template, style, scripts and data in one file that asks no host for anything."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from acvae._util.checks import as_list, as_path, flag, function, instance, optional_text
from acvae._util.files import replacing
from acvae._util.version import __version__
from acvae.exceptions import OptionError, RunError
from acvae.report.entry import Entry
from acvae.report.packing import script_json
from acvae.report.payload import payload
from acvae.report.scores import score_table

__all__ = ["render", "write_report"]

SCRIPTS = (
    "data.js",
    "theme.js",
    "forest.js",
    "reasons.js",
    "labels.js",
    "map.js",
    "gestures.js",
    "search.js",
    "links.js",
    "drawing.js",
    "charts.js",
    "main.js",
)


def write_report(
    entries: Sequence[Entry],
    path: str | Path,
    *,
    title: str | None = None,
    maps: str = "both",
    clusters: int | None = None,
    progress: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> Path:
    """Write the page of the given runs: a verdict, predicted links, map, clusters, paths and scores.

    `maps` is "both", "tsne" or "pca"; points are coloured by `clusters` clusters,
    by default 8 to 16.
    """
    target = as_path("path", path)
    entries = [instance("entries", e, Entry, OptionError) for e in as_list("entries", entries, OptionError)]
    optional_text("title", title)
    flag("progress", progress)
    function("say", say)
    if target.is_dir():
        raise RunError(f"{str(path)!r} is a folder; give the name of a file, as in {target}/report.html.")
    if not target.absolute().parent.is_dir():
        raise RunError(f"there is no folder {str(target.parent)!r} to write {target.name} to.")
    if not entries:
        raise OptionError("a report needs at least one run.")
    data = payload(entries, maps=maps, clusters=clusters, progress=progress, say=say)
    page = render(entries, data, title=title)
    try:
        with replacing(target) as partial:
            partial.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise RunError(f"{str(path)!r} cannot be written ({error.strerror or error}).") from error
    return target


def render(entries: Sequence[Entry], data: dict[str, Any], *, title: str | None = None) -> str:
    """The page's text."""
    what = " and ".join(dict.fromkeys(entry.data for entry in entries))
    first = data["runs"][0]["verdict"]
    style = "\n" + _asset("page.css")
    script = '\n(() => {\n"use strict";\n' + "\n".join(map(_asset, SCRIPTS)) + "})();\n"
    parts = {
        "policy": f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        "title": escape(title or f"Predicted links of {what}"),
        "subtitle": escape(_subtitle(entries)),
        "tone": escape(first["tone"]),
        "verdict": escape(first["text"]),
        "version": escape(__version__),
        "scores": score_table(entries),
        "style": style,
        "data": script_json(data),
        "script": script,
    }
    # One pass, so that nothing put in is itself taken for a place to fill.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _asset("page.html"))


def _hash(text: str) -> str:
    """What the content-security policy calls an inline script or style: nothing else runs."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _subtitle(entries: Sequence[Entry]) -> str:
    runs = "1 run" if len(entries) == 1 else f"{len(entries)} runs"
    first = entries[0]
    if all(e.data == first.data and e.graph.n_vertices == first.graph.n_vertices for e in entries):
        return f"{runs}, {first.graph.n_vertices:,} vertices, {first.graph.n_edges:,} links trained on"
    return f"{runs} on {len({entry.data for entry in entries})} data sets"


def _asset(name: str) -> str:
    return (resources.files("acvae.report") / "assets" / name).read_text(encoding="utf-8")
