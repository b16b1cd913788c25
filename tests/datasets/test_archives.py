"""One .npz with named arrays as a data set."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae import Graph
from acvae.datasets import from_archive
from acvae.exceptions import DataError

X = np.array([[1, 0, 2.5], [0, 0, 0], [0, 3, 0]])
EDGES = np.array([[0, 1], [2, 1], [1, 0], [2, 2]], dtype=np.int32)


def sparse_parts(values="values"):
    matrix = sp.csr_array(X)
    return {"indptr": matrix.indptr, "indices": matrix.indices, values: matrix.data, "shape": [3, 3]}


@pytest.fixture
def save(tmp_path):
    def to(**arrays):
        np.savez(tmp_path / "small.npz", **arrays)
        return tmp_path / "small.npz"

    return to


@pytest.mark.parametrize("parts", [sparse_parts(), sparse_parts("data")])
def test_sparse_features(save, parts):
    data = from_archive(save(edges=EDGES, **parts))
    assert data.name == "small"
    assert data.graph == Graph(3, [[0, 1], [1, 2]])
    np.testing.assert_array_equal(data.features.toarray(), X)
    assert data.features.dtype == np.float32
    assert data.labels is data.class_names is data.observed is None
    assert data.details["edge_rows"] == 4
    assert data.details["self_loops"] == 1


def test_dense_features_and_all_that_may_be_known(save):
    path = save(
        edge_index=EDGES[:2].T,
        features=X,
        weights=[0.5, 2],
        labels=np.array([1, 0, 1], dtype=np.int16),
        class_names=["no", "yes"],
        names=["a", "b", "c"],
        feature_names=["x", "y", "z"],
    )
    data = from_archive(path, name="mine")
    assert data.name == "mine"
    assert isinstance(data.features, np.ndarray)
    assert data.features.tolist() == X.tolist()
    assert data.graph == Graph(3, [[0, 1], [1, 2]], ["a", "b", "c"], weights=[0.5, 2])
    assert data.labels.tolist() == [1, 0, 1]
    assert data.class_names.tolist() == ["no", "yes"]
    assert data.feature_names.tolist() == ["x", "y", "z"]


def test_labels_of_text_become_numbers(save):
    data = from_archive(save(edges=EDGES, features=X, labels=["b", "a", "b"]))
    assert data.labels.tolist() == [1, 0, 1]
    assert data.class_names.tolist() == ["a", "b"]


def test_missing_features(save):
    path = save(edges=EDGES, features=np.array([[1, 2], [np.nan, np.nan], [3, 4.0]]))
    with pytest.raises(DataError, match=r"small\.npz' does not hold a data set: .*column 0 is missing"):
        from_archive(path)
    assert from_archive(path, missing="evidence").observed.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("arrays", "telling"),
    [
        ({"features": X}, r"holds the arrays features, and no edges; needed are edges \(m, 2\) and features"),
        ({"edges": EDGES}, "holds the arrays edges, and no features"),
        ({"edges": EDGES, "features": X[:2]}, r"edge 1 is \(2, 1\), but vertex ids must lie in 0…1"),
        ({"edges": EDGES, "features": X[0]}, r"a matrix of numbers, not float64 of shape \(3,\)"),
        ({"edges": EDGES, "features": X, "labels": [0, 1]}, "2 labels for 3 vertices"),
        ({"edges": EDGES, "features": X, "labels": [0, 1, 2], "class_names": ["a"]}, "1 class names do not"),
        ({"edges": EDGES, "features": X, "names": ["a", "a", "b"]}, "names must be distinct"),
        ({"edges": EDGES, "features": X, "weights": [1, 2, 3, -1]}, "more than once"),
        ({"edges": EDGES, **sparse_parts(), "indices": [0, 9, 1]}, "does not hold a data set"),
        ({"edges": EDGES, "features": np.array([[1, None]], dtype=object)}, "Python objects, which are not"),
    ],
)
def test_bad_archives(save, arrays, telling):
    with pytest.raises(DataError, match=telling):
        from_archive(save(**arrays))


@pytest.mark.parametrize("content", [b"", b"nonsense" * 40])
def test_files_that_are_none(tmp_path, content):
    (tmp_path / "x.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"x\.npz"):
        from_archive(tmp_path / "x.npz")
    with pytest.raises(DataError, match="does not exist"):
        from_archive(tmp_path / "none.npz")
