"""Read a user's tables (CSV, TSV, text, Parquet), once, as rows of stripped text."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import optional_import
from acvae._util.options import setting
from acvae.datasets.sources import decode, open_binary, reading
from acvae.datasets.unpacking import RATIO
from acvae.exceptions import DataError, did_you_mean

__all__ = [
    "MATRIX_KINDS",
    "TABLE_KINDS",
    "RawTable",
    "Table",
    "is_number",
    "kind_of",
    "read_lines",
    "read_rows",
]

MATRIX_KINDS = (".npz", ".npy", ".mtx")
TABLE_KINDS = (".csv", ".tsv", ".txt", ".parquet")

MISSING_TEXTS = frozenset(("", "na", "n/a", "nan", "null", "none", "?"))
"""Cells, in small letters, that say that there is no number."""

TRUTH = {"true": 1.0, "false": 0.0}
"""What pandas and spreadsheets write for yes and no."""

CELLS = 2_000_000
"""Of a Parquet file that is small; a large one may have `RATIO` cells a byte."""

csv.field_size_limit(1 << 27)  # a cell may be a long text; the module's own limit is 128 KiB


@dataclass(frozen=True)
class Table:
    """Columns of stripped text, all of one length; a missing value is an empty text.

    Text, not numbers: so ids such as `0001` stay as they are and an error can show a cell as it was written.
    """

    path: Path
    columns: dict[str, list[str]]
    comma: bool = False  # whether 1,5 is a number

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def column(self, name: str) -> list[str]:
        """One column; an unknown name is answered with those there are."""
        try:
            return self.columns[name]
        except KeyError:
            raise DataError(
                f"{str(self.path)!r} has no column {name!r}; it has {', '.join(map(repr, self.columns))}."
                + did_you_mean(name, self.columns)
            ) from None

    def numbers(self, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """One column as numbers, NaN where a value is missing, and the rows of cells that are no numbers."""
        cells = self.column(name)
        try:
            values = np.array(cells, dtype=np.str_).astype(np.float64)
        except ValueError:
            values = np.array([TRUTH.get(cell.lower(), number(cell, self.comma)) for cell in cells])
        missing = np.array([cell.lower() in MISSING_TEXTS for cell in cells], dtype=bool)
        return values, np.flatnonzero(~np.isfinite(values) & ~missing)


@dataclass(frozen=True)
class RawTable:
    """A table before it is known whether its first line is a header: `names` are there in Parquet only."""

    path: Path
    cells: list[list[str]]
    names: list[str] | None = None
    comma: bool = False

    def table(self, header: bool) -> Table:
        """With the names of its header line, or called "0", "1", …"""
        cells = self.cells
        if self.names is not None:
            names = self.names
        elif header:
            names, cells = cells[0], cells[1:]
        else:
            names = [str(i) for i in range(len(cells[0]))]
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            hint = (
                f" If its first line is not a header, say so: {setting('header', False)}."
                if is_number(repeated)
                else ""
            )
            raise DataError(f"{str(self.path)!r} has more than one column called {repeated!r}.{hint}")
        for index, row in enumerate(cells, start=1):
            if len(row) != len(names):
                raise DataError(
                    f"{str(self.path)!r}, row {index}: {len(row)} cells where {len(names)} are expected."
                )
        columns = map(list, zip(*cells, strict=True)) if cells else ([] for _ in names)
        return Table(self.path, dict(zip(names, columns, strict=True)), self.comma)


def kind_of(path: Path, allowed: tuple[str, ...]) -> str:
    """The file's ending, without that of a packer; an error names the endings that can be read."""
    name = path.name.lower().removesuffix(".gz").removesuffix(".bz2")
    kind = next((kind for kind in allowed if name.endswith(kind)), None)
    if kind is None:
        sheet = path.suffix.lower() in (".xlsx", ".xls", ".ods")
        advice = "Save the sheet as CSV." if sheet else "A table of text can be renamed to .txt."
        raise DataError(
            f"{str(path)!r} cannot be read by its ending; files may end in {', '.join(allowed)}. {advice}"
        )
    if not path.is_file():
        raise DataError(f"the file {str(path)!r} does not exist.")
    return kind


