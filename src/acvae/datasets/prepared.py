"""Cache of prepared data sets, so that reading and cleaning are done once.

An entry belongs to exactly one state of the raw files, one set of options and one version of the preparation;
their fingerprint is in its name. Entries are NumPy archives without pickled objects. One that is damaged or
cannot be written costs time, never correctness: the data set is then simply prepared again.
"""

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pooch
import scipy.sparse as sp

from acvae.datasets.dataset import Dataset
from acvae.datasets.sources import cache_folder
from acvae.exceptions import AcvaeError
from acvae.graph import Graph

__all__ = ["fingerprint", "prepared"]

_FORMAT = 1
"""Raised when the layout of an entry changes."""


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
    entry = (folder or cache_folder() / "prepared") / f"{name}-{mark[:20]}.npz"
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
    try:
        with open(entry, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            about = json.loads(arrays["about"].tobytes().decode("utf-8"))
            if about["fingerprint"] != mark:
                return None
            matrix = (arrays["data"], arrays["indices"], arrays["indptr"])
            features = sp.csr_array(matrix, shape=tuple(about["shape"]))
            features.check_format(full_check=True)
            return Dataset(
                name=about["name"],
                features=features,
                graph=Graph(about["shape"][0], arrays["edges"], arrays.get("names")),
                feature_names=arrays.get("feature_names"),
                labels=arrays.get("labels"),
                source=about["source"],
                details=about["details"],
            )
    # Whatever a damaged file can make the readers say; none of it is the user's business.
    except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError, AcvaeError):
        return None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError):
        return None


def _write(entry: Path, mark: str, dataset: Dataset) -> None:
    about = {
        "fingerprint": mark,
        "name": dataset.name,
        "shape": list(dataset.features.shape),
        "source": dataset.source,
        "details": dataset.details,
    }
    arrays: dict[str, Any] = {
        "about": np.frombuffer(json.dumps(about).encode("utf-8"), dtype=np.uint8),
        "data": dataset.features.data,
        "indices": dataset.features.indices,
        "indptr": dataset.features.indptr,
        "edges": dataset.graph.edges,
        "names": dataset.graph.names,
        "feature_names": dataset.feature_names,
        "labels": dataset.labels,
    }
    present = {key: array for key, array in arrays.items() if array is not None}
    if any(array.dtype.hasobject for array in present.values()):
        return  # names of mixed kinds could only be pickled
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=entry.parent, prefix=entry.stem, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez_compressed(file, **present)
            os.replace(unfinished, entry)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise
    except OSError:
        return  # a full disk or a read-only home: we have the data set all the same
