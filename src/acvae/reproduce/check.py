"""Do one stored run again and compare it with what is stored, to the last digit."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from acvae.exceptions import AcvaeError, DataError
from acvae.reproduce.pool import run_in_processes
from acvae.reproduce.spec import RunSpec
from acvae.reproduce.store import Result, read_result

__all__ = ["CheckError", "Checked", "check_result", "differences"]


class CheckError(AcvaeError, RuntimeError):
    """A run that could not be done again."""


class Checked(NamedTuple):
    """One line for every figure that differs, none if all agree; and what has changed since then."""

    differences: list[str]
    changed: list[str]


def check_result(path: Path, *, data_root: Path | None = None) -> Checked:
    """Run again with the stored spec and threads, and compare."""
    stored = read_result(path)
    if stored is None:
        raise DataError(f"{path} is not a stored result; give a run=….json that `acvae reproduce` wrote.")
    spec = RunSpec.from_json(stored["spec"])
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "run.json")
        (outcome,) = run_in_processes(
            [spec], lambda _: target, jobs=1, threads=stored["threads"], data_root=data_root
        )
        if outcome.error is not None:
            raise CheckError(f"{spec.name} could not be run again: {outcome.error}")
        again = read_result(target)
    assert again is not None
    changed: list[str] = []
    for part in ("code", "versions"):
        _compare(part, stored.get(part), again.get(part), changed)
    return Checked(differences(stored, again), changed)


def differences(stored: Result, again: Result) -> list[str]:
    """One line for every figure that is not exactly the same: the split, the scores and the history."""
    lines: list[str] = []
    for part in ("data", "selected", "history"):
        _compare(part, stored.get(part), again.get(part), lines)
    return lines


def _compare(where: str, a: Any, b: Any, lines: list[str]) -> None:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            _compare(f"{where}.{key}", a.get(key), b.get(key), lines)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (x, y) in enumerate(zip(a, b, strict=True)):
            _compare(f"{where}[{index}]", x, y, lines)
    elif a != b:
        lines.append(f"{where}: stored {a!r}, now {b!r}")
