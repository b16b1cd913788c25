"""graph.safetensors: the links a run was trained on and those held out, with the names of the vertices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.arrays import json_array, names_array, parse_json, read_arrays, write_arrays
from acvae.exceptions import AcvaeError, RunError
from acvae.graph import Graph
from acvae.splits import EdgeSplit

if TYPE_CHECKING:
    from acvae.datasets import Dataset

__all__ = ["StoredGraph", "read_graph", "write_graph"]

FORMAT, VERSION = "acvae-graph", 1


class StoredGraph(NamedTuple):
    """What a run's folder knows of its vertices without the data."""

    train: Graph
    split: EdgeSplit | None
    display_names: list[str] | None  # what to show where an id is not what people read
    classes: npt.NDArray[np.int64] | None
    class_names: list[str] | None = None  # of the classes 0, 1, …


def write_graph(path: Path, data: Dataset, split: EdgeSplit | None) -> None:
    """Store the split of a data set, or all its edges."""
    train = data.graph if split is None else split.train
    arrays: dict[str, npt.NDArray[Any]] = _pack("train", train)
    about: dict[str, Any] = {"n_vertices": train.n_vertices}
    if split is not None:
        arrays |= _pack("test", split.test)
        about |= {"seed": split.seed, "fraction": split.fraction}
    if train.names is not None:
        arrays["names"] = names_array(train.names)
    display = getattr(data, "display_names", None)
    if display is not None:
        arrays["display_names"] = json_array([str(name) for name in display])
    if data.labels is not None:
        arrays["classes"] = np.asarray(data.labels, dtype=np.int64)
    if data.class_names is not None:
        arrays["class_names"] = json_array([str(name) for name in data.class_names])
    write_arrays(path, arrays, about, format=FORMAT, version=VERSION)


def read_graph(path: Path) -> StoredGraph:
    """What `write_graph` stored."""
    try:
        arrays, about = read_arrays(path, format=FORMAT, version=VERSION, what="graph of a run")
        n = int(about["n_vertices"])
        names = parse_json(arrays["names"], "the names") if "names" in arrays else None
        if names is not None and len(names) != n:
            raise ValueError(f"there are {len(names)} names of {n} vertices")
        train = _unpack("train", arrays, n, names)
        split = None
        if "test.edges" in arrays:
            test = _unpack("test", arrays, n, names)
            split = EdgeSplit(train, test, int(about["seed"]), float(about["fraction"]))
        display = parse_json(arrays["display_names"], "the names") if "display_names" in arrays else None
        classes = arrays.get("classes")
        called = parse_json(arrays["class_names"], "the classes") if "class_names" in arrays else None
        for what, given in (("names to show", display), ("names of classes", called)):
            if given is not None and not (isinstance(given, list) and all(isinstance(x, str) for x in given)):
                raise ValueError(f"the {what} are no texts")
        if classes is not None and (classes.ndim != 1 or classes.dtype != np.int64):
            raise ValueError(f"the classes are {classes.dtype} of shape {classes.shape}")
        for what, given in (("names to show", display), ("classes", classes)):
            if given is not None and len(given) != n:
                raise ValueError(f"there are {len(given)} {what} of {n} vertices")
        if called is not None and (classes is None or classes.max(initial=-1) >= len(called)):
            raise ValueError(f"{len(called)} names of classes do not name every class")
        return StoredGraph(train, split, display, classes, called)
    except (AcvaeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise RunError(f"the graph in {str(path)!r} cannot be read: {error}") from error


def _pack(name: str, graph: Graph) -> dict[str, npt.NDArray[Any]]:
    weights = getattr(graph, "weights", None)
    return {f"{name}.edges": graph.edges} | ({} if weights is None else {f"{name}.weights": weights})


def _unpack(name: str, arrays: dict[str, npt.NDArray[Any]], n: int, names: list[Any] | None) -> Graph:
    weights = arrays.get(f"{name}.weights")
    more: dict[str, Any] = {} if weights is None else {"weights": weights}
    return Graph(n, arrays[f"{name}.edges"], names, **more)
