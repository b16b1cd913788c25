"""Stored results: one small JSON file per run, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from acvae._util.files import replacing
from acvae.reproduce.spec import RunSpec
from acvae.runs.files import plain

__all__ = ["FORMAT", "Result", "done", "holds", "read_all", "read_result", "write_result"]

FORMAT = 1

Result = dict[str, Any]


def write_result(result: Result, path: Path) -> None:
    """Store a result; floats keep every digit, and what is not a number becomes null."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(_to_text(plain(result)) + "\n", encoding="utf-8")


def read_result(path: Path) -> Result | None:
    """The stored result, or None if there is none or it cannot be read; then the run is done again."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(result, dict) or result.get("format") != FORMAT:
        return None
    complete = isinstance(result.get("spec"), dict) and isinstance(result.get("selected"), dict)
    return result if complete else None


def done(spec: RunSpec, results: Path) -> bool:
    """Whether the result of exactly this run is stored; one with other settings does not count."""
    return holds(spec.path(results), spec)


def holds(path: Path, spec: RunSpec) -> bool:
    """Whether that file is the result of exactly this run."""
    result = read_result(path)
    if result is None:
        return False
    try:
        return RunSpec.from_json(result["spec"]).same_work(spec)
    except (TypeError, ValueError):
        return False


def read_all(results: Path) -> Iterator[Result]:
    """Every stored result that can be read, in the order of their paths."""
    for path in sorted(results.glob("*/*/*/run=*.json")):
        result = read_result(path)
        if result is not None:
            yield result


def _to_text(result: Any) -> str:
    """Indented, but with one line per row of the history, which is read as a table."""
    history = result.get("history", [])
    text = json.dumps({**result, "history": []}, indent=1, ensure_ascii=False)
    rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in history)
    # Only a key of the outermost object stands one space from the margin.
    return text.replace('\n "history": []', f'\n "history": [\n  {rows}\n ]') if history else text