def read_rows(path: Path, *, decimal: str | None = None) -> RawTable:
    """The cells of a table. `decimal` is "." or ","; by default a comma where another sign parts the cells.

    In `.txt` and `.tsv` lines that begin with # are comments, and `.txt` may be parted by tabs or blanks, as
    edge lists of SNAP are.
    """
    kind = kind_of(path, TABLE_KINDS)
    if kind == ".parquet":
        return _read_parquet(path)
    with reading(path), open_binary(path) as file:
        text = decode(file.read())[0].removeprefix("\ufeff")
    lines: Iterator[str] = iter(io.StringIO(text, newline=""))
    if kind in (".txt", ".tsv"):
        lines = (line for line in lines if not line.lstrip().startswith(("#", "%")))
    first = next((line for line in lines if line.strip()), "")
    separator = _separator(first, kind)
    try:
        if separator is None:
            cells = [line.split() for line in _after(first, lines) if line.strip()]
        else:
            reader = csv.reader(_after(first, lines), delimiter=separator, strict=True)
            cells = [[cell.strip() for cell in row] for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise DataError(f"{str(path)!r} is not a regular table: {error}.") from None
    if not cells:
        raise DataError(f"the file {str(path)!r} is empty.")
    return RawTable(path, cells, comma=separator != "," if decimal is None else decimal == ",")


def _after(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


def _read_parquet(path: Path) -> RawTable:
    parquet = optional_import("pyarrow.parquet", needed_for="reading Parquet", install="'acvae[tables]'")
    try:
        about = parquet.read_metadata(path)
        _check_cells(path, about.num_rows, about.num_columns)
        table = parquet.read_table(path, page_checksum_verification=True)
        _check_cells(path, table.num_rows, table.num_columns)
        index = [name for name in _pandas_index(table) if name in table.column_names]
        table = table.select([*index, *(name for name in table.column_names if name not in index)])
        columns = [[_cell_text(value) for value in column.to_pylist()] for column in table.columns]
    except (OSError, ValueError, TypeError, OverflowError, NotImplementedError, MemoryError) as error:
        # Arrow's own errors derive from these.
        raise DataError(f"{str(path)!r} is damaged or not a Parquet file ({error}).") from error
    return RawTable(
        path, [list(row) for row in zip(*columns, strict=True)], list(map(str, table.column_names))
    )


def _pandas_index(table: Any) -> list[str]:
    """Columns that were the index of a data frame: they stand last, and are what its rows are called by."""
    about = table.schema.pandas_metadata
    found = about.get("index_columns") if isinstance(about, dict) else None
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _check_cells(path: Path, rows: int, columns: int) -> None:
    """A column of one value takes no room in the file, but every cell does in memory."""
    most = max(CELLS, RATIO * path.stat().st_size)
    if rows * columns > most:
        raise DataError(
            f"{str(path)!r} says that it has {rows:,} rows of {columns:,} cells, more than {most:,}."
        )


def read_lines(path: Path) -> list[str]:
    """The lines of a text file, stripped, without the empty ones."""
    if not path.is_file():
        raise DataError(f"the file {str(path)!r} does not exist.")
    with reading(path), open_binary(path) as file:
        text = decode(file.read())[0].removeprefix("\ufeff")
    return [line.strip() for line in text.splitlines() if line.strip()]


def number(cell: str, comma: bool = False) -> float:
    """The number in a cell, NaN if there is none; with `comma`, 1,5 is one and a half."""
    if comma and "." not in cell:
        cell = cell.replace(",", ".", 1)
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def is_number(cell: str, comma: bool = False) -> bool:
    return not np.isnan(number(cell, comma))


def _cell_text(value: Any) -> str:
    if value is None or value != value:  # NaN is the one value that differs from itself
        return ""
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))  # whole numbers are stored as floats where some are missing
    return str(value).strip()


def _separator(line: str, kind: str) -> str | None:
    """A comma or a tab as the ending says, unless the first line has none of it and another one is plain.

    None is any number of blanks, which only `.txt` may be parted by.
    """
    usual = "," if kind == ".csv" else "\t"
    found = next((separator for separator in (usual, ";", "\t", ",") if separator in line), None)
    return None if found is None and kind == ".txt" else found or usual
