"""One `.npz` file with named arrays: edges, features, and what else is known of the vertices."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.checks import as_path, choice, optional_text
from acvae.datasets.dataset import Dataset
from acvae.datasets.missing import MISSING, fill_missing
from acvae.datasets.numpy_files import read_npz
from acvae.datasets.sources import reading
from acvae.exceptions import AcvaeError, DataError
from acvae.graph import Graph

__all__ = ["from_archive"]

_SPARSE = ("indptr", "indices", "shape")
_HELD = (
    "edges (m, 2) and features (n, D), or in place of features indptr, indices, values and shape of "
    "a CSR matrix; if known also weights (m,), labels (n,), names (n,), feature_names (D,), class_names"
)


def from_archive(path: str | PathLike[str], *, missing: str = "error", name: str | None = None) -> Dataset:
    """A data set from one `.npz` file of plain arrays; pickled objects are not read.

    Parameters
    ----------
    path
        Holds `edges` (m, 2) of row numbers (or `edge_index` (2, m)) and `features` (n, D), dense, or a CSR
        matrix as `indptr`, `indices`, `values` (or `data`) and `shape`. May hold `weights` (m,), `labels`
        (n,), `names` (n,), `feature_names` (D,) and `class_names`.
    missing
        What to do about NaN among the features: `"error"`, `"mean"`, `"zero"` or `"evidence"`.
    name
        What to call the data set; by default the file's name.
    """
    place = as_path("path", path, home=True)
    choice("missing", missing, MISSING)
    optional_text("name", name)
    if not place.is_file():
        raise DataError(f"the file {str(place)!r} does not exist.")
    with reading(place):
        arrays = read_npz(place)
    try:
        return _dataset(arrays, place, missing, name)
    except DataError:
        raise
    except (AcvaeError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise DataError(f"{str(place)!r} does not hold a data set: {error}") from error


def _dataset(arrays: dict[str, npt.NDArray[Any]], place: Path, missing: str, name: str | None) -> Dataset:
    edges = arrays["edge_index"].T if "edge_index" in arrays else arrays.get("edges")
    features = _features(arrays)
    if edges is None or features is None:
        absent = "edges" if edges is None else "features"
        raise DataError(
            f"{str(place)!r} holds the arrays {', '.join(arrays)}, and no {absent}; needed are {_HELD}."
        )
    features, observed = fill_missing(features, missing)
    labels, class_names = _classes(arrays.get("labels"), arrays.get("class_names"))
    graph = Graph(features.shape[0], edges, arrays.get("names"), arrays.get("weights"))
    return Dataset(
        name=name or place.name.split(".")[0],
        features=features,
        graph=graph,
        feature_names=arrays.get("feature_names"),
        labels=labels,
        class_names=class_names,
        observed=observed,
        source=f"Features and edges from {place.name}.",
        details={
            "edge_rows": len(edges),
            "edges": graph.n_edges,
            "self_loops": graph.dropped_self_loops,
            "features_without_edge": int((graph.degrees == 0).sum()),
            "classes": None if labels is None else int(labels.max(initial=-1)) + 1,
        },
    )


def _features(arrays: dict[str, npt.NDArray[Any]]) -> Any:
    """float32, CSR or dense; None where there are none."""
    if "features" in arrays:
        features = arrays["features"]
        if features.ndim != 2 or features.dtype.kind not in "biuf":
            raise ValueError(
                f"features must be a matrix of numbers, not {features.dtype} of shape {features.shape}."
            )
        return features.astype(np.float32)
    values = arrays.get("values", arrays.get("data"))
    if values is None or not set(_SPARSE) <= arrays.keys():
        return None
    parts = values.astype(np.float32), arrays["indices"], arrays["indptr"]
    matrix = sp.csr_array(parts, shape=tuple(int(size) for size in arrays["shape"]))
    matrix.check_format(full_check=True)
    return matrix


def _classes(labels: Any, names: Any) -> tuple[npt.NDArray[np.int64] | None, npt.NDArray[Any] | None]:
    """Labels as 0, 1, … and what each is called, if that is known."""
    if labels is None:
        return None, None
    if labels.dtype.kind in "iu" and labels.ndim == 1:
        return labels.astype(np.int64), names
    found, numbers = np.unique(labels, return_inverse=True)
    return numbers.reshape(-1).astype(np.int64), found
