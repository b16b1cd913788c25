"""Features in a folder of plain `.npy` files, to be read from disk as they are needed.

`indptr.npy`, `indices.npy` and `data.npy` are the arrays of a CSR matrix, `shape.npy` its rows and columns;
nothing is pickled. A matrix opened from them takes memory only for the parts in use, and the operating
system gives that back when others need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.checks import as_path, called
from acvae._util.files import replacing
from acvae.datasets.numpy_files import map_npy
from acvae.exceptions import DataError, FeatureError

__all__ = ["open_features", "save_features"]

ARRAYS = ("shape", "indptr", "indices", "data")
EMPTY_COLUMNS = 10_000_000  # those without an entry take nothing in the files, but something in a network
LAST = "shape.npy"  # written when all else is there


def save_features(folder: str | PathLike[str], matrix: Any) -> None:
    """Write a feature matrix to a folder, for `open_features`.

    Parameters
    ----------
    folder
        Made if it is not there; files of an earlier matrix in it are replaced.
    matrix
        (n, D), sparse or dense; or any iterable of blocks of its rows, one after the other, for a matrix that
        does not fit into memory.
    """
    target = as_path("folder", folder)
    blocks = [matrix] if sp.issparse(matrix) or hasattr(matrix, "shape") else _each(matrix)
    n_columns = None
    lengths: list[npt.NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]
    try:
        target.mkdir(parents=True, exist_ok=True)
        (target / LAST).unlink(missing_ok=True)  # without it the folder holds no features, old or new
        with open(target / "indices.npy", "wb") as indices, open(target / "data.npy", "wb") as data:
            for file, kind in ((indices, np.int32), (data, np.float32)):
                _write_header(file, kind, 0)
            for number, block in enumerate(blocks):
                table = _as_block(number, block)
                n_columns = table.shape[1] if n_columns is None else n_columns
                if table.shape[1] != n_columns:
                    raise FeatureError(
                        f"block {number} of the features has {table.shape[1]} columns, the first {n_columns}."
                    )
                table.indices.astype(np.int32, copy=False).tofile(indices)
                table.data.astype(np.float32, copy=False).tofile(data)
                lengths.append(np.diff(table.indptr).astype(np.int64))
            if n_columns is None:
                raise FeatureError("there are no features to save: no block of rows was given.")
            indptr = np.cumsum(np.concatenate(lengths))
            for file, kind in ((indices, np.int32), (data, np.float32)):
                file.seek(0)
                _write_header(file, kind, int(indptr[-1]))  # as long as the first: NumPy leaves room to grow
        small = indptr[-1] <= np.iinfo(np.int32).max
        np.save(target / "indptr.npy", indptr.astype(np.int32 if small else np.int64))
        with replacing(target / LAST) as partial, partial.open("wb") as last:
            np.save(last, np.array([len(indptr) - 1, n_columns], dtype=np.int64))
    except OSError as error:
        raise DataError(
            f"features cannot be written to {str(target)!r} ({error.strerror or error})."
        ) from error


def open_features(folder: str | PathLike[str]) -> sp.csr_array:
    """The CSR matrix (n, D) that `save_features` wrote, float32, mapped from its files and read-only.

    Only that the files belong together is checked here; `fit` looks at every entry once, as it does for any
    matrix.
    """
    source = as_path("folder", folder)
    shape, indptr, indices, data = (_map(source / f"{name}.npy") for name in ARRAYS)
    kinds = (indptr.dtype.kind, indices.dtype.kind, data.dtype.kind, shape.dtype.kind)
    fits = (
        kinds == ("i", "i", "f", "i")
        and indptr.dtype.itemsize >= 4
        and indices.dtype.itemsize >= 4
        and data.dtype in (np.float32, np.float64)
        and {a.ndim for a in (indptr, indices, data, shape)} == {1}
        and len(shape) == 2
        and 0 <= shape.min() <= shape.max() < 1 << 62
        and shape[1] <= EMPTY_COLUMNS + data.nbytes
        and len(indptr) == shape[0] + 1
        and len(indices) == len(data) == indptr[-1]
        and indptr[0] == 0
        and bool((indptr[1:] >= indptr[:-1]).all())
    )
    if not fits:
        raise DataError(
            f"the files in {str(source)!r} do not make one CSR matrix; write them with save_features."
        )
    return sp.csr_array((data, indices, indptr), shape=(int(shape[0]), int(shape[1])))


def _each(blocks: Any) -> Iterator[Any]:
    """Block by block; what a generator of the user's own raises stays as it is."""
    try:
        found = iter(blocks)
    except Exception:
        raise FeatureError(
            f"features must be a matrix, or blocks of its rows one after the other, not {called(blocks)}."
        ) from None
    yield from found


def _as_block(number: int, block: Any) -> sp.csr_array:
    """Rows as CSR, columns in order and none twice, no zeros; a copy where that changes something."""
    try:
        table = sp.csr_array(block)
    except (TypeError, ValueError) as error:
        raise FeatureError(f"block {number} of the features is no matrix: {error}") from None
    if table.ndim != 2 or table.dtype.kind not in "biuf":
        raise FeatureError(
            f"block {number} of the features must be a matrix of real numbers, got {table.dtype} of shape "
            f"{table.shape}."
        )
    if table.nnz and not abs(table.data).max() <= np.finfo(np.float32).max:
        raise FeatureError(
            f"block {number} of the features has a number that is not finite in single precision."
        )
    if not table.has_canonical_format or not table.data.all():
        table = table.copy()
        table.sum_duplicates()
        table.eliminate_zeros()
    return table


def _write_header(file: IO[bytes], kind: Any, length: int) -> None:
    np.lib.format.write_array_header_1_0(
        file,
        {"shape": (length,), "fortran_order": False, "descr": np.lib.format.dtype_to_descr(np.dtype(kind))},
    )


def _map(path: Path) -> npt.NDArray[Any]:
    try:
        return map_npy(path)
    except FileNotFoundError:
        raise DataError(
            f"{str(path.parent)!r} is no folder of features: it has no {path.name}; see save_features."
        ) from None
    except OSError as error:
        raise DataError(f"{str(path)!r} cannot be read ({error}).") from error
