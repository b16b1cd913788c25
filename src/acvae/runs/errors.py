"""What may stand in the way of a run, one type each, so that a command can say what to do about it."""

from __future__ import annotations

from pathlib import Path

from acvae.exceptions import RunError

__all__ = [
    "BusyRunError",
    "FinishedRunError",
    "NoRunError",
    "NoTrainLinksError",
    "NotBegunError",
    "OtherFilesError",
    "OtherRunError",
    "StoppedRunError",
]


class _AtPath(RunError):
    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class NoRunError(_AtPath):
    """There is no run in that place."""


class FinishedRunError(_AtPath):
    """There is a finished run already."""


class StoppedRunError(_AtPath):
    """The training was stopped and can be gone on with."""


class OtherRunError(_AtPath):
    """A training with other settings was stopped there."""


class NotBegunError(_AtPath):
    """The training was stopped before anything was stored."""


class OtherFilesError(_AtPath):
    """The place is taken by something that is no run."""


class BusyRunError(_AtPath):
    """Another process is at work on the run."""


class NoTrainLinksError(RunError):
    """Holding out test edges leaves none to train on."""
