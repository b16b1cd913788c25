"""Progress of a long run: a bar on a terminal, now and then a plain line elsewhere, or silence."""

import sys
import time
from typing import Any, Self, TextIO

__all__ = ["Progress"]

SECONDS_BETWEEN_LINES = 15.0


class Progress:
    """Counts `total` units of work and shows the latest figures beside them."""

    def __init__(self, total: int, label: str, *, show: bool = True, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._total, self._label, self._show = total, label, show
        self._done, self._start = 0, time.monotonic()
        self._last_line = self._start
        self._bar: Any = None
        if show and self._stream.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, desc=label, file=self._stream, dynamic_ncols=True, leave=True)

    def advance(self, **figures: str) -> None:
        """One more unit is done; `figures` are shown as they are."""
        self._done += 1
        if self._bar is not None:
            self._bar.set_postfix(figures, refresh=False)
            self._bar.update(1)
        elif self._show:
            now = time.monotonic()
            if self._done == self._total or now - self._last_line >= SECONDS_BETWEEN_LINES:
                self._last_line = now
                shown = "  ".join(f"{name} {value}" for name, value in figures.items())
                print(
                    f"{self._label}: {self._done}/{self._total} in {now - self._start:.0f} s  {shown}",
                    file=self._stream,
                    flush=True,
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
