"""Classifying vertices: a logistic regression on embeddings, from few labels a class."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.seeds import stream_seed
from acvae.datasets import Dataset
from acvae.exceptions import DataError
from acvae.graph import Graph

__all__ = ["METRICS", "Embedding", "draw_labels", "raw_features", "score_classification", "singular_vectors"]

METRICS = {"accuracy": "accuracy", "macro_f1": "macro F1", "cpu_seconds": "CPU s"}
LABELS, DRAWS = 20, 20
STRENGTHS = (0.1, 1.0, 10.0, 100.0)  # of the inverse penalty, chosen by folds of the given labels
FOLDS = 4
DIMENSIONS = 64


@dataclass(frozen=True)
class Embedding:
    """A way to embed: `embed(features, graph, seed)` gives (n, d), dense or sparse; it sees no label."""

    name: str
    label: str
    kind: str
    embed: Callable[[sp.csr_array, Graph, int], Any]


def score_classification(
    method: Embedding, data: Dataset, seed: int, *, labels: int = LABELS, draws: int = DRAWS
) -> dict[str, Any]:
    """Accuracy and macro F1 on all vertices that are not drawn, a value for each draw.

    Embeddings are made once, from `seed`, on the whole graph. Rows are divided by their root mean square
    length, so that the penalties mean the same for every method.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import accuracy_score, f1_score
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    if data.labels is None:
        raise DataError(f"the data set {data.name!r} has no labels to classify; acm, dblp have.")
    begun, cpu = time.perf_counter(), time.process_time()
    x = method.embed(sp.csr_array(data.features), data.graph, seed)
    spent = {"seconds": time.perf_counter() - begun, "cpu_seconds": time.process_time() - cpu}
    x = _of_unit_length(x)
    accuracy, f1 = [], []
    for draw in range(draws):
        train, test = draw_labels(data.labels, labels, stream_seed(draw, "labels"))
        search = GridSearchCV(
            LogisticRegression(max_iter=500),
            {"C": list(STRENGTHS)},
            cv=StratifiedKFold(FOLDS, shuffle=True, random_state=draw),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # at hardly any penalty; it does not win
            search.fit(x[train], data.labels[train])
        found = search.predict(x[test])
        accuracy.append(float(accuracy_score(data.labels[test], found)))
        f1.append(float(f1_score(data.labels[test], found, average="macro")))
    return {"accuracy": accuracy, "macro_f1": f1, **spent, "labels_a_class": labels}


def _of_unit_length(x: Any) -> Any:
    x = x.astype(np.float64)
    square = np.sum(np.asarray(x.data if sp.issparse(x) else x) ** 2)
    return x / max(float(np.sqrt(square / x.shape[0])), 1e-12)


def draw_labels(
    labels: npt.NDArray[np.int64], count: int, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """`count` vertices of each class, and all others; at most half of a small class is drawn."""
    rng = np.random.default_rng(seed)
    parts = []
    for kind in np.unique(labels):
        members = np.flatnonzero(labels == kind)
        parts.append(rng.choice(members, min(count, len(members) // 2), replace=False))
    train = np.sort(np.concatenate(parts))
    return train, np.setdiff1d(np.arange(len(labels)), train)


def raw_features(features: sp.csr_array, graph: Graph, seed: int) -> sp.csr_array:
    """As they are, with rows of length one."""
    length = np.sqrt(features.multiply(features).sum(axis=1))
    return sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-12)) @ features)


def singular_vectors(features: sp.csr_array, graph: Graph, seed: int) -> npt.NDArray[np.float64]:
    """Of the same, projected to the leading singular vectors."""
    from scipy.sparse.linalg import svds

    x = raw_features(features, graph, seed).astype(np.float64)
    size = min(DIMENSIONS, min(x.shape) - 1)
    start = np.random.default_rng(seed).standard_normal(min(x.shape))
    left, values, _ = svds(x, k=size, v0=start)
    vectors: npt.NDArray[np.float64] = left * values
    return vectors
