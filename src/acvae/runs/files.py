"""What a run's files are made of: written whole or not at all, and one sentence when they cannot be."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from acvae._util.files import replacing
from acvae.exceptions import RunError

if TYPE_CHECKING:
    from acvae.datasets import Dataset

__all__ = [
    "data_fingerprint",
    "from_csv",
    "plain",
    "read_json",
    "to_csv",
    "write_text",
    "writing",
]


def data_fingerprint(data: Dataset) -> str:
    """SHA-256 of features, edges, weights, names and what is observed; dense features as their CSR form."""
    import scipy.sparse as sp  # for who trains; a run that is asked does without

    features = sp.csr_array(data.features)
    digest = hashlib.sha256(json.dumps(features.shape).encode())
    arrays = [(features.indptr, "<i8"), (features.indices, "<i8"), (features.data, "<f4")]
    arrays.append((data.graph.edges, "<i8"))
    if data.graph.weights is not None:
        arrays.append((data.graph.weights, "<f8"))
    for array, kind in arrays:
        digest.update(np.ascontiguousarray(array.astype(kind)).tobytes())
    if data.observed is not None:
        digest.update(np.packbits(data.observed).tobytes())
    if data.graph.names is not None:
        digest.update(json.dumps([str(name) for name in data.graph.names]).encode())
    return digest.hexdigest()


def plain(value: Any) -> Any:
    """Values that JSON has: no NaN, no tuples, no numbers of NumPy."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in one sentence what cannot be written."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{str(path)!r} cannot be written ({error.strerror or error}).") from error


def write_text(path: Path, text: str) -> None:
    """Whole or not at all."""
    with writing(path), replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")


def read_json(path: Path) -> Any:
    """Plain values."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{str(path)!r} cannot be read: {error}.") from error


def to_csv(history: list[dict[str, float]]) -> str:
    """A line of names, then one per row; what a row does not have stays empty."""
    columns = list(dict.fromkeys(name for row in history for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(history)
    return text.getvalue()


def from_csv(path: Path) -> list[dict[str, float]]:
    """What `to_csv` wrote, to the last digit."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                {name: _number(cell) for name, cell in row.items() if cell} for row in csv.DictReader(file)
            ]
    except (OSError, ValueError, TypeError, csv.Error, AttributeError) as error:
        raise RunError(f"{str(path)!r} cannot be read: {error}.") from error


def _number(text: str) -> float:
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
