"""Named arrays and a little JSON in one safetensors file: the only binary files this package writes.

Nothing in a file is believed before it is checked. The header's length, the types, shapes and places of all
arrays are held against the size of the file before anything is allocated, so that reading takes the memory
of the file and little more. A SHA-256 of the content is stored in the header and checked; a file
without one is read without it. The same content gives the same bytes.

    write_arrays("a.safetensors", {"x": x}, {"about": "x"}, format="mine", version=1)
    arrays, about = read_arrays("a.safetensors", format="mine", version=1, what="file of mine")
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_path
from acvae._util.files import replacing
from acvae._util.version import __version__
from acvae.exceptions import OptionError, SavedModelError

__all__ = ["json_array", "names_array", "parse_json", "read_arrays", "write_arrays"]

Arrays = dict[str, npt.NDArray[Any]]

ABOUT = "about"  # the array that holds the JSON, since a header is limited in size
MAX_HEADER = 1 << 20
MAX_ABOUT = 1 << 26
MAX_DEPTH = 32  # of nesting in JSON
MAX_DIMENSIONS = 16
HASHED_AT_A_TIME = 1 << 24

# safetensors' names of types, and NumPy's; all little-endian.
TYPES = {
    "BOOL": "|b1",
    **{f"I{8 * size}": f"<i{size}" for size in (1, 2, 4, 8)},
    **{f"U{8 * size}": f"<u{size}" for size in (1, 2, 4, 8)},
    **{f"F{8 * size}": f"<f{size}" for size in (2, 4, 8)},
}
NAMES = {np.dtype(kind): name for name, kind in TYPES.items()}


class _Entry(NamedTuple):
    """One array as the header declares it."""

    name: str
    kind: str
    shape: tuple[int, ...]
    start: int
    stop: int


# ---------------------------------------------------------------------- writing


def write_arrays(
    path: str | PathLike[str],
    arrays: Mapping[str, npt.NDArray[Any]],
    about: Mapping[str, Any],
    *,
    format: str,
    version: int,
) -> None:
    """Write arrays of numbers and what JSON can hold; the file appears whole or not at all."""
    content = {name: _storable(name, array) for name, array in arrays.items()}
    content[ABOUT] = json_array(dict(about))
    if content[ABOUT].size > MAX_ABOUT:
        raise OptionError(f"what is to be told about the arrays takes more than {MAX_ABOUT:,} bytes of JSON.")
    # Wide numbers first, so that each is aligned.
    order = sorted(content, key=lambda name: (-content[name].itemsize, name))
    entries, at = [], 0
    for name in order:
        array = content[name]
        entries.append(_Entry(name, NAMES[array.dtype], array.shape, at, at + array.nbytes))
        at += array.nbytes
    metadata = {"format": format, "version": str(version)}
    metadata["sha256"] = _digest(metadata, entries, content)
    header = {"__metadata__": metadata} | {
        e.name: {"dtype": e.kind, "shape": list(e.shape), "data_offsets": [e.start, e.stop]} for e in entries
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > MAX_HEADER:
        raise OptionError(f"{len(content):,} arrays with such names are too many for one file.")
    with replacing(as_path("path", path)) as partial, partial.open("wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for name in order:
            file.write(_bytes_of(content[name]))


def _storable(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if name == ABOUT or name.startswith("__"):
        raise OptionError(f"an array cannot be stored under the name {name!r}.")
    given = np.asarray(array)
    little = given.dtype.newbyteorder("<") if given.dtype.kind in "biuf" else given.dtype
    if little not in NAMES:
        raise OptionError(f"the array {name!r} of type {given.dtype} cannot be stored, only plain numbers.")
    return np.ascontiguousarray(given, dtype=little).reshape(given.shape)


def json_array(value: Any) -> npt.NDArray[np.uint8]:
    """What JSON can hold, as bytes to be stored."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)


