"""From stored runs to figures of a table: group, choose γ, average."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any, NamedTuple

from acvae.reproduce.store import Result

__all__ = ["Average", "Grid", "average", "best_gamma", "group", "pick"]

# Runs of one method on one data set, by γ.
Grid = dict[float | None, list[Result]]


class Average(NamedTuple):
    """Mean over runs and their standard deviation (n − 1 in the denominator; 0 for a single run)."""

    mean: float
    std: float
    runs: int


def group(results: Iterable[Result]) -> dict[tuple[str, str], Grid]:
    """Runs by data set and method, then by γ."""
    groups: dict[tuple[str, str], Grid] = {}
    for result in results:
        spec = result["spec"]
        grid = groups.setdefault((spec["dataset"], spec["method"]), {})
        grid.setdefault(spec["gamma"], []).append(result)
    return groups


def pick(result: Result, kind: str, *names: str) -> float | None:
    """A figure of the selected evaluation, or None where there is none."""
    value: Any = result["selected"].get(kind)
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, (int, float)) else None


def average(runs: Iterable[Result], kind: str, *names: str) -> Average | None:
    """Mean and standard deviation of a figure over runs; None if no run has it."""
    values = [value for run in runs if (value := pick(run, kind, *names)) is not None]
    if not values:
        return None
    return Average(
        statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0, len(values)
    )


def best_gamma(grid: Grid, kind: str) -> float | None:
    """The γ with the best average train NCRR over the runs, the smaller of equals.

    Each kind of evaluation chooses its own: ACVAE with and without belief propagation are two methods.
    """
    scores = {gamma: average(runs, kind, "ncrr", "train") for gamma, runs in grid.items()}
    known = {gamma: score.mean for gamma, score in scores.items() if score is not None}
    if not known:
        return None
    return max(known, key=lambda gamma: (known[gamma], -(gamma or 0.0)))
