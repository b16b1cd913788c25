"""Dataset: features and a graph on the same vertices, with where they came from."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.exceptions import FeatureError
from acvae.graph import Graph

__all__ = ["Dataset"]


@dataclass(frozen=True)
class Dataset:
    """Data points with features and a graph of which are related.

    Attributes
    ----------
    name
        What `acvae.datasets.load` calls it.
    features
        float32 (n, D), a CSR array or, where few entries are zero, a dense array; row i belongs to vertex i.
    graph
        Graph on the n vertices, with names and weights where the source has them.
    feature_names
        (D,) what each column stands for, or None.
    labels
        (n,) integer classes, -1 where one is not known, or None.
    class_names
        What the classes 0, 1, … are called, or None.
    display_names
        (n,) texts to show in place of the graph's names, which need not be distinct; or None.
    observed
        Mask (n,): which vertices have features at all; None where all have.
    source
        One or two sentences: who publishes the raw data, and how they were prepared.
    details
        What preparation counted and chose (plain JSON values).
    """

    name: str
    features: Any
    graph: Graph
    feature_names: npt.NDArray[Any] | None = None
    labels: npt.NDArray[np.int64] | None = None
    source: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    class_names: npt.NDArray[Any] | None = None
    display_names: npt.NDArray[Any] | None = None
    observed: npt.NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        rows, columns = self.features.shape
        if rows != self.graph.n_vertices:
            raise FeatureError(f"{rows} rows of features for {self.graph.n_vertices} vertices.")
        for what, given, size, of in (
            ("feature names", self.feature_names, columns, "columns"),
            ("labels", self.labels, rows, "vertices"),
            ("display names", self.display_names, rows, "vertices"),
            ("entries of observed", self.observed, rows, "vertices"),
        ):
            if given is not None and len(given) != size:
                raise FeatureError(f"{len(given)} {what} for {size} {of}.")
        if self.class_names is not None and (
            self.labels is None or self.labels.max(initial=-1) >= len(self.class_names)
        ):
            raise FeatureError(f"{len(self.class_names)} class names do not name every label.")

    def __repr__(self) -> str:
        n, d = self.features.shape
        return f"Dataset({self.name!r}, n_vertices={n:,}, n_features={d:,}, n_edges={self.graph.n_edges:,})"
