"""The parameters of a docstring in NumPy's form, so that a description is written once."""

from __future__ import annotations

import inspect
import re

__all__ = ["described_parameters"]


def described_parameters(docstring: str) -> dict[str, str]:
    """Each parameter's description on one line; names that share an entry share it."""
    lines = inspect.cleandoc(docstring).splitlines()
    try:
        start = lines.index("Parameters") + 2
    except ValueError:
        return {}
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines[start:]:
        if line.startswith((" ", "\t")):
            current.append(line.strip())
        elif re.fullmatch(r"\w+(, \w+)*", line):
            current = []
            found |= dict.fromkeys(line.split(", "), current)
        elif line:  # another section, or a sentence below the list
            break
    return {name: " ".join(text) for name, text in found.items()}
