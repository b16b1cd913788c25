"""Packed files, of which no more is unpacked than their own size makes likely.

A few kilobytes can be packed so that they fill any memory. Real tables shrink five times, sparse ones perhaps
twenty; a file that unpacks to more is refused, with the advice to unpack it by hand if it is trusted.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, Any

from acvae.exceptions import DataError

__all__ = ["bounded", "check_unpacked", "unpacked_limit"]

RATIO = 20  # most bytes that a byte may unpack to
TEXT, NUMBERS = 16 << 20, 200 << 20  # what any file may unpack to, as text and as arrays


def unpacked_limit(path: Path, least: int = TEXT) -> int:
    """Most bytes that the file at `path` may unpack to."""
    return max(least, RATIO * path.stat().st_size)


def check_unpacked(path: Path, size: int, limit: int) -> None:
    """Refuse a file that is, or says it is, larger than that when unpacked."""
    if size > limit:
        raise DataError(
            f"{str(path)!r} has more than {limit:,} bytes when unpacked, of {path.stat().st_size:,} now. "
            "It may be made to fill the memory; if you trust it, unpack it first."
        )


def bounded(stream: Any, path: Path, limit: int | None = None) -> IO[bytes]:
    """The same bytes, and an error instead of more of them than the limit."""
    most = unpacked_limit(path) if limit is None else limit
    return io.BufferedReader(_Bounded(stream, path, most), buffer_size=1 << 18)


class _Bounded(io.RawIOBase):
    def __init__(self, stream: Any, path: Path, limit: int) -> None:
        self._stream, self._path, self._limit, self._count = stream, path, limit, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._count += len(data)
        check_unpacked(self._path, self._count, self._limit)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
