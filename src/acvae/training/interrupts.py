"""Ctrl-C while compiled code runs: asked for at any moment, obeyed where it is safe."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

__all__ = ["Interrupts", "is_interrupt"]


class Interrupts:
    """Takes Ctrl-C while installed, where it may: in the main thread, with no other handler in place.

    A KeyboardInterrupt raised inside compiled code comes out as something else, so the first Ctrl-C only asks
    for a stop at the next `check`. A second one raises at once, whatever it comes out as.
    """

    def __init__(self) -> None:
        self._asked_to_stop = False
        self._before: Any = None

    def install(self) -> None:
        """Take Ctrl-C from here on."""
        usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if usual and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._on_interrupt)

    def remove(self) -> None:
        """Leave the handler as it was."""
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def check(self) -> None:
        """Stop here if it was asked for."""
        if self._asked_to_stop:
            raise KeyboardInterrupt

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._asked_to_stop:
            raise KeyboardInterrupt
        self._asked_to_stop = True


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is a KeyboardInterrupt, or what compiled code made of one."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__ if isinstance(error, SystemError) else None
    return error is not None
