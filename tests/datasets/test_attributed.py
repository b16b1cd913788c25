"""Attributed graphs with classes: a small file made here, and the real ones where they are at hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.datasets import available, load
from acvae.exceptions import DataError

COUNTS = {  # vertices, edges, features, classes, vertices without an edge
    "acm": (3025, 13128, 1870, 3, 561),
    "amazon-photo": (7650, 119081, 745, 8, 115),
    "dblp": (17716, 52867, 1639, 4, 0),
}


@pytest.mark.usefixtures("private_cache")
@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("folder", ["", "attributed"])
def test_a_small_one(tmp_path, name, folder):
    matrix = sp.csr_array(np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0]], dtype=np.float32))
    (tmp_path / folder).mkdir(exist_ok=True)
    np.savez(
        tmp_path / folder / f"{name}.npz",
        edges=np.array([[0, 1]], dtype=np.int32),
        indptr=matrix.indptr,
        indices=matrix.indices,
        values=matrix.data,
        shape=np.array(matrix.shape),
        labels=np.array([0, 1, 1], dtype=np.int16),
    )
    data = load(name, root=tmp_path)
    assert data.name == name
    assert data.graph.edges.tolist() == [[0, 1]]
    np.testing.assert_array_equal(data.features.toarray(), matrix.toarray())
    assert data.labels.tolist() == [0, 1, 1]
    entry = next(entry for entry in available(tmp_path) if entry.name == name)
    assert entry.here
    vertices, edges, features, classes, _ = COUNTS[name]
    for count in (vertices, edges, features, classes):
        assert f"{count:,}" in entry.what


@pytest.mark.usefixtures("private_cache")
def test_where_to_get_it_is_said_plainly(tmp_path):
    with pytest.raises(DataError, match=r"'acm\.npz' was not found in .* No download of it is known: put it"):
        load("acm", root=tmp_path)
    entry = next(entry for entry in available(tmp_path) if entry.name == "acm")
    assert not entry.here
    assert entry.missing == ("acm.npz",)
    assert "no download known" in entry.origin


@pytest.mark.parametrize("name", COUNTS)
def test_the_real_ones(name, real_data):
    if not (real_data / "attributed" / f"{name}.npz").is_file():
        pytest.skip("no raw files")
    data = load(name, root=real_data)
    vertices, edges, features, classes, alone = COUNTS[name]
    assert data.features.shape == (vertices, features)
    assert data.graph.n_edges == edges
    assert int((data.graph.degrees == 0).sum()) == alone
    assert np.unique(data.labels).tolist() == list(range(classes))
