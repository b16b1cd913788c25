"""Read a user's files: tables (CSV, TSV, Parquet) as columns of text, matrices as SciPy sparse ones."""

import csv
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.io
import scipy.sparse as sp

from acvae._util.checks import optional_import
from acvae.datasets.sources import decode, open_binary, reading
from acvae.exceptions import DataError, did_you_mean

__all__ = ["MATRIX_KINDS", "TABLE_KINDS", "Table", "kind_of", "read_lines", "read_matrix", "read_table"]

MATRIX_KINDS = (".npz", ".npy", ".mtx")
TABLE_KINDS = (".csv", ".tsv", ".parquet")

LONGEST_SHOWN = 60  # letters of a cell in a message

csv.field_size_limit(1 << 27)  # a cell may be a long text; the module's own limit is 128 KiB


@dataclass(frozen=True)
class Table:
    """Columns of stripped text, all of one length; a missing value is an empty text.

    Text, not numbers: so ids such as `0001` stay as they are and an error can show a cell as it was written.
    """

    path: Path
    columns: dict[str, list[str]]

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

    def numbers(self, name: str) -> npt.NDArray[np.float64]:
        """One column as finite numbers; the first cell that is none is located."""
        cells = self.column(name)
        try:
            values = np.array(cells, dtype=np.str_).astype(np.float64)
        except ValueError:
            values = np.array([_number(cell) for cell in cells])
        bad = np.flatnonzero(~np.isfinite(values))
        if not len(bad):
            return values
        cell = cells[bad[0]]
        others = f" ({len(bad):,} cells of this column are like that)" if len(bad) > 1 else ""
        shown = cell if len(cell) <= LONGEST_SHOWN else f"{cell[:LONGEST_SHOWN]}…"
        text = len(bad) == len(cells) and " " in cell
        raise DataError(
            f"{str(self.path)!r}, row {bad[0] + 1}, column {name!r}: "
            + (f"{shown!r} is not a finite number" if cell else "the cell is empty where a number is needed")
            + f"{others}. "
            + (f"To take its words as features: text_column={name!r}. Or" if text else "Fill it in, or")
            + " leave the column out by naming the others in columns=."
        )


def kind_of(path: Path, allowed: tuple[str, ...]) -> str:
    """The file's ending, without that of a packer; an error names the endings that can be read."""
    name = path.name.lower().removesuffix(".gz").removesuffix(".bz2")
    kind = next((kind for kind in allowed if name.endswith(kind)), None)
    if kind is None:
        raise DataError(f"{str(path)!r} cannot be read by its ending; files may end in {', '.join(allowed)}.")
    if not path.is_file():
        raise DataError(f"the file {str(path)!r} does not exist.")
    return kind


def read_matrix(path: Path) -> sp.csr_array:
    """A matrix of finite numbers from `.npz` (SciPy sparse or one array), `.npy` or `.mtx`; no pickles."""
    kind = kind_of(path, MATRIX_KINDS)
    with reading(path):
        try:
            if kind == ".mtx":
                matrix: Any = scipy.io.mmread(path)
            elif kind == ".npy":
                matrix = _read_npy(path)
            else:
                matrix = _read_npz(path)
        except (ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
            pickled = "allow_pickle" in str(error)
            reason = "it holds Python objects, which are not read for safety" if pickled else str(error)
            raise DataError(f"no matrix can be read from {str(path)!r}: {reason.rstrip('.')}.") from error
    if matrix.ndim != 2:
        raise DataError(
            f"{str(path)!r} should hold a matrix of two dimensions, but its shape is {matrix.shape}."
        )
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{str(path)!r} should hold real numbers, but holds {matrix.dtype}.")
    numbers = sp.coo_array(matrix)
    bad = np.flatnonzero(~np.isfinite(numbers.data))
    if len(bad):
        row, column = numbers.row[bad[0]], numbers.col[bad[0]]
        raise DataError(
            f"{str(path)!r} has {len(bad):,} entries that are not finite, the first, {numbers.data[bad[0]]}, "
            f"in row {row} and column {column} (counted from 0)."
        )
    return numbers.tocsr()


def _read_npy(path: Path) -> Any:
    with open(path, "rb") as file:
        return np.load(file, allow_pickle=False)


def _read_npz(path: Path) -> Any:
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
        names = arrays.files
        if "format" not in names:
            if len(names) == 1:
                return arrays[names[0]]
            raise ValueError(f"it is not a sparse matrix of SciPy, but holds the arrays {', '.join(names)}")
    return sp.load_npz(path)  # which refuses pickled objects too


def read_table(path: Path, *, header: bool = True) -> Table:
    """A table; without a header line its columns are called "0", "1", …"""
    if kind_of(path, TABLE_KINDS) == ".parquet":
        return _read_parquet(path)
    with reading(path), open_binary(path) as file:
        text = decode(file.read())[0].removeprefix("\ufeff")
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text, path), strict=True)
        rows = [[cell.strip() for cell in row] for row in lines if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise DataError(f"{str(path)!r} is not a regular table: {error}.") from None
    if not rows:
        raise DataError(f"the file {str(path)!r} is empty.")
    names = rows.pop(0) if header else [str(i) for i in range(len(rows[0]))]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        hint = " If its first line is not a header, say header=False." if _is_number(repeated) else ""
        raise DataError(f"{str(path)!r} has more than one column called {repeated!r}.{hint}")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise DataError(f"{str(path)!r}, row {number}: {len(row)} cells where {len(names)} are expected.")
    columns = map(list, zip(*rows, strict=True)) if rows else ([] for _ in names)
    return Table(path, dict(zip(names, columns, strict=True)))


def _read_parquet(path: Path) -> Table:
    parquet = optional_import("pyarrow.parquet", needed_for="reading Parquet", install="'acvae[tables]'")
    try:
        table = parquet.read_table(path)
    except (OSError, ValueError) as error:  # Arrow's own errors derive from these
        raise DataError(f"{str(path)!r} is damaged or not a Parquet file ({error}).") from error
    return Table(
        path,
        {
            str(name): [_cell_text(value) for value in column.to_pylist()]
            for name, column in zip(table.column_names, table.columns, strict=True)
        },
    )


def read_lines(path: Path) -> list[str]:
    """The lines of a text file, stripped, without the empty ones."""
    if not path.is_file():
        raise DataError(f"the file {str(path)!r} does not exist.")
    with reading(path), open_binary(path) as file:
        text = decode(file.read())[0].removeprefix("\ufeff")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def _is_number(cell: str) -> bool:
    return not np.isnan(_number(cell))


def _cell_text(value: Any) -> str:
    if value is None or value != value:  # NaN is the one value that differs from itself
        return ""
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))  # whole numbers are stored as floats where some are missing
    return str(value).strip()


def _separator(text: str, path: Path) -> str:
    """A comma or a tab as the ending says, unless the first line has none of it and another one is plain."""
    usual = "\t" if ".tsv" in path.name.lower() else ","
    line = text.split("\n", 1)[0]
    return next((separator for separator in (usual, ";", "\t", ",") if separator in line), usual)
