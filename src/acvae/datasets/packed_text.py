"""One text file, however its publisher packed it: plain, gzip, bzip2, or alone in a tar archive in either.

What a file is, its first bytes say and not its name: Epinions' `.txt.bz2` are tar archives. Everything is
read in memory, up to a limit, and nothing is unpacked to disk; an archive that holds anything but one regular
file is refused all the same, for it is not what was published.
"""

import io
import tarfile
from pathlib import Path, PurePosixPath

from acvae.datasets.unpacking import open_packed
from acvae.exceptions import DataError

__all__ = ["MAX_BYTES", "read_packed_text"]

MAX_BYTES = 32 << 20
"""Most bytes a file may have once unpacked; Epinions' larger one has 9 million."""

_AHEAD = 1 << 20  # that a buffer may read, beyond what is asked for
_BLOCK = 512  # of a tar archive, whose first is the header of its first member


def read_packed_text(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The content of the one text file at `path`; the call belongs inside `sources.reading`."""
    with open_packed(path, max_bytes + _AHEAD) as stream:
        content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise DataError(
            f"the file {str(path)!r} has more than {max_bytes:,} bytes when unpacked, far more than the "
            f"publisher's. It is damaged or made to fill the memory; get it from its publisher."
        )
    return _only_member(content, path) if _is_tar(content) else content


def _is_tar(content: bytes) -> bool:
    """Whether the first block is a header, which has a checksum; text has none."""
    try:
        tarfile.TarInfo.frombuf(content[:_BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _only_member(content: bytes, path: Path) -> bytes:
    """Content of the one regular file of a tar archive; folders around it are passed over."""
    found: bytes | None = None
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for member in archive:
            name = repr(member.name)
            if _leads_out(member.name):
                raise _refused(path, f"its member {name} has a path that leads out of the archive")
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                raise _refused(path, f"its member {name} is a link, a device or another special file")
            if found is not None:
                raise _refused(path, f"it holds a second file, {name}")
            stored = archive.extractfile(member)
            found = b"" if stored is None else stored.read(member.size)
        behind = content[archive.offset :]
    if behind.strip(b"\0"):
        raise _refused(path, "something that is no member follows its members")
    if found is None:
        raise _refused(path, "it holds no file")
    return found


def _leads_out(name: str) -> bool:
    as_posix = PurePosixPath(name.replace("\\", "/"))
    return as_posix.is_absolute() or ".." in as_posix.parts or ":" in name


def _refused(path: Path, why: str) -> DataError:
    return DataError(
        f"the archive {str(path)!r} is refused: {why}. It should hold one text file and nothing else; get it "
        f"from its publisher, or put the unpacked text file beside it and remove the archive."
    )
