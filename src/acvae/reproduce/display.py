"""What is shown while a grid runs: a line per finished run, and a bar below them on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any, TextIO

from acvae._util.progress import duration
from acvae.reproduce.pool import Outcome
from acvae.reproduce.spec import RunSpec

__all__ = ["Display"]

Key = tuple[str, str]


class Display:
    """Progress of a grid on standard error, with an estimate of the time left."""

    def __init__(self, stream: TextIO | None = None, *, show: bool = True) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._show = show
        self._bar: Any = None
        self._waiting: list[RunSpec] = []
        self._seconds: dict[Key, list[float]] = {}
        self._total, self._jobs, self._began = 0, 1, time.monotonic()

    def start(self, todo: Sequence[RunSpec], stored: int, jobs: int, seconds: dict[Key, list[float]]) -> None:
        """`seconds` are durations of earlier runs, by data set and method."""
        self._waiting, self._total, self._jobs = list(todo), len(todo), jobs
        self._seconds = {key: list(values) for key, values in seconds.items()}
        self._began = time.monotonic()
        at_once = f", {jobs} at a time" if jobs > 1 and todo else ""
        self.say(f"{stored} runs are stored, {len(todo)} are to do{at_once}.")
        if self._show and todo and self._stream.isatty():
            from tqdm import tqdm

            self._bar = tqdm(
                total=self._total,
                file=self._stream,
                dynamic_ncols=True,
                bar_format="{n}/{total} |{bar}| {elapsed} gone, {desc}",
                desc=self._time_left(),
            )

    def finished(self, outcome: Outcome) -> None:
        """One more run has ended, well or not."""
        spec = outcome.spec
        self._waiting.remove(spec)
        if outcome.seconds is not None:
            self._seconds.setdefault((spec.dataset, spec.method), []).append(outcome.seconds)
        place = f"[{self._total - len(self._waiting)}/{self._total}]"
        if outcome.elsewhere:
            how = "by another process"
        elif outcome.error is None:
            scores = ", ".join(f"{k} NCRR {v:.3f}" for k, v in outcome.ncrr.items() if v is not None)
            how = f"{scores + ' ' if scores else ''}in {duration(outcome.seconds or 0)}"
        else:
            how = f"FAILED: {outcome.error}"
        left = f"; {self._time_left()}" if self._bar is None and self._waiting else ""
        self.say(f"{place} {spec.name}: {how}{left}")
        if self._bar is not None:
            self._bar.set_description_str(self._time_left(), refresh=False)
            self._bar.update(1)

    def end(self, failed: int) -> None:
        """Everything that could be done is done."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        if self._total:
            gone = duration(time.monotonic() - self._began)
            failures = f", {failed} failed; the error texts are beside the results" if failed else ""
            self.say(f"{self._total - failed} runs finished in {gone}{failures}.")

    def say(self, text: str) -> None:
        """One line, above the bar if there is one."""
        if not self._show:
            return
        if self._bar is not None:
            self._bar.write(text, file=self._stream)
        else:
            print(text, file=self._stream, flush=True)

    def _time_left(self) -> str:
        known = [value for values in self._seconds.values() for value in values]
        if not known:
            return "time left unknown"
        usual = sum(known) / len(known)
        total = 0.0
        for spec in self._waiting:
            own = self._seconds.get((spec.dataset, spec.method))
            total += sum(own) / len(own) if own else usual
        return f"about {duration(total / self._jobs)} left"
