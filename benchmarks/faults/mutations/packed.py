"""Packed files: other text in a whole package, archives with other members, and small files of much text."""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import lzma
import random
import tarfile
from collections.abc import Callable

from mutations import raw
from mutations.text import mutate_lines

__all__ = ["mutate_packed", "mutate_tar"]

PIECE, PIECES = 1 << 24, 64  # of a bomb: as many streams one after the other


def mutate_packed(data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    """A text in gzip, bzip2 or xz: what is in it, or how much."""
    pack, unpack = _packer(data)
    if rng.random() < 0.03:
        return _bomb(pack, rng.choice((b"\0", b"0,", b"1 2\n", b"\n"))), True
    inner = unpack(data)
    return pack((raw.mutate if rng.random() < 0.3 else mutate_lines)(inner, rng)[0]), True


def mutate_tar(data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    """A packed tar archive: members more, fewer, elsewhere, special or of other sizes and texts."""
    pack, unpack = _packer(data)
    inner, what = unpack(data), rng.random()
    if what < 0.03:
        return _bomb(pack, b"\0"), True
    if what < 0.3:
        return pack(raw.mutate(inner, rng)[0]), True
    with tarfile.open(fileobj=io.BytesIO(inner)) as archive:
        members = [(m, (archive.extractfile(m) or io.BytesIO()).read()) for m in archive if m.isfile()]
    at = rng.randrange(len(members))
    member, content = members[at]
    if what < 0.6:
        members[at] = _sized(member, mutate_lines(content, rng)[0])
    elif what < 0.7:
        member.name = rng.choice(
            ("../../out.txt", "/etc/passwd", "C:\\x", "", "x" * 300, "é/\udcff", "reviews.txt")
        )
    elif what < 0.8:
        member.type = rng.choice(
            (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, b"S", b"?")
        )
        member.linkname = rng.choice(("../../etc/passwd", member.name, ""))
    elif what < 0.9:
        members.append(rng.choice(members))
    else:
        del members[at]
    out = io.BytesIO()
    with tarfile.open(
        fileobj=out, mode="w", format=rng.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    ) as made:
        for info, text in members:
            made.addfile(info, io.BytesIO(text))
    return pack(out.getvalue()), True


def _sized(member: tarfile.TarInfo, content: bytes) -> tuple[tarfile.TarInfo, bytes]:
    member.size = len(content)
    return member, content


def _packer(data: bytes) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    if data.startswith(b"BZh"):
        return bz2.compress, bz2.decompress
    if data.startswith(b"\xfd7zXZ"):
        return lzma.compress, lzma.decompress
    return gzip.compress, gzip.decompress


@functools.cache
def _bomb(pack: Callable[[bytes], bytes], unit: bytes) -> bytes:
    """A small file that unpacks to a gigabyte."""
    return pack(unit * (PIECE // len(unit))) * PIECES
