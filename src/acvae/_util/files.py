"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from acvae._util.locks import is_alive
from acvae.exceptions import StorageError

__all__ = ["replacing", "stale_partials", "sweep"]


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """A file beside `path` to write to; it takes the name `path` at the end, or is removed after an error.

    What was under that name before is there until then: a full disk leaves the old file. Every thread has a
    file of its own.
    """
    target = Path(path)
    if not target.name:
        raise StorageError(f"{str(target)!r} cannot be written: it is a folder.", "Is a directory")
    alone = threading.current_thread() is threading.main_thread()
    writer = f"{os.getpid()}" if alone else f"{os.getpid()}-{threading.get_native_id()}"
    partial = target.with_name(f"{target.name}.{writer}.partial")
    try:
        yield partial
        os.replace(partial, target)
    except StorageError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{str(target)!r} cannot be written ({reason}).", reason) from error
    finally:
        with suppress(OSError):  # a folder that is gone, or cannot be written to any more
            partial.unlink(missing_ok=True)


def stale_partials(folder: Path, names: Iterable[str]) -> list[Path]:
    """Files of these names that a process began to write and cannot end, because it is no more."""
    known = set(names)
    found = []
    for path in folder.glob("*.partial"):
        match = re.fullmatch(r"(.+)\.(\d+)(?:-\d+)?\.partial", path.name)
        if match is None or match[1] not in known:
            continue
        pid = int(match[2])
        if pid == os.getpid() or not is_alive(pid):
            found.append(path)
    return found


def sweep(folder: Path, names: Iterable[str]) -> None:
    """Remove them."""
    for path in stale_partials(folder, names):
        path.unlink(missing_ok=True)
