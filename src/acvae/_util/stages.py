"""Work in named stages as one bar, with the time that is left: guessed at first, then by the pace so far."""

import threading
import time
from collections.abc import Mapping
from typing import Self, TextIO

from acvae._util.progress import Progress, listen, listen_no_more

__all__ = ["Stages"]

SECONDS_BETWEEN_LOOKS = 1.0
TRUSTED = 2.0  # seconds that count for the guess beside those that were measured
OVERTIME = 0.1  # of the time that a stage has been at it: what it is given where it takes longer than guessed


class Stages:
    """Stages in turn, each with its size; shown as one bar, sizes as shares of the whole.

    With `seconds`, a guess of what all of it takes, the time left is told from the start; without, once
    anything is done. What is known better on the way is told by `plan`. A clock of its own tells which
    stage is at work and what is left, however long a stage says nothing.
    """

    def __init__(
        self,
        label: str,
        sizes: Mapping[str, float],
        *,
        seconds: float | None = None,
        show: bool = True,
        stream: TextIO | None = None,
    ) -> None:
        total = sum(sizes.values())
        unit = 1.0 if seconds is None else seconds / total
        self._sizes = {name: size * unit for name, size in sizes.items()}
        self._names = list(sizes)
        self._guessed = seconds is not None
        self._stage, self._share = self._names[0], 0.0
        self._reached = 0
        self._start = self._told = self._until = time.monotonic()
        self._progress = Progress(
            100, label, show=show, stream=stream, percent=True, estimate=self.seconds_left
        )
        self._over = threading.Event()
        self._clock = threading.Thread(target=self._run, daemon=True) if show else None

    def _run(self) -> None:
        while not self._over.wait(SECONDS_BETWEEN_LOOKS):
            self._progress.doing(self._stage)

    def plan(self, stage: str, seconds: float) -> None:
        """A stage takes about so long in all, at the pace that was guessed."""
        self._sizes[stage] = seconds

    def expect(self, seconds: float) -> None:
        """What the stage is at takes about so long from here, as who does it knows."""
        self._until = time.monotonic() + seconds

    def at(self, stage: str, share: float) -> None:
        """A share (0 … 1) of a stage is done."""
        place = self._names.index(stage) + int(share >= 1)
        self._told = time.monotonic()
        if place < len(self._names):
            self._stage, self._share = self._names[place], 0.0 if share >= 1 else share
        else:
            self._share = 1.0
        done, total = self._done(), sum(self._sizes.values())
        now = min(100, round(100 * done / total)) if total else 100
        if now > self._reached:
            self._progress.advance(now - self._reached, self._stage if now < 100 else "")
            self._reached = now

    def seconds_left(self) -> float | None:
        """About how long it takes from here; None where nobody knows."""
        now, done = time.monotonic(), self._done()
        took, passed = self._told - self._start, now - self._start
        if self._guessed:
            pace = (took + TRUSTED) / (done + TRUSTED)
        elif done > 0:
            pace = took / done
        elif self._until <= now:
            return None
        else:
            return self._until - now  # of this stage; of the others nothing is known
        own = (1 - self._share) * self._sizes[self._stage]  # left of this stage, and of the others
        later = sum(self._sizes[name] for name in self._names[self._names.index(self._stage) + 1 :])
        silent, at_hand = now - self._told, self._until - now
        if at_hand > own * pace - silent:
            return at_hand + (own + later) * pace
        if silent > own * pace:  # slower than that pace, by how much is not known
            trusted = TRUSTED if self._guessed else 0.0
            pace = max(pace, (passed + trusted) / (done + own + trusted)) if done + own + trusted else pace
            return OVERTIME * silent + later * pace
        return own * pace - silent + later * pace

    def _done(self) -> float:
        before = self._names[: self._names.index(self._stage)]
        return sum(self._sizes[name] for name in before) + self._share * self._sizes[self._stage]

    def __enter__(self) -> Self:
        if self._clock is not None:
            listen(self)
            self._clock.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._clock is not None:
            listen_no_more(self)
            self._over.set()
            self._clock.join()
        if error is None and self._reached < 100:
            self._progress.advance(100 - self._reached)
        self._progress.__exit__()
