"""What a data set is refused for, and what it says of itself."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae import Graph
from acvae.datasets.dataset import Dataset
from acvae.exceptions import FeatureError

GRAPH = Graph(3, [(0, 1)])
X = np.ones((3, 2), dtype=np.float32)


def test_it_says_what_it_is():
    data = Dataset("mine", sp.csr_array(X), Graph(3, [(0, 1), (1, 2)]))
    assert repr(data) == "Dataset('mine', n_vertices=3, n_features=2, n_edges=2)"
    assert data.labels is data.observed is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"features": X[:2]}, "2 rows of features for 3 vertices"),
        ({"feature_names": ["a"]}, "1 feature names for 2 columns"),
        ({"labels": np.zeros(4, dtype=int)}, "4 labels for 3 vertices"),
        ({"display_names": ["a", "b"]}, "2 display names for 3 vertices"),
        ({"observed": np.ones(1, dtype=bool)}, "1 entries of observed for 3 vertices"),
        ({"class_names": ["a"]}, "1 class names do not name every label"),
        ({"class_names": ["a"], "labels": np.array([0, 1, -1])}, "1 class names do not name every label"),
    ],
)
def test_sizes_that_do_not_fit(given, message):
    with pytest.raises(FeatureError, match=message):
        Dataset("mine", **{"features": X, "graph": GRAPH, **given})


def test_sizes_that_fit():
    data = Dataset(
        "mine",
        X,
        GRAPH,
        feature_names=np.array(["a", "b"]),
        labels=np.array([1, -1, 0]),
        class_names=np.array(["no", "yes"]),
        display_names=np.array(["same", "same", "other"]),
        observed=np.array([True, True, False]),
    )
    assert data.class_names[data.labels[0]] == "yes"


def test_it_does_not_change():
    with pytest.raises(AttributeError):
        Dataset("mine", X, GRAPH).name = "yours"
