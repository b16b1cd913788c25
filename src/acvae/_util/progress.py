"""Progress of a long run: a bar on a terminal, now and then a plain line elsewhere, or silence."""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, Self, TextIO

__all__ = ["Progress", "Waiting", "duration", "expect", "listen", "listen_no_more"]

SECONDS_BETWEEN_LINES = 15.0
SECONDS_TO_FIRST_LINE = 2.0


class Progress:
    """Counts `total` units of work, of which some may be `done` before, and shows the latest figures.

    With `percent` the units are hundredths of the whole, and are told so. `estimate` gives the seconds that
    are left, or None, where the caller knows better than what the units took so far.
    """

    def __init__(
        self,
        total: int,
        label: str,
        *,
        show: bool = True,
        stream: TextIO | None = None,
        done: int = 0,
        percent: bool = False,
        estimate: Callable[[], float | None] | None = None,
    ) -> None:
        self._percent, self._estimate = percent, estimate
        self._stream = sys.stderr if stream is None else stream
        self._total, self._label, self._show = total, label, show
        self._done, self._before, self._start = done, done, time.monotonic()
        self._last_line = self._start + min(SECONDS_TO_FIRST_LINE - SECONDS_BETWEEN_LINES, 0.0)
        self._bar: Any = None
        if show and self._stream.isatty():
            from tqdm import tqdm

            form = "{l_bar}{bar}| [{elapsed}{postfix}]" if percent else None
            self._bar = tqdm(
                total=total,
                initial=done,
                desc=label,
                file=self._stream,
                dynamic_ncols=True,
                leave=True,
                bar_format=form,
            )

    def left(self, share: float = 0.0) -> str:
        """About how long it takes from here, with `share` of the next unit done; "" where nobody knows."""
        if self._estimate is not None:
            seconds = self._estimate()
            return "" if seconds is None or self._done >= self._total else duration(seconds)
        done = self._done - self._before + share
        if done <= 0 or self._done + share >= self._total:
            return ""
        elapsed = time.monotonic() - self._start
        return duration(elapsed * (self._total - self._done - share) / done)

    def doing(self, what: str, share: float = 0.0) -> None:
        """What the next unit is at, `share` of it done; shown where it takes its time."""
        now = time.monotonic()
        if not self._show or now - self._last_line < (
            1.0 if self._bar is not None else SECONDS_BETWEEN_LINES
        ):
            return
        self._last_line = now
        if self._bar is not None:
            self._bar.set_postfix_str(self._at(what))
            return
        print(self._line(what, share), file=self._stream, flush=True)

    def advance(self, units: int = 1, what: str = "", /, **figures: str) -> None:
        """One more unit is done, or several, and the next is at `what`; `figures` are shown as they are."""
        self._done += units
        if self._bar is not None:
            if what or self._percent:
                self._bar.set_postfix_str(self._at(what), refresh=False)
            else:
                self._bar.set_postfix(figures, refresh=False)
            self._bar.update(units)
        elif self._show:
            now = time.monotonic()
            if self._done == self._total or now - self._last_line >= SECONDS_BETWEEN_LINES:
                self._last_line = now
                shown = (f"{name} {value}" for name, value in figures.items())
                print("  ".join([self._line(what), *shown]), file=self._stream, flush=True)

    def _at(self, what: str) -> str:
        """Beside a bar, which tells of itself how long its units take; not of hundredths."""
        left = self.left() if self._percent else ""
        return ", ".join(part for part in (what, f"about {left} left" if left else "") if part)

    def _line(self, what: str = "", share: float = 0.0) -> str:
        """How far it is, at what, and about how long it takes from here."""
        far = f"{self._done} %" if self._percent else f"{self._done:,}/{self._total:,}"
        left = self.left(share)
        parts = [f"{self._label}: {far}", what, f"about {left} left" if left else ""]
        return ", ".join(part for part in parts if part)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()


def duration(seconds: float) -> str:
    """As people say it: 45 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Waiting:
    """For work without parts to count: its seconds on a terminal, elsewhere a plain line now and then.

    Where it is known about how long the work takes, as by the last time, `expected` seconds, what is left of
    these is told too. Who does the work may say so later, by `expect`.
    """

    def __init__(
        self, what: str = "", *, expected: float = 0.0, show: bool = True, stream: TextIO | None = None
    ) -> None:
        self._until = time.monotonic() + expected
        self._what = f"{what}: " if what else "  "
        self._stream = sys.stderr if stream is None else stream
        self._show = show
        self._over = threading.Event()
        self._clock = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        start, terminal, shown = time.monotonic(), self._stream.isatty(), False
        pause = SECONDS_TO_FIRST_LINE if terminal else SECONDS_BETWEEN_LINES
        while not self._over.wait(pause):
            now = time.monotonic()
            passed = now - start
            text = f"{self._what}{passed:.0f} s" + ("" if terminal else " so far")
            left = f", about {duration(self._until - now)} left" if now < self._until else ""
            line = f"\r{text}{left:<20}" if terminal else f"{text}{left}\n"
            print(line, end="", file=self._stream, flush=True)
            shown, pause = True, min(pause, 1.0) if terminal else pause
        if terminal and shown:
            print("\r" + " " * (len(self._what) + 30) + "\r", end="", file=self._stream, flush=True)

    def expect(self, seconds: float) -> None:
        """From here on it takes about so long."""
        self._until = time.monotonic() + seconds

    def __enter__(self) -> Self:
        if self._show:
            listen(self)
            self._clock.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._show:
            listen_no_more(self)
            self._over.set()
            self._clock.join()


class Listener(Protocol):
    """Who shows a wait."""

    def expect(self, seconds: float) -> None:
        """From here on it takes about so long."""


_WAITING: list[Listener] = []  # the innermost last


def listen(listener: Listener) -> None:
    """Tell it from now on."""
    _WAITING.append(listener)


def listen_no_more(listener: Listener) -> None:
    """The wait is over."""
    _WAITING.remove(listener)


def expect(seconds: float) -> None:
    """Tell whoever shows a wait that the work at hand takes about so long from here."""
    if _WAITING:
        _WAITING[-1].expect(seconds)
