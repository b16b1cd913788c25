"""A small, tolerant reader of Debian's control files: package indexes, translations, Release files."""

import gzip
import lzma
import re
import zlib
from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from pathlib import Path

from acvae.datasets.unpacking import open_packed
from acvae.exceptions import DataError

__all__ = ["related_packages", "stanzas"]

# A relation starts with a name; an architecture (:any), version (>= 1), [amd64] or <!nocheck> may follow.
_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9+.-]*)")


def stanzas(path: str | PathLike[str]) -> Iterator[dict[str, str]]:
    """The stanzas of a control file, one at a time, each as field name in lower case -> value.

    The lines of a long value are joined by newlines, without their indent; " ." stands for an empty line.
    Compression (gzip, xz, bzip2) is told by the content, not the file's name. A line that is neither a field
    nor a continuation is skipped, so the signature around an InRelease file does no harm; bytes that are not
    UTF-8 are replaced.
    """
    name = fspath(path)
    try:
        with open_packed(Path(name)) as file:
            yield from _parse(file)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, MemoryError) as error:
        raise DataError(f"{name} is damaged or cut short ({error}); fetch it again.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"cannot read {name}: {reason}. Give the path of a Debian index file.") from error


def related_packages(relations: str) -> list[str]:
    """Names in a Depends or Recommends field, every alternative included, versions and the like left out.

    >>> related_packages("python3-a (>= 1.2), python3:any, b | c [amd64]")
    ['python3-a', 'python3', 'b', 'c']
    """
    matches = (_NAME.match(part) for part in re.split(r"[,|]", relations))
    return [match[1] for match in matches if match]


def _parse(lines: Iterable[bytes]) -> Iterator[dict[str, str]]:
    stanza: dict[str, str] = {}
    key = ""  # the field a continuation line belongs to
    for raw in lines:
        line = raw.decode("utf-8", errors="replace").rstrip()
        if not line:
            if stanza:
                yield stanza
            stanza, key = {}, ""
        elif line[0] in " \t":
            if key:
                text = line.strip()
                stanza[key] += "\n" + ("" if text == "." else text)
        else:
            field, colon, value = line.partition(":")
            key = field.strip().lower() if colon and not line.startswith("#") else ""
            if key in stanza:  # the first of two equal fields wins
                key = ""
            if key:
                stanza[key] = value.strip()
    if stanza:
        yield stanza
