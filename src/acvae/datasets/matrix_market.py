"""Matrix Market files (`.mtx`), read with NumPy: SciPy's own reader crashes on some that are damaged.

    %%MatrixMarket matrix coordinate real general
    % comments
    3 4 2          rows, columns, entries
    1 1 0.5        row, column (from 1), value
    3 2 1.5

In `array` layout all values follow, column by column; a `pattern` has no values, which are ones then; of a
`symmetric` or `skew-symmetric` matrix only the lower triangle is there.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.datasets.sources import open_binary

__all__ = ["read_matrix_market"]

EMPTY_ROWS = 1_000_000
LAYOUTS, FIELDS = ("coordinate", "array"), ("real", "double", "integer", "pattern")
SYMMETRIES = ("general", "symmetric", "skew-symmetric")


def read_matrix_market(path: Path) -> Any:
    """A COO matrix, or a dense array; a `ValueError` says what is wrong with the file."""
    with open_binary(path) as file:
        content = file.read()
    first, _, rest = content.partition(b"\n")
    words = first.decode("latin-1").lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError("its first line is not that of a matrix in Matrix Market's format")
    layout, field, symmetry = words[2:]
    if layout not in LAYOUTS or field not in FIELDS or symmetry not in SYMMETRIES:
        raise ValueError(f"it is a {' '.join(words[2:])[:60]} matrix, which is not read")
    while rest.lstrip().startswith(b"%"):
        rest = rest.lstrip().partition(b"\n")[2]
    sizes, _, body = rest.lstrip().partition(b"\n")
    numbers = [_whole(word) for word in sizes.split()]
    if len(numbers) != (3 if layout == "coordinate" else 2):
        raise ValueError(f"its sizes are {sizes[:60].decode('latin-1')!r}")
    if layout == "coordinate":
        return _coordinates(body, *numbers, pattern=field == "pattern", symmetry=symmetry)
    if field == "pattern":
        raise ValueError("a pattern cannot be in array layout")
    return _dense(body, *numbers, symmetry=symmetry)


def _whole(word: bytes) -> int:
    if not word.isdigit() or len(word) > 18:
        raise ValueError(f"{word[:20].decode('latin-1')!r} is not a size")
    return int(word)


def _table(body: bytes, columns: int) -> npt.NDArray[np.float64]:
    if not body.strip():
        return np.empty((0, columns))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of no lines but comments
        table = np.loadtxt(io.BytesIO(body), dtype=np.float64, comments="%", ndmin=2, encoding="latin-1")
    if table.shape[1] != columns:
        raise ValueError(f"its lines have {table.shape[1]} numbers, not {columns}")
    return table


def _coordinates(
    body: bytes, rows: int, columns: int, entries: int, *, pattern: bool, symmetry: str
) -> sp.coo_array:
    if rows > EMPTY_ROWS + len(body):
        raise ValueError(f"it declares {rows:,} rows, nearly all of them empty")
    table = _table(body, 2 if pattern else 3)
    if len(table) != entries:
        raise ValueError(f"it declares {entries:,} entries and has {len(table):,}")
    at = table[:, :2] - 1
    inside = (at >= 0) & (at < (rows, columns)) & (at == np.floor(at))
    if not inside.all():
        bad = table[np.argmin(inside.all(axis=1))]
        raise ValueError(
            f"an entry is at {bad[0]:g}, {bad[1]:g}, outside {rows:,} rows and {columns:,} columns"
        )
    i, j = at.T.astype(np.int64)
    values = np.ones(entries) if pattern else table[:, 2]
    if symmetry != "general":
        off = i != j
        sign = -1 if symmetry == "skew-symmetric" else 1
        i, j, values = np.r_[i, j[off]], np.r_[j, i[off]], np.r_[values, sign * values[off]]
        if rows != columns:
            raise ValueError(f"{rows:,} rows and {columns:,} columns are not symmetric")
    return sp.coo_array((values, (i, j)), shape=(rows, columns))


def _dense(body: bytes, rows: int, columns: int, *, symmetry: str) -> npt.NDArray[np.float64]:
    if symmetry != "general":
        raise ValueError("symmetric matrices are read in coordinate layout only")
    values = _table(body, 1)
    if len(values) != rows * columns:
        raise ValueError(f"it declares {rows:,} by {columns:,} values and has {len(values):,}")
    return values.reshape(columns, rows).T
