"""Tables of stored results: means with confidence intervals over splits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t

__all__ = ["Interval", "interval", "markdown", "rows_of"]

LEVEL = 0.95


class Interval(NamedTuple):
    """A mean and the half-width of its confidence interval, not a number from a single value."""

    mean: float
    half: float
    values: int

    def __str__(self) -> str:
        if not np.isfinite(self.mean):
            return "–"
        digits = 3 if abs(self.mean) < 10 else 1
        half = f" ± {self.half:.{digits}f}" if np.isfinite(self.half) else ""
        return f"{self.mean:.{digits}f}{half}"


def interval(values: Iterable[float | None], level: float = LEVEL) -> Interval:
    """Student's t-interval of the mean.

    Splits of one graph share most of their edges, so it tells how much a figure depends on the split, not how
    it would be on another graph.
    """
    given = np.array([value for value in values if value is not None], dtype=np.float64)
    count = len(given)
    if count == 0:
        return Interval(float("nan"), float("nan"), 0)
    if count == 1:
        return Interval(float(given[0]), float("nan"), 1)
    half = t.ppf((1 + level) / 2, count - 1) * given.std(ddof=1) / np.sqrt(count)
    return Interval(float(given.mean()), float(half), count)


def rows_of(
    results: Mapping[str, Sequence[Mapping[str, Any]]], metrics: Iterable[str]
) -> dict[str, dict[str, Interval]]:
    """For each method, an interval of each metric over its results; a result may hold several values."""
    wanted = list(metrics)
    return {
        method: {metric: interval(_values(stored, metric)) for metric in wanted}
        for method, stored in results.items()
        if stored
    }


def _values(stored: Sequence[Mapping[str, Any]], metric: str) -> Iterator[float | None]:
    for found in stored:
        value = found.get(metric)
        yield from value if isinstance(value, list) else [value]


def markdown(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for the documents; the first column holds names, the others figures."""
    lines = [f"**{title}**", "", f"| {' | '.join(header)} |"]
    lines.append("| --- |" + " ---: |" * (len(header) - 1))
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)
