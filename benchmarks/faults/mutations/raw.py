"""Bytes: flipped, cut, doubled, moved, overwritten."""

from __future__ import annotations

import random

__all__ = ["mutate"]


def mutate(data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    """Twice the whole counts as mended: two packages in a row are one, of both contents."""
    ways = (_flip, _flip_early, _cut, _grow, _blank, _noise, _swap, _double, _other)
    out = rng.choice(ways)(data, rng)
    return out, out == data + data


def _flip(data: bytes, rng: random.Random, within: int | None = None) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8)) if data else 0):
        out[rng.randrange(min(within or len(out), len(out)))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _flip_early(data: bytes, rng: random.Random) -> bytes:
    """In the header, where a flip does most."""
    return _flip(data, rng, within=rng.choice((8, 64, 1024)))


def _cut(data: bytes, rng: random.Random) -> bytes:
    at = rng.choice((0, rng.randrange(len(data) + 1), max(0, len(data) - rng.randrange(1, 64))))
    return data[:at] if rng.random() < 0.8 else data[at:]


def _grow(data: bytes, rng: random.Random) -> bytes:
    return data + rng.choice((b"\0", b"\n", rng.randbytes(rng.randrange(1, 5000)), b"\0" * 4096))


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 8, 64, 512)))


def _blank(data: bytes, rng: random.Random) -> bytes:
    start, stop = _span(data, rng)
    return data[:start] + bytes([rng.choice((0, 255, 32))]) * (stop - start) + data[stop:]


def _noise(data: bytes, rng: random.Random) -> bytes:
    start, stop = _span(data, rng)
    return data[:start] + rng.randbytes(stop - start) + data[stop:]


def _swap(data: bytes, rng: random.Random) -> bytes:
    a, b, c = sorted(rng.randrange(len(data) + 1) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _double(data: bytes, rng: random.Random) -> bytes:
    """A part of the file twice: a header, a line, all of it."""
    start, stop = rng.choice(((0, len(data)), (0, min(len(data), 512)), _span(data, rng)))
    return data[:stop] + data[start:stop] + data[stop:]


def _other(data: bytes, rng: random.Random) -> bytes:
    """Another file altogether."""
    return rng.choice(
        (
            *(b"", b"\0" * len(data), rng.randbytes(len(data)), b"\xff" * 64, b"PK\x03\x04", b"\x1f\x8b\x08"),
            *(b"{" * 5000, b"[" * 200_000, b"\x80\x04\x95cos\nsystem\n(S'true'\ntR.", b"\x93NUMPY\x01\x00"),
        )
    )
