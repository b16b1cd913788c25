"""Files of arrays: headers that lie, and arrays that do not fit together under a checksum that does."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import numpy as np

from acvae._util.arrays import ABOUT, NAMES, TYPES, _digest, _Entry
from mutations.values import odd_json, spoil_array, spoil_json

__all__ = ["mutate"]


def mutate(data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    """A header that does not fit (1/3), or other arrays or other JSON in a file that is whole (2/3)."""
    length = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    if rng.random() < 1 / 3:
        return _lie(header, body, rng), False
    metadata = header.pop("__metadata__", {})
    arrays = {
        name: np.frombuffer(body[slice(*e["data_offsets"])], TYPES[e["dtype"]]).reshape(e["shape"])
        for name, e in header.items()
    }
    if ABOUT in arrays and rng.random() < 0.4:
        arrays[ABOUT] = _other_about(arrays[ABOUT], rng)
    else:
        _other_arrays(arrays, rng)
    if rng.random() < 0.1:
        metadata = _other_metadata(metadata, rng)
    return _pack(arrays, metadata), True


def _lie(header: dict[str, Any], body: bytes, rng: random.Random) -> bytes:
    """Declared sizes, types, places and names that are not those of the data."""
    out = copy.deepcopy(header)
    name = rng.choice([key for key in out if key != "__metadata__"])
    other = rng.choice([key for key in out if key != "__metadata__"])
    entry, what = out[name], rng.randrange(8)
    if what == 0:
        entry["shape"] = rng.choice(
            (entry["shape"][::-1], [*entry["shape"], 1], [odd_json(rng)], odd_json(rng))
        )
    elif what == 1:
        entry["dtype"] = rng.choice((*TYPES, "F128", "BF16", odd_json(rng)))
    elif what == 2:
        entry["data_offsets"] = rng.choice(
            ([0, 2**62], [odd_json(rng), odd_json(rng)], [8, 0], odd_json(rng))
        )
    elif what == 3:
        out[name], out[other] = out[other], out[name]
    elif what == 4:
        out["renamed"] = out.pop(name)
    elif what == 5:
        out = spoil_json(out, rng)
    elif what == 6:
        entry["shape"] = [2**40, *entry["shape"]]
        entry["data_offsets"] = [entry["data_offsets"][0], entry["data_offsets"][0] + 2**42]
    text = json.dumps(out).encode()
    if what == 7:  # the same name twice
        text = text[:-1] + b"," + json.dumps({name: out[other]}).encode()[1:]
    if rng.random() < 0.5:
        text += b" " * (-len(text) % 8)
    declared = (
        len(text) if rng.random() < 0.9 else rng.choice((0, 2**63, 2**64 - 1, len(text) + len(body) + 1))
    )
    return declared.to_bytes(8, "little") + text + body


def _other_about(about: np.ndarray, rng: random.Random) -> np.ndarray:
    if rng.random() < 0.1:
        text = rng.choice((b"", b"\xff\xfe{}", b"[" * 100_000, b'{"a":1,"a":2}', b"9" * 5000, b"null"))
    else:
        value = json.loads(about.tobytes())
        for _ in range(rng.choice((1, 1, 1, 3))):
            value = spoil_json(value, rng)
        text = json.dumps(value).encode("utf-8", "surrogatepass")
    return np.frombuffer(text, np.uint8)


def _other_arrays(arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    names = [name for name in arrays if name != ABOUT] or list(arrays)
    for name in rng.sample(names, min(len(names), rng.choice((1, 1, 2)))):
        if rng.random() < 0.1:
            del arrays[name]
        elif rng.random() < 0.1:
            arrays[name] = arrays[rng.choice([*arrays])]
        else:
            arrays[name] = spoil_array(arrays[name], rng)
    if rng.random() < 0.05:
        arrays["another"] = np.zeros(3)
    if rng.random() < 0.1:  # all that have as many rows have one more: they fit each other, not the rest
        rows = [a.shape[0] for a in arrays.values() if a.ndim]
        n = rng.choice(rows) if rows else 0
        for name, array in list(arrays.items()):
            if name != ABOUT and array.ndim and array.shape[0] == n and rng.random() < 0.8:
                arrays[name] = np.concatenate([array, array[-1:]])


def _other_metadata(metadata: dict[str, str], rng: random.Random) -> dict[str, str]:
    return {
        key: value if rng.random() < 0.7 else rng.choice(("", "0", "2", "-1", "99", "1e3", "x", "9" * 50))
        for key, value in metadata.items()
        if rng.random() < 0.9
    }


def _pack(arrays: dict[str, np.ndarray], metadata: dict[str, str]) -> bytes:
    """A whole file again, with a checksum if it had one."""
    entries, at = [], 0
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    content = {name: np.asarray(arrays[name], order="C") for name in order}
    for name, array in content.items():
        entries.append(_Entry(name, NAMES[array.dtype], array.shape, at, at + array.nbytes))
        at += array.nbytes
    if "sha256" in metadata:
        metadata = {**metadata, "sha256": _digest(metadata, entries, content)}
    header: dict[str, Any] = {"__metadata__": metadata}
    header |= {
        e.name: {"dtype": e.kind, "shape": e.shape, "data_offsets": (e.start, e.stop)} for e in entries
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(a.tobytes() for a in content.values())
