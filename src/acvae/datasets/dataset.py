"""Dataset: features and a graph on the same vertices, with where they came from."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

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
        float32 CSR array (n, D); row i belongs to vertex i.
    graph
        Graph on the n vertices, with names where the source has them.
    feature_names
        (D,) what each column stands for, or None.
    labels
        (n,) integer classes, or None.
    source
        One or two sentences: who publishes the raw data, and how they were prepared.
    details
        What preparation counted and chose (plain JSON values).
    """

    name: str
    features: sp.csr_array
    graph: Graph
    feature_names: npt.NDArray[Any] | None = None
    labels: npt.NDArray[np.int64] | None = None
    source: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows, columns = self.features.shape
        if rows != self.graph.n_vertices:
            raise FeatureError(f"{rows} rows of features for {self.graph.n_vertices} vertices.")
        if self.feature_names is not None and len(self.feature_names) != columns:
            raise FeatureError(f"{len(self.feature_names)} feature names for {columns} columns.")
        if self.labels is not None and len(self.labels) != rows:
            raise FeatureError(f"{len(self.labels)} labels for {rows} vertices.")

    def __repr__(self) -> str:
        n, d = self.features.shape
        return f"Dataset({self.name!r}, n_vertices={n:,}, n_features={d:,}, n_edges={self.graph.n_edges:,})"
