"""Find the vertex a user means, or say which ones may have been meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from acvae.exceptions import UnknownNameError

if TYPE_CHECKING:
    from acvae.graph import Graph

__all__ = ["find_vertex", "suggestions"]

AT_MOST = 5


def find_vertex(graph: Graph, text: str, shown: Sequence[str] | None = None) -> int:
    """The id of the vertex called `text`; names that are numbers are found by their digits.

    `shown` (n,) are the names that people read, where these are others. A name comes before them, and one
    that several vertices have is refused.
    """
    names = None if graph.names is None else [str(name) for name in graph.names.tolist()]
    if names is None and text.isdecimal() and int(text) < graph.n_vertices:
        return int(text)
    if names is not None and text in names:
        return names.index(text)
    called = [vertex for vertex, name in enumerate(shown or ()) if name == text]
    if len(called) == 1:
        return called[0]
    if called:
        listed = [str(graph.name(vertex)) for vertex in called]
        them = _alternatives(listed) if len(listed) <= AT_MOST else f"{', '.join(listed[:AT_MOST])}, …"
        raise UnknownNameError(f"{len(called)} vertices are called {text!r}. Give the id of one: {them}.")
    if names is None and shown is None:
        raise UnknownNameError(
            f"there is no vertex {text!r}: the vertices have no names here, but numbers from 0 to "
            f"{graph.n_vertices - 1}."
        )
    known = list(dict.fromkeys([*(names or ()), *(shown or ())]))
    found = suggestions(text, known)
    hint = f" Did you mean {_alternatives(found)}?" if found else f" Names here are like {_some(known)}."
    raise UnknownNameError(f"no vertex is called {text!r}.{hint}")


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
