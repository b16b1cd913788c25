"""NumPy's `.npy` and `.npz`, each header held against the bytes that are there before anything is allocated.

No pickled objects are read, and no types but numbers, booleans and texts.
"""

from __future__ import annotations

import math
import os
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.datasets.unpacking import NUMBERS, check_unpacked, unpacked_limit
from acvae.exceptions import DataError

__all__ = ["map_npy", "read_npy", "read_npz"]

KINDS = "biufcSU"
MAX_HEADER = 10_000
MAX_DIMENSIONS = 32


class _Header(NamedTuple):
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]


def read_npy(path: Path) -> npt.NDArray[Any]:
    """The array of a `.npy` file."""
    with open(path, "rb") as file:
        return _read(file, os.fstat(file.fileno()).st_size, f"{str(path)!r}")


def map_npy(path: Path) -> npt.NDArray[Any]:
    """The array of a `.npy` file, mapped and read-only."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        header = _header(file, f"{str(path)!r}")
        start = file.tell()
        _check_size(header, size - start, f"{str(path)!r}")
    if size == start:  # nothing can be mapped to no bytes
        return np.empty(header.shape, header.dtype)
    order: Any = "F" if header.fortran else "C"
    return np.memmap(path, header.dtype, "r", start, header.shape, order)


def read_npz(path: Path) -> dict[str, npt.NDArray[Any]]:
    """All arrays of an `.npz` file by name, packed or not."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            names = [member.filename.removesuffix(".npy") for member in members]
            if len(set(names)) < len(names):
                raise DataError(f"{str(path)!r} holds two arrays of the same name.")
            limit = unpacked_limit(path, NUMBERS)
            check_unpacked(path, sum(member.file_size for member in members), limit)
            found = {}
            for name, member in zip(names, members, strict=True):
                if not member.filename.endswith(".npy"):
                    raise DataError(f"{str(path)!r} holds {member.filename!r}, which is no array.")
                with archive.open(member) as file:
                    found[name] = _read(file, member.file_size, f"{name!r} in {str(path)!r}")
            return found
    except FileNotFoundError:
        raise
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError) as error:
        raise DataError(f"{str(path)!r} is damaged or no .npz file ({error}).") from error
    except RuntimeError as error:  # of an encrypted member, which has no type of its own
        if isinstance(error, DataError):
            raise
        raise DataError(f"{str(path)!r} cannot be read ({error}).") from error


def _read(file: IO[bytes], size: int, what: str) -> npt.NDArray[Any]:
    """One array out of `size` bytes, its header among them."""
    header = _header(file, what)
    left = size - file.tell()
    _check_size(header, left, what)
    data = bytearray(left)
    view, at = memoryview(data), 0
    while at < left:
        count = file.readinto(view[at:])  # type: ignore[attr-defined]
        if not count:
            raise DataError(f"{what} is cut short.")
        at += count
    if file.read(1):
        raise DataError(f"{what} has more bytes than its header says.")
    flat = np.frombuffer(data, header.dtype)
    if not flat.dtype.isnative:
        flat = flat.astype(flat.dtype.newbyteorder("="))
    return flat.reshape(header.shape[::-1]).T if header.fortran else flat.reshape(header.shape)


def _header(file: IO[bytes], what: str) -> _Header:
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            header = _Header(*np.lib.format.read_array_header_1_0(file, max_header_size=MAX_HEADER))
        elif version == (2, 0):
            header = _Header(*np.lib.format.read_array_header_2_0(file, max_header_size=MAX_HEADER))
        else:
            raise DataError(f"{what} is in version {version} of NumPy's format, which is not read.")
    except (ValueError, TypeError, KeyError, EOFError, SyntaxError, tokenize.TokenError) as error:
        raise DataError(f"{what} has no header of a NumPy array ({str(error)[:100]}).") from error
    except (RecursionError, MemoryError, OverflowError, IndexError) as error:
        raise DataError(f"{what} has a header that is no NumPy array's.") from error
    if header.dtype.hasobject:
        raise DataError(f"{what} holds Python objects, which are not read for safety.")
    if header.dtype.kind not in KINDS or header.dtype.itemsize == 0:
        raise DataError(f"{what} holds {str(header.dtype)[:40]}, which are no numbers.")
    if len(header.shape) > MAX_DIMENSIONS or not all(type(x) is int and x >= 0 for x in header.shape):
        raise DataError(f"{what} has the shape {str(header.shape)[:100]}, which no array has.")
    return header


def _check_size(header: _Header, have: int, what: str) -> None:
    need = math.prod(header.shape) * header.dtype.itemsize
    if need != have:
        raise DataError(
            f"{what} should have {need:,} bytes for {header.dtype} of shape {header.shape}, but has {have:,}."
        )