def names_array(names: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """The names of vertices, as `json_array`."""
    listed: list[Any] = names.tolist()
    if not all(isinstance(name, (str, int)) for name in listed):
        raise OptionError("only graphs whose names are strings or whole numbers can be saved.")
    return json_array(listed)


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's, arrays and ranges as lists."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, range):
        return list(value)
    raise OptionError(f"a {type(value).__name__} cannot be stored: it is nothing that JSON can hold.")


# ---------------------------------------------------------------------- reading


def read_arrays(
    path: str | PathLike[str], *, format: str, version: int, what: str
) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a file and what is told about them.

    Parameters
    ----------
    format, version
        What the file must be, and the version of it that is understood.
    what
        What the caller calls such a file, for messages: "saved model".
    """
    source = as_path("path", path)
    if not source.is_file():
        raise SavedModelError(
            f"{source} is a folder, not a file." if source.is_dir() else f"there is no file {source}."
        )
    try:
        metadata, entries = _read_header(source)
        _check_format(source, metadata, format, version, what)
        arrays = _read_data(source, entries)
        _check_content(metadata, entries, arrays)
        if ABOUT not in arrays:
            raise _Damaged(f"it has no {ABOUT!r} that tells what it holds")
        about = _unpack(arrays.pop(ABOUT), MAX_ABOUT)
        if not isinstance(about, dict):
            raise _Damaged("what it tells about itself is no JSON object")
        return arrays, about
    except (_Damaged, OSError) as error:
        raise SavedModelError(f"{source} is not a {what}, or is damaged: {error}.") from error


class _Damaged(Exception):
    """What is wrong with a file, without its name."""


def _read_header(path: Path) -> tuple[dict[str, str], list[_Entry]]:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < 10:
            raise _Damaged(f"it has only {size} bytes")
        length = int.from_bytes(file.read(8), "little")
        if length > min(MAX_HEADER, size - 8):
            raise _Damaged(f"its header would have {length:,} bytes, of {size:,} in the file")
        header = _parse(file.read(length))
    if not isinstance(header, dict):
        raise _Damaged("its header is no JSON object")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise _Damaged("its header's metadata are no texts")
    entries = sorted((_entry(name, value) for name, value in header.items()), key=lambda e: (e.start, e.stop))
    at = 0
    for entry in entries:  # one after the other: no gap, no overlap
        if entry.start != at:
            raise _Damaged(f"the array {entry.name!r} begins at byte {entry.start:,}, not {at:,}")
        at = entry.stop
    if at != size - 8 - length:
        raise _Damaged(f"its arrays need {at:,} bytes, but {size - 8 - length:,} are there")
    return metadata, entries


def _entry(name: str, value: Any) -> _Entry:
    if not isinstance(value, dict) or set(value) != {"dtype", "shape", "data_offsets"}:
        raise _Damaged(f"the array {name!r} is not described as it should be")
    kind, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if not isinstance(kind, str) or kind not in TYPES:
        raise _Damaged(f"the array {name!r} has the unknown type {str(kind)[:20]!r}")
    whole = all(
        isinstance(part, list) and all(type(x) is int and 0 <= x < 1 << 62 for x in part)
        for part in (shape, offsets)
    )
    if not whole or len(offsets) != 2 or len(shape) > MAX_DIMENSIONS:
        raise _Damaged(f"the array {name!r} has no proper shape or place")
    start, stop = offsets
    if stop - start != math.prod(shape) * np.dtype(TYPES[kind]).itemsize:
        raise _Damaged(f"the array {name!r} of shape {tuple(shape)} has {stop - start:,} bytes")
    return _Entry(name, kind, tuple(shape), start, stop)


def _check_format(path: Path, metadata: dict[str, str], format: str, version: int, what: str) -> None:
    if metadata.get("format") != format:
        raise SavedModelError(f"{path} is a safetensors file, but not a {what} of acvae.")
    told = metadata.get("version", "0")
    if not (told.isascii() and told.isdigit() and len(told) < 10):
        raise _Damaged(f"its version is {told[:20]!r}, which is no number")
    if int(told) != version:
        way = "upgrade acvae to open it" if int(told) > version else "make the file again"
        raise SavedModelError(
            f"{path} was written in format {int(told)}, this acvae ({__version__}) reads {version}: {way}."
        )


def _read_data(path: Path, entries: list[_Entry]) -> Arrays:
    from safetensors import SafetensorError, safe_open

    arrays: Arrays = {}
    try:
        with safe_open(path, framework="np") as file:
            for entry in entries:
                arrays[entry.name] = file.get_tensor(entry.name)
    except (SafetensorError, ValueError, TypeError) as error:
        raise _Damaged(str(error)) from error
    return arrays


def _check_content(metadata: dict[str, str], entries: list[_Entry], arrays: Arrays) -> None:
    for entry in entries:
        array = arrays[entry.name]
        if array.dtype != TYPES[entry.kind] or array.shape != entry.shape:
            raise _Damaged("it changed while it was read")
        if entry.kind == "BOOL" and array.size and array.view(np.uint8).max() > 1:
            raise _Damaged(f"the array {entry.name!r} has values that are neither true nor false")
    if "sha256" in metadata and metadata["sha256"] != _digest(metadata, entries, arrays):
        raise _Damaged("its content does not fit its checksum")


def parse_json(data: npt.NDArray[Any], what: str) -> Any:
    """What `json_array` stored, back again; `what` it is, for messages."""
    try:
        return _unpack(data, None)
    except _Damaged as error:
        raise SavedModelError(f"{what} cannot be read: {error}.") from error


def _unpack(data: npt.NDArray[Any], limit: int | None) -> Any:
    if data.dtype != np.uint8 or data.ndim != 1:
        raise _Damaged(f"JSON is stored as bytes, not as {data.dtype} of shape {data.shape}")
    if limit is not None and data.size > limit:
        raise _Damaged(f"there are {data.size:,} bytes of JSON, where at most {limit:,} are expected")
    return _parse(data.tobytes(), constants=True)


def _parse(text: bytes, *, constants: bool = False) -> Any:
    """JSON without doubled names and deep nesting; NaN and infinities only where told."""
    try:
        value = json.loads(
            text.decode("utf-8", "surrogatepass"),
            object_pairs_hook=_object,
            parse_constant=None if constants else _no_constant,
        )
    except (ValueError, RecursionError) as error:
        raise _Damaged(f"it has no proper JSON where there should be some ({str(error)[:100]})") from error
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return value
    raise _Damaged(f"its JSON is nested deeper than {MAX_DEPTH} levels")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


# ---------------------------------------------------------------------- both


def _digest(
    metadata: Mapping[str, str], entries: list[_Entry], arrays: Mapping[str, npt.NDArray[Any]]
) -> str:
    """SHA-256 of the header, itself left out, and of all arrays in their order."""
    told = sorted((name, value) for name, value in metadata.items() if name != "sha256")
    order = sorted(entries, key=lambda e: (e.start, e.stop, e.name))
    found = hashlib.sha256(json.dumps([told, order], separators=(",", ":")).encode())
    for entry in order:
        data = _bytes_of(arrays[entry.name])
        for start in range(0, len(data), HASHED_AT_A_TIME):
            found.update(data[start : start + HASHED_AT_A_TIME])
    return found.hexdigest()


def _bytes_of(array: npt.NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
