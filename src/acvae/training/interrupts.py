"""Signals while compiled code runs: asked to stop at any moment, obeyed where it is safe."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from acvae.exceptions import StoppedError

__all__ = ["Interrupts", "is_interrupt"]


class Interrupts:
    """Takes Ctrl-C while installed, where it may: in the main thread, with no other handler in place.

    A KeyboardInterrupt raised inside compiled code comes out as something else, so the first Ctrl-C only asks
    for a stop at the next `check`. A second one raises at once, whatever it comes out as.

    With `terminate`, SIGTERM is taken too, which a launcher of several processes sends to those that are left
    when one has failed.
    """

    def __init__(self, *, terminate: bool = False) -> None:
        self.asked_to_stop = self.told_to_end = False
        self._terminate = terminate
        self._storing = False
        self._before: dict[int, Any] = {}

    def install(self) -> None:
        """Take the signals from here on."""
        if threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before[signal.SIGINT] = signal.signal(signal.SIGINT, self._on_interrupt)
        if self._terminate and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            self._before[signal.SIGTERM] = signal.signal(signal.SIGTERM, self._on_terminate)

    def remove(self) -> None:
        """Leave the handlers as they were."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def check(self) -> None:
        """Stop here if it was asked for."""
        if self.asked_to_stop:
            raise KeyboardInterrupt
        if self.told_to_end:
            raise StoppedError(
                "this process was told to end (SIGTERM): its launcher was stopped, or another process failed."
            )

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """While something is stored: a launcher sends another signal right after the terminal's."""
        self._storing = True
        try:
            yield
        finally:
            self._storing = False

    def end_with(self, message: str) -> None:
        """From here on SIGTERM ends the process with a message: it comes soon after the loss of another."""
        if signal.SIGTERM in self._before:
            del self._before[signal.SIGTERM]
            signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(message))

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.asked_to_stop and not self._storing:
            raise KeyboardInterrupt
        self.asked_to_stop = True

    def _on_terminate(self, number: int, frame: FrameType | None) -> None:
        self.told_to_end = True


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is a KeyboardInterrupt, or what compiled code made of one."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__ if isinstance(error, SystemError) else None
    return error is not None
