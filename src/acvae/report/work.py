"""How far a page is: one bar over all that has to be done, with the time that is left."""

from __future__ import annotations

from typing import Self

from acvae._util.stages import Stages

__all__ = ["Work"]


class Work:
    """Progress over parts, each with the seconds it takes, as they are guessed beforehand."""

    def __init__(self, parts: dict[str, float], *, show: bool) -> None:
        self._done = dict.fromkeys(parts, 0.0)
        self._stages = Stages("report", parts, seconds=sum(parts.values()), show=show)

    def advance(self, part: str, share: float) -> None:
        """A share of a part, from 0 to 1, was done since the last time."""
        self._done[part] = min(1.0, self._done[part] + share)
        self._stages.at(part, 1.0 if self._done[part] > 1 - 1e-9 else self._done[part])

    def __enter__(self) -> Self:
        self._stages.__enter__()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._stages.__exit__(kind, error, trace)
