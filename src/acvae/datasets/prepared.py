"""Cache of prepared data sets, so that reading and cleaning are done once.

An entry belongs to exactly one state of the raw files, one set of options and one version of the preparation;
their fingerprint is in its name. Entries are files of arrays with a checksum, and appear whole or not at all.
One that is damaged or cannot be written costs time, never correctness: the data set is then simply prepared
again.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pooch
import scipy.sparse as sp

from acvae._util.arrays import json_array, parse_json, read_arrays, write_arrays
from acvae._util.checks import whole_number
from acvae._util.files import sweep
from acvae.datasets.dataset import Dataset
from acvae.datasets.sources import cache_folder
from acvae.exceptions import AcvaeError
from acvae.graph import Graph

__all__ = ["fingerprint", "prepared"]

_KIND, _FORMAT = "acvae-prepared", 2
"""The number is raised when the layout of an entry changes."""


def prepared(
    name: str,
    build: Callable[[], Dataset],
    *,
    sources: Iterable[Path],
    options: Mapping[str, Any],
    version: int,
    folder: Path | None = None,
) -> Dataset:
    """The data set from the cache, or built and stored there.

    `version` counts the changes of the preparation's own code: raise it whenever the result changes.
    """
    mark = fingerprint(name, sources, options, version)
    entry = (folder or cache_folder() / "prepared") / f"{name}-{mark[:20]}.safetensors"
    stored = _read(entry, mark)
    if stored is not None:
        return stored
    dataset = build()
    _write(entry, mark, dataset)
    return dataset


def fingerprint(name: str, sources: Iterable[Path], options: Mapping[str, Any], version: int) -> str:
    """SHA-256 over all that a prepared data set depends on. The place of the raw files is no part of it."""
    state = {
        "format": _FORMAT,
        "name": name,
        "version": version,
        "options": dict(options),
        "sources": [[path.name, _state_of(path)] for path in sources],
    }
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def _state_of(path: Path) -> str:
    """Content of a file; of a folder, which may hold many thousands, the list of names, sizes and times."""
    if not path.is_dir():
        return str(pooch.file_hash(str(path), alg="sha256"))
    listing = [
        (file.relative_to(path).as_posix(), file.stat().st_size, file.stat().st_mtime_ns)
        for file in sorted(path.rglob("*"))
        if file.is_file()
    ]
    return hashlib.sha256(json.dumps(listing).encode()).hexdigest()


def _read(entry: Path, mark: str) -> Dataset | None:
    """The data set of an entry; None if there is none or it is damaged, which is not the user's business."""
    try:
        arrays, about = read_arrays(entry, format=_KIND, version=_FORMAT, what="prepared data set")
        if about["fingerprint"] != mark:
            return None
        n, d = (whole_number("size", size, minimum=0) for size in about["shape"])
        matrix = (arrays["data"], arrays["indices"], arrays["indptr"])
        features = sp.csr_array(matrix, shape=(n, d))
        features.check_format(full_check=True)
        return Dataset(
            name=about["name"],
            features=features,
            graph=Graph(n, arrays["edges"], _names(arrays, "names"), arrays.get("weights")),
            feature_names=_names(arrays, "feature_names"),
            labels=arrays.get("labels"),
            source=about["source"],
            details=about["details"],
            class_names=_names(arrays, "class_names"),
            display_names=_names(arrays, "display_names"),
            observed=arrays.get("observed"),
        )
    except (AcvaeError, ValueError, KeyError, TypeError, IndexError, OverflowError):
        return None


def _write(entry: Path, mark: str, dataset: Dataset) -> None:
    """Whole or not at all. A full disk or a read-only home is no error: we have the data set all the same."""
    texts = ("feature_names", "class_names", "display_names")
    named = {"names": dataset.graph.names} | {name: getattr(dataset, name) for name in texts}
    named = {name: array for name, array in named.items() if array is not None}
    if not sp.issparse(dataset.features) or any(array.dtype.kind not in "Uiu" for array in named.values()):
        return  # names of mixed kinds could only be pickled
    arrays: dict[str, Any] = {
        "data": dataset.features.data,
        "indices": dataset.features.indices,
        "indptr": dataset.features.indptr,
        "edges": dataset.graph.edges,
        "weights": dataset.graph.weights,
        "labels": dataset.labels,
        "observed": dataset.observed,
    }
    present = {name: array for name, array in arrays.items() if array is not None}
    about = {
        "fingerprint": mark,
        "name": dataset.name,
        "shape": list(dataset.features.shape),
        "source": dataset.source,
        "details": dataset.details,
    }
    with suppress(OSError):
        entry.parent.mkdir(parents=True, exist_ok=True)
        sweep(entry.parent, [entry.name])
        stored = {name: _storable(array) for name, array in named.items()}
        write_arrays(entry, present | stored, about, format=_KIND, version=_FORMAT)


def _storable(names: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Texts as JSON, which is bytes; whole numbers as they are."""
    return json_array(names.tolist()) if names.dtype.kind == "U" else names.astype(np.int64)


def _names(arrays: dict[str, npt.NDArray[Any]], name: str) -> npt.NDArray[Any] | None:
    if name not in arrays or arrays[name].dtype == np.int64:
        return arrays.get(name)
    listed = parse_json(arrays[name], name)
    if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
        raise ValueError(f"{name} are no texts")
    return np.array(listed, dtype=np.str_)
