"""Labels drawn by class, and a classifier on features."""

import numpy as np
import pytest

from acvae.datasets import Dataset
from acvae.exceptions import DataError
from acvae.reproduce.compare import (
    classification,
    methods,
)
from reproduce.compare.samples import small

# ---------------------------------------------------------------------- classification


def test_labels_are_drawn_by_class_and_features_classify() -> None:
    data = small()
    train, test = classification.draw_labels(data.labels, 5, 0)
    assert np.bincount(data.labels[train]).tolist() == [5, 5]
    assert len(np.union1d(train, test)) == 40
    assert not len(np.intersect1d(train, test))
    for name in ("raw-features", "svd"):
        found = classification.score_classification(
            methods.methods_of("classification")[name], data, 0, labels=8, draws=2
        )
        assert min(found["accuracy"]) > 0.8
        assert len(found["macro_f1"]) == 2
    bare = Dataset("bare", data.features, data.graph)
    with pytest.raises(DataError, match="no labels"):
        classification.score_classification(methods.methods_of("classification")["svd"], bare, 0)
