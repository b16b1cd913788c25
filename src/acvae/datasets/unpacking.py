"""Packed files, of which no more is unpacked than their own size makes likely.

A few kilobytes can be packed so that they fill any memory. Real tables shrink five times, sparse ones perhaps
twenty; a file that unpacks to more is refused, with the advice to unpack it by hand if it is trusted.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import IO, Any

from acvae.exceptions import DataError

__all__ = ["bounded", "check_unpacked", "open_packed", "unpacked_limit"]

RATIO = 20  # most bytes that a byte may unpack to
TEXT, NUMBERS = 16 << 20, 200 << 20  # what any file may unpack to, as text and as arrays

_STARTS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x04\x22\x4d\x18": "lz4"}
_OPENERS: dict[str, Any] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}


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


def open_packed(path: Path, limit: int | None = None, *, plain: bool = True) -> IO[bytes]:
    """The bytes of a file that is plain or packed by gzip, bzip2 or xz, as its first bytes say, not its name.

    Of a packed one no more than the limit; a plain one is damaged where it may not be `plain`.
    """
    file = open(path, "rb")  # noqa: SIM115 - given to the caller
    packing = next((name for start, name in _STARTS.items() if file.peek(6)[:6].startswith(start)), None)
    if packing is None and plain:
        return file
    file.close()
    if packing is None:
        raise gzip.BadGzipFile("it is not packed, as its name says it is")
    if packing == "lz4":
        raise DataError(
            f"{path} is compressed with lz4, which cannot be read here; unpack it first: "
            "lz4 -d FILE, or /usr/lib/apt/apt-helper cat-file FILE."
        )
    return bounded(_OPENERS[packing](path), path, limit)


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
