"""NumPy's files: headers of `.npy` that lie, alone and as members of an `.npz` whose checksums fit."""

from __future__ import annotations

import functools
import io
import random
import re
import zipfile

import numpy as np

from mutations.values import spoil_array

__all__ = ["mutate_npy", "mutate_npz"]

BOMB = 1 << 30  # bytes of zeros


def mutate_npy(data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    if rng.random() < 0.5:
        array = np.load(io.BytesIO(data), allow_pickle=False)
        return _npy(spoil_array(array, rng)), True
    return _lie(data, rng), True


def _npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def _lie(data: bytes, rng: random.Random) -> bytes:
    """Another header before the same data."""
    length = int.from_bytes(data[8:10], "little")
    header, body = data[10 : 10 + length].decode("latin-1"), data[10 + length :]
    what = rng.randrange(5)
    if what == 0:
        shapes = (
            "(1099511627776,)",
            "(3, 99999999999)",
            "(-1,)",
            "(0,)",
            "()",
            "(2, 2)",
            "(1.5,)",
            "9" * 400,
        )
        header = re.sub(r"'shape': \([^)]*\)", f"'shape': {rng.choice(shapes)}", header)
    elif what == 1:
        kinds = ("|O", "<f8", "<i8", "<U1000000000", "|V1000000000", "<c16", ">i4", "|b1", "<M8[s]", "x")
        header = re.sub(r"'descr': '[^']*'", f"'descr': '{rng.choice(kinds)}'", header)
    elif what == 2:
        header = header.replace("'fortran_order': False", "'fortran_order': True")
    elif what == 3:
        header = rng.choice(
            ("", "{}", "(" * 9000, "__import__('os').system('true')", "{'descr': [('a', '<f8')]}")
        )
    else:
        body = body[: rng.randrange(len(body) + 1)]
    text = header.rstrip(" \n").encode("latin-1") + b"\n"
    size = len(text) if rng.random() < 0.9 else rng.randrange(1 << 16)
    return data[:8] + size.to_bytes(2, "little") + text + body


def mutate_npz(data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    name, what = rng.choice([*members]), rng.random()
    if what < 0.02:
        return _bomb(name), True
    if what < 0.1:
        del members[name]
    elif what < 0.2:
        members[rng.choice(("../out.npy", "/etc/x.npy", "x", "edges.npy", name + ".npy"))] = members.pop(name)
    elif what < 0.3:
        members[name] = members[rng.choice([*members])]
    else:
        members[name] = mutate_npy(members[name], rng)[0]
    out = io.BytesIO()
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(out, "w", method) as packed:
        for key, content in members.items():
            packed.writestr(key, content)
    return out.getvalue(), True


@functools.cache
def _bomb(name: str) -> bytes:
    """A small file that unpacks to a gigabyte."""
    out, start = io.BytesIO(), io.BytesIO()
    shape = (BOMB // 8 // 16, 16)
    np.lib.format.write_array_header_1_0(start, {"shape": shape, "fortran_order": False, "descr": "<f8"})
    squeezed = {"compression": zipfile.ZIP_DEFLATED, "compresslevel": 1}
    with zipfile.ZipFile(out, "w", **squeezed) as packed, packed.open(name, "w") as member:
        member.write(start.getvalue())
        for _ in range(16):
            member.write(b"\0" * (BOMB // 16))
    return out.getvalue()
