"""Find the vertex a user means, or say which ones may have been meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from acvae.exceptions import UnknownNameError

if TYPE_CHECKING:
    from acvae.graph import Graph

__all__ = ["find_vertex", "suggestions"]

AT_MOST = 5


def find_vertex(graph: Graph, text: str) -> int:
    """The id of the vertex called `text`; names that are numbers are found by their digits."""
    if graph.names is None:
        if text.isdecimal() and int(text) < graph.n_vertices:
            return int(text)
        raise UnknownNameError(
            f"there is no vertex {text!r}: the vertices have no names here, but numbers from 0 to "
            f"{graph.n_vertices - 1}."
        )
    names = [str(name) for name in graph.names.tolist()]
    try:
        return names.index(text)
    except ValueError:
        found = suggestions(text, names)
        hint = f" Did you mean {_alternatives(found)}?" if found else f" Names here are like {_some(names)}."
        raise UnknownNameError(f"no vertex is called {text!r}.{hint}") from None


def suggestions(text: str, names: list[str]) -> list[str]:
    """Names that may have been meant, the likeliest first: by case, last word, word, part, looks."""
    wanted = text.casefold()
    lower = {name: name.casefold() for name in names}
    tests = (
        lambda name: re.search(rf"(?:\W|_){re.escape(wanted)}$", name),
        lambda name: wanted in re.split(r"[\W_]+", name),
        lambda name: name.startswith(wanted),
        lambda name: wanted in name,
    )
    found: dict[str, None] = {}
    same = [name for name in names if lower[name] == wanted]
    if same:
        return same[:AT_MOST]
    if wanted:
        for test in tests:
            found |= dict.fromkeys(sorted((n for n in names if test(lower[n])), key=len))
    if len(found) < AT_MOST:
        found |= dict.fromkeys(get_close_matches(text, names, n=3, cutoff=0.7))
    return list(found)[:AT_MOST]


def _alternatives(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _some(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names[:3])
