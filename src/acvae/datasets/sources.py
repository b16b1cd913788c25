"""Where raw files are: the folder given, `$ACVAE_DATA`, the user's cache, and last their publisher.

A loader names its files with `RawFile` and asks `fetch` for a path. Files are taken as they are found: only
what is downloaded here is held against a checksum, for a user may well have packed a file anew.
"""

import codecs
import lzma
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO

import pooch

from acvae._util.checks import as_path
from acvae._util.options import the_option
from acvae.datasets.download import download
from acvae.datasets.unpacking import open_packed
from acvae.exceptions import DataError

__all__ = [
    "ENVIRONMENT",
    "RawFile",
    "cache_folder",
    "decode",
    "fetch",
    "locate",
    "members",
    "open_binary",
    "reading",
]

ENVIRONMENT = "ACVAE_DATA"
"""Environment variable with the folder of raw data."""

_DAMAGE = (EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, OSError)
"""What Python's readers raise on a packed file that is cut short or is not what its name says."""


@dataclass(frozen=True)
class RawFile:
    """One file of a publisher.

    Attributes
    ----------
    name
        The file's name as published, for example `cit-HepTh.txt.gz`.
    folder
        Sub-folder of a data root in which it may also lie, one per data set.
    url
        Its public address, or None where it has to be fetched by hand.
    page
        Web page about it, for a person to go to.
    sha256
        Checksum of the published file, or None where none is known.
    also
        Other names it may have: unpacked, or packed differently. A name may be that of a folder.
    """

    name: str
    folder: str
    page: str
    url: str | None = None
    sha256: str | None = None
    also: tuple[str, ...] = ()


def cache_folder() -> Path:
    """The user's cache for this package, as the operating system has it."""
    return Path(pooch.os_cache("acvae"))


def search_path(root: str | PathLike[str] | None = None) -> list[Path]:
    """Folders to look in, in order. A folder given by hand has to exist."""
    places: list[Path] = []
    if root is not None:
        given = as_path("root", root, home=True)
        if not given.is_dir():
            raise DataError(f"the data folder {str(given)!r} does not exist or is not a folder.")
        places.append(given)
    if os.environ.get(ENVIRONMENT):
        places.append(as_path(ENVIRONMENT, os.environ[ENVIRONMENT], home=True))
    places.append(cache_folder())
    return places


def locate(file: RawFile, root: str | PathLike[str] | None = None) -> Path | None:
    """Path of a raw file (or of its unpacked form) that is already here, or None."""
    for place in search_path(root):
        for name in (file.name, *file.also):
            for candidate in (place / name, place / file.folder / name):
                if candidate.exists():
                    return candidate
    return None


def fetch(file: RawFile, root: str | PathLike[str] | None = None, *, progress: bool = True) -> Path:
    """Path of a raw file, downloaded into the user's cache when it is nowhere else."""
    found = locate(file, root)
    if found is not None:
        return found
    target = cache_folder() / file.folder / file.name
    by_hand = (
        f"Get it from {file.url or file.page} and put it in {str(target.parent)!r}, "
        f"or in a folder named by {the_option('root')} or ${ENVIRONMENT}."
    )
    if file.url is None:
        looked = ", ".join(repr(str(place)) for place in search_path(root))
        raise DataError(f"the file {file.name!r} was not found in {looked}. {by_hand}")
    try:
        download(file.url, target, sha256=file.sha256, progress=progress)
    except DataError as error:
        raise DataError(f"the file {file.name!r} is not here, and {error} {by_hand}") from error
    return target


@contextmanager
def reading(path: Path, url: str | None = None) -> Iterator[None]:
    """Turn what the readers raise on a damaged file into one sentence that names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataError(f"the file {str(path)!r} does not exist.") from error
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError(f"the file {str(path)!r} cannot be read ({error.strerror}).") from error
        again = f" Fetch it again from {url}." if url else " Fetch it again."
        reason = str(error).rstrip(".") or type(error).__name__
        raise DataError(f"the file {str(path)!r} is damaged or cut short ({reason}).{again}") from error


def open_binary(path: Path) -> IO[bytes]:
    """Open a plain or packed file for reading its unpacked bytes, up to a limit if it is packed.

    One that its name alone calls packed is damaged: a page that was stored in place of a file, for one.
    """
    return open_packed(path, plain=path.suffix not in (".gz", ".bz2"))


def decode(raw: bytes) -> tuple[str, bool]:
    """Text that should be UTF-8, and whether it was; older files in ISO 8859-1 are read all the same.

    So is the UTF-16 that spreadsheets call Unicode text; its first two bytes say so.
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        with suppress(UnicodeDecodeError):
            return raw.decode("utf-16"), True
    try:
        return raw.decode("utf-8"), True
    except UnicodeDecodeError:
        return raw.decode("latin-1"), False


def members(path: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, IO[bytes]]]:
    """Name and open content of every file in a tar archive, or in the folder it unpacks to.

    Only names ending in one of `suffixes` are given, with forward slashes; a content has to be read before
    the next one is asked for, and the loop belongs inside `reading`. Archives are read in place, one pass
    from front to back, and nothing is ever unpacked: no member's name can lead out of a folder, and links
    and devices are passed over.
    """
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.name.endswith(suffixes) and file.is_file():
                with open(file, "rb") as content:
                    yield file.relative_to(path).as_posix(), content
        return
    # tarfile's own decompression would pass over a stream that is cut short between two members.
    with open_binary(path) as packed:
        with tarfile.open(fileobj=packed, mode="r|") as archive:
            for member in archive:
                if member.isfile() and member.name.endswith(suffixes):
                    stored = archive.extractfile(member)
                    if stored is not None:
                        yield member.name, stored
        while packed.read(1 << 20):  # on to the end, where the checksum is
            pass
