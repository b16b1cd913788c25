"""Tables written a part at a time, as CSV or Parquet by the file's ending; whole or not at all."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import optional_import
from acvae._util.files import replacing
from acvae.exceptions import OptionError

__all__ = ["check_ending", "write_row_groups", "write_table"]

Columns = Mapping[str, npt.NDArray[Any]]
ENDINGS = (".csv", ".parquet")


def check_ending(path: str | PathLike[str], endings: tuple[str, ...] = ENDINGS) -> str:
    """The file's ending, if it says a kind that can be written, in a folder that is there."""
    target = Path(path)
    if target.suffix.lower() not in endings:
        raise OptionError(
            f"{str(path)!r} must end in {', '.join(endings[:-1])} or {endings[-1]}, which says what to write."
        )
    if not target.absolute().parent.is_dir():
        raise OptionError(f"there is no folder {str(target.parent)!r} to write {target.name!r} into.")
    return target.suffix.lower()


def write_table(path: str | PathLike[str], parts: Iterable[Columns]) -> int:
    """Write the parts one below the other and return the number of rows; there is at least one part."""
    parquet = check_ending(path) == ".parquet"
    try:
        with replacing(path) as partial:
            return write_row_groups(partial, parts) if parquet else _csv(partial, parts)
    except OSError as error:
        raise OptionError(f"{str(path)!r} cannot be written ({error.strerror or error}).") from error


def _csv(path: Path, parts: Iterable[Columns]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for number, columns in enumerate(parts):
            if number == 0:
                writer.writerow(columns)
            rows = [_plain(column) for column in columns.values()]
            writer.writerows(zip(*rows, strict=True))
            count += len(rows[0])
    return count


def _plain(column: npt.NDArray[Any]) -> list[Any]:
    """Single precision keeps its own shortest digits."""
    return [str(x) for x in column] if column.dtype == np.float32 else column.tolist()


def write_row_groups(path: Path, parts: Iterable[Columns]) -> int:
    """Write the parts as row groups of one Parquet file, and return the number of rows."""
    arrow = optional_import("pyarrow", needed_for="a Parquet file", install="'acvae[tables]'")
    parquet = optional_import("pyarrow.parquet", needed_for="a Parquet file", install="'acvae[tables]'")
    count = 0
    with path.open("wb") as file, ExitStack() as opened:
        writer = None
        for columns in parts:
            try:
                table = arrow.table(
                    {
                        name: arrow.array(c.tolist() if c.dtype.kind in "OU" else c)
                        for name, c in columns.items()
                    }
                )
            except arrow.ArrowException as error:
                raise OptionError(f"names of this kind cannot be written to Parquet: {error}") from None
            if writer is None:
                made = parquet.ParquetWriter(file, table.schema, write_page_checksum=True)
                writer = opened.enter_context(made)
            writer.write_table(table, row_group_size=max(len(table), 1))
            count += len(table)
    return count
