"""The prepared Debian data as one small file: JSON, compressed by xz."""

import json
import lzma
from dataclasses import asdict, dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

from acvae.exceptions import DataError

__all__ = ["BUNDLED", "Snapshot"]

BUNDLED = Path(__file__).with_name("bookworm.json.xz")
_FORMAT = "acvae-debian-1"


@dataclass(frozen=True)
class Snapshot:
    """Packages, their words and their relations, as plain lists.

    Attributes
    ----------
    names, summaries
        Of each package, sorted by name; a summary is the first line of the description.
    words
        Most telling first, so that the first k of them are what a smaller vocabulary would hold.
    rows
        For each package the numbers of its words, rising.
    edges
        Pairs (u, v) of package numbers, u < v, sorted.
    details
        What preparation counted, and which release the index belongs to.
    """

    names: list[str]
    summaries: list[str]
    words: list[str]
    rows: list[list[int]]
    edges: list[list[int]]
    details: dict[str, Any]

    def write(self, path: str | PathLike[str]) -> None:
        """Write the snapshot; equal snapshots give equal bytes."""
        text = json.dumps({"format": _FORMAT, **asdict(self)}, ensure_ascii=False, separators=(",", ":"))
        try:
            Path(path).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
        except OSError as error:
            raise DataError(f"cannot write {path}: {error.strerror or error}.") from error

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Snapshot":
        """Read what `write` wrote."""
        try:
            content = json.loads(lzma.decompress(Path(path).read_bytes()))
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror or error}.") from error
        except (lzma.LZMAError, ValueError) as error:
            raise DataError(
                f"{path} is not a snapshot of Debian packages, or is damaged: {error}."
            ) from error
        expected = {field.name for field in fields(cls)} | {"format"}
        if not isinstance(content, dict) or content.get("format") != _FORMAT or set(content) != expected:
            raise DataError(
                f"{path} is not a snapshot of the kind {_FORMAT!r}; "
                "write one with python -m acvae.datasets.debian_index."
            )
        del content["format"]
        return cls(**content)
