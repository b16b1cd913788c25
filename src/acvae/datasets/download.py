"""Fetch one file over HTTP: with progress, resumed where it broke off, checked, moved into place whole."""

import json
import os
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pooch
from tqdm import tqdm

from acvae._util.version import __version__
from acvae.exceptions import DataError

__all__ = ["download"]

_CHUNK = 1 << 16
_ATTEMPTS = 4
_TIMEOUT = 30.0


def download(
    url: str, target: Path, *, sha256: str | None = None, progress: bool = True, patience: float = 1.0
) -> None:
    """Put the file at `url` at `target`, or raise `DataError` and leave nothing under that name.

    What has arrived is kept beside the target as `*.part`. A broken transfer goes on from there, at once and
    in a later call; `pooch` starts again from nothing, which is why it is not used for the transfer itself.
    Processes that want the same file wait for one of them. `patience` is the pause in seconds before the
    second attempt; it doubles from then on.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _one_at_a_time(target):
            if target.exists():  # another process was faster
                return
            part = target.with_name(target.name + ".part")
            _transfer_patiently(url, part, sha256, progress, patience)
            _check(url, part, sha256)
            os.replace(part, target)
            _validator_file(part).unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"it cannot be stored at {str(target)!r} ({error.strerror or error}).") from error


def _transfer_patiently(url: str, part: Path, sha256: str | None, progress: bool, patience: float) -> None:
    """Transfer, and try again after what may pass: a lost connection, a server that is busy."""
    for attempt in range(_ATTEMPTS):
        try:
            return _transfer(url, part, sha256 is not None, progress)
        except urllib.error.HTTPError as error:
            error.close()
            reason = f"answered {error.code} {error.reason}"
            passing = error.code in (408, 429) or error.code >= 500
        except (urllib.error.URLError, HTTPException, ConnectionError, TimeoutError, ssl.SSLError) as error:
            reason = f"could not be reached ({getattr(error, 'reason', None) or error})"
            passing = not isinstance(error, urllib.error.URLError)  # which is: no connection at all
        if not passing or attempt == _ATTEMPTS - 1:
            raise DataError(f"{urlsplit(url).netloc} {reason} for {url}.")
        time.sleep(patience * 2**attempt)
    raise AssertionError("the last attempt returns or raises")


def _transfer(url: str, part: Path, has_checksum: bool, progress: bool) -> None:
    """One request, which appends to `part` when the server agrees to go on from there."""
    have = part.stat().st_size if part.exists() else 0
    validator = _read_validator(part, url)
    # Without a checksum or a validator nothing would tell that the publisher has changed the file meanwhile.
    if have and not (has_checksum or validator):
        have = 0
    headers = {"User-Agent": f"acvae/{__version__}", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if validator:
            headers["If-Range"] = validator
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=_TIMEOUT
        ) as response:
            if response.status != 206:
                have = 0
            _store(response, part, have, url, progress)
    except urllib.error.HTTPError as error:
        if error.code != 416 or not have:
            raise
        error.close()
        # Nothing lies beyond what we have: it is whole, or it is of another version. The checksum tells.
        if not has_checksum or error.headers.get("Content-Range") != f"bytes */{have}":
            part.unlink()
            _transfer(url, part, has_checksum, progress)


def _store(response: HTTPResponse, part: Path, have: int, url: str, progress: bool) -> None:
    length = response.headers.get("Content-Length")
    total = have + int(length) if length is not None else None
    validator = response.headers.get("ETag") or response.headers.get("Last-Modified")
    if validator and not validator.startswith("W/"):  # a weak one is not allowed in If-Range
        _validator_file(part).write_text(json.dumps({"url": url, "validator": validator}), encoding="utf-8")
    else:
        _validator_file(part).unlink(missing_ok=True)
    with (
        open(part, "ab" if have else "wb") as file,
        tqdm(
            total=total,
            initial=have,
            unit="B",
            unit_scale=True,
            desc=part.stem,
            disable=None if progress else True,  # None: only where someone is watching
            leave=False,
        ) as bar,
    ):
        while chunk := response.read(_CHUNK):
            file.write(chunk)
            bar.update(len(chunk))
        arrived = file.tell()
    if total is not None and arrived < total:
        raise ConnectionError(f"the connection was lost after {arrived:,} of {total:,} bytes")


def _check(url: str, part: Path, sha256: str | None) -> None:
    if sha256 is None:
        return
    found = pooch.file_hash(str(part), alg="sha256")
    if found != sha256:
        part.unlink()
        _validator_file(part).unlink(missing_ok=True)
        raise DataError(f"what {url} gave fails its checksum (SHA-256 {found}, expected {sha256}).")


def _validator_file(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _read_validator(part: Path, url: str) -> str | None:
    """The server's mark (ETag or date) of the version that `part` is a piece of."""
    try:
        stored = json.loads(_validator_file(part).read_text(encoding="utf-8"))
        return str(stored["validator"]) if stored["url"] == url else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def _one_at_a_time(target: Path) -> Iterator[None]:
    """Hold other processes back, where the system has advisory locks; elsewhere do without."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    lock = target.with_name(target.name + ".lock")
    with open(lock, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
        lock.unlink(missing_ok=True)  # those still waiting on it will find the file in place
