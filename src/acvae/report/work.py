"""How far a page is: one bar over all that has to be done, with the time that is left."""

from __future__ import annotations

from typing import Self

from acvae._util.progress import Progress

__all__ = ["Work"]

UNITS = 100


class Work:
    """Progress over parts, each with its share of the time, as it is guessed beforehand."""

    def __init__(self, parts: dict[str, float], *, show: bool) -> None:
        total = sum(parts.values())
        self._share = {name: size / total for name, size in parts.items()}
        self._done, self._shown = 0.0, 0
        self._progress = Progress(UNITS, "report", show=show)

    def advance(self, part: str, share: float) -> None:
        """A share of a part, from 0 to 1, was done since the last time."""
        self._done = min(1.0, self._done + share * self._share[part])
        units = round(UNITS * self._done) - self._shown
        if units:
            self._shown += units
            self._progress.advance(units, doing=part)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.__exit__(*error)
