"""Locks between processes: a file that one living process holds.

The system lets go of a lock when its process ends, however it ends, so a stale one is simply taken over.
Where a file system has no locks, the process id in the file is asked whether it still lives.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

try:
    import fcntl
except ImportError:  # not a Unix
    fcntl = None  # type: ignore[assignment]

__all__ = ["FileLock", "is_alive"]


class FileLock:
    """A lock by the name of its file, which holds the process id and is gone when nobody holds it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file: int | None = None

    def acquire(self) -> int | None:
        """None if the lock is ours from here on; else the id of the process that has it, 0 if unknown."""
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            holder = _try(file)
            if holder is not None:
                os.close(file)
                return holder
            if _is_at(file, self.path):
                break
            os.close(file)  # the one before has removed the file since it was opened
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        self._file = file
        return None

    def holder(self) -> int | None:
        """The process that has the lock, or None if it is free; nothing is written."""
        try:
            file = os.open(self.path, os.O_RDWR)
        except OSError:
            return None
        try:
            return _try(file)
        finally:
            os.close(file)

    def still_there(self) -> bool:
        """Whether the file is the one that we hold, neither removed nor made by another."""
        return self._file is not None and _is_at(self._file, self.path)

    def release(self) -> None:
        """Remove the file and let go."""
        if self._file is None:
            return
        try:
            if self.still_there():
                self.path.unlink(missing_ok=True)
        finally:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_alive(pid: int) -> bool:
    """Whether there is a process of that id."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # one that is not ours
        return True
    return True


def _try(file: int) -> int | None:
    """Take the lock of an open file; the process that has it, if one has."""
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return None
    except BlockingIOError:
        return _pid_in(file)
    except OSError:  # no locks on this file system
        pass
    pid = _pid_in(file)
    return pid if pid != os.getpid() and is_alive(pid) else None


def _pid_in(file: int) -> int:
    text = os.pread(file, 32, 0).strip()
    return int(text) if text.isdigit() else 0


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except OSError:
        return False
