"""What users call a feature matrix, as one of two things: a CSR matrix or an array, both of real numbers."""

from __future__ import annotations

from mmap import mmap
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.frames import frame_values, is_frame
from acvae.exceptions import AcvaeError, FeatureError

__all__ = ["as_matrix", "blank_rows", "own_copy"]

BoolArray = npt.NDArray[np.bool_]


def as_matrix(features: Any) -> Any:
    """A CSR matrix or an array (n, D) of booleans, integers or floats; it may share the caller's memory.

    Takes arrays, lists, data frames, tensors dense or sparse, and SciPy's sparse matrices. What is masked
    becomes NaN. Whether all is finite is not looked at.
    """
    try:
        matrix = _read(features)
    except AcvaeError:
        raise
    except Exception as error:  # rows of different lengths, tensors without values, damaged sparse matrices
        raise FeatureError(f"features must be a matrix (n, D): {str(error)[:200]}") from None
    if matrix.ndim != 2:
        raise FeatureError(f"features must be a matrix (n, D), got shape {matrix.shape}.")
    if matrix.dtype.kind not in "biuf":
        raise FeatureError(f"features must be real numbers, got {matrix.dtype}.")
    if matrix.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            matrix = matrix.astype(np.float64)
    return matrix


def blank_rows(matrix: Any, kept: BoolArray) -> Any:
    """The matrix (n, D), array or CSR, with zeros in all rows but those kept (n,); it is not changed.

    What is mapped from disk stays there, and its other rows as they are, unless they are not finite.
    """
    if sp.issparse(matrix):
        here = np.repeat(kept, np.diff(matrix.indptr))
        if here.all() or (_is_mapped(matrix.data) and np.isfinite(matrix.data[~here]).all()):
            return matrix
        ends = np.concatenate([[0], np.cumsum(here)])[matrix.indptr].astype(matrix.indptr.dtype)
        return sp.csr_array((matrix.data[here], matrix.indices[here], ends), shape=matrix.shape)
    if kept.all() or (_is_mapped(matrix) and np.isfinite(matrix[~kept]).all()):
        return matrix
    blank = matrix.copy()
    blank[~kept] = 0
    return blank


def own_copy(matrix: Any, given: Any) -> Any:
    """The matrix, array or CSR, in memory that it does not share with `given`, another or the same.

    What is mapped from disk stays there.
    """
    if not any(np.may_share_memory(a, b) for a in _arrays(matrix) for b in _arrays(given)):
        return matrix
    own = [array if _is_mapped(array) else array.copy() for array in _arrays(matrix)]
    return sp.csr_array(tuple(own), shape=matrix.shape) if sp.issparse(matrix) else own[0]


def _arrays(matrix: Any) -> tuple[Any, ...]:
    return (matrix.data, matrix.indices, matrix.indptr) if sp.issparse(matrix) else (matrix,)


def _is_mapped(array: Any) -> bool:
    """Whether it is read from a file as it is needed, and nobody may write to it."""
    if array.flags.writeable:
        return False
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return isinstance(array, mmap)


def _read(features: Any) -> Any:
    if is_frame(features):
        return frame_values(features)
    if hasattr(features, "detach"):
        features = _from_torch(features)
    if sp.issparse(features):
        if features.ndim != 2:
            return features
        matrix = sp.csr_array(features)
        matrix.check_format(full_check=False)
        from acvae._util.csr_entries import check_places  # compiled, and few commands need it

        check_places(matrix.indptr, matrix.indices, matrix.shape[1])
        return matrix
    if isinstance(features, np.ma.MaskedArray) and features.dtype.kind in "biuf":
        return np.ma.filled(features.astype(np.float64), np.nan)
    return np.asarray(features.to_numpy() if hasattr(features, "to_numpy") else features)


def _from_torch(tensor: Any) -> Any:
    """The same values as a NumPy array, or as a SciPy matrix if they are sparse."""
    tensor = tensor.detach().cpu()
    if str(tensor.dtype) == "torch.bfloat16":  # unknown to NumPy
        tensor = tensor.float()
    if str(tensor.layout) == "torch.strided":
        return tensor.numpy()
    if tensor.ndim != 2:
        raise FeatureError(f"features must be a matrix (n, D), got shape {tuple(tensor.shape)}.")
    coo = tensor.to_sparse_coo().coalesce()
    return sp.coo_array((coo.values().numpy(), tuple(coo.indices().numpy())), shape=tuple(coo.shape))
