"""Matrix Market files, against SciPy's writer, and those that its reader does not survive."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from acvae.datasets.matrix_market import read_matrix_market

RNG = np.random.default_rng(0)
SPARSE = sp.random_array((7, 5), density=0.4, random_state=RNG)
SQUARE = sp.random_array((6, 6), density=0.4, random_state=RNG)


@pytest.mark.parametrize(
    "matrix",
    [
        SPARSE,
        SPARSE.toarray(),
        sp.coo_array((SPARSE * 10).astype(int)),
        sp.coo_array(SQUARE + SQUARE.T),
        sp.coo_array(SQUARE - SQUARE.T),
        sp.coo_array((3, 2)),
        np.zeros((2, 3)),
    ],
)
def test_what_scipy_writes(matrix, tmp_path):
    scipy.io.mmwrite(tmp_path / "x.mtx", matrix, comment="words\nmore words")
    found = read_matrix_market(tmp_path / "x.mtx")
    assert sp.issparse(found) == sp.issparse(matrix)
    dense = [x.toarray() if sp.issparse(x) else x for x in (found, matrix)]
    np.testing.assert_allclose(*dense, rtol=1e-14)


def test_a_pattern_has_ones(tmp_path):
    scipy.io.mmwrite(tmp_path / "x.mtx", SPARSE, field="pattern")
    np.testing.assert_array_equal(read_matrix_market(tmp_path / "x.mtx").toarray(), SPARSE.toarray() != 0)


HEAD = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "first line"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "which is not read"),
        ("%%MatrixMarket vector coordinate real general\n1 1 1\n", "first line"),
        (HEAD, "its sizes are ''"),
        (HEAD + "2 2\n1 1 1\n", "its sizes are '2 2'"),
        (HEAD + "2 -2 1\n1 1 1\n", "'-2' is not a size"),
        (HEAD + "2 2 " + "9" * 40 + "\n1 1 1\n", "is not a size"),
        (HEAD + "2 2 999999999999\n1 1 1\n", "declares 999,999,999,999 entries and has 1"),
        (HEAD + "999999999999 2 1\n1 1 1\n", "999,999,999,999 rows, nearly all of them empty"),
        (HEAD + "2 2 1\n0 1 1\n", "an entry is at 0, 1, outside"),
        (HEAD + "2 2 1\n1 3 1\n", "an entry is at 1, 3, outside"),
        (HEAD + "2 2 1\n1.5 1 1\n", "an entry is at 1.5, 1, outside"),
        (HEAD + "2 2 1\nnan 1 1\n", "an entry is at nan, 1, outside"),
        (HEAD + "2 2 1\n1 1\n", "2 numbers, not 3"),
        (HEAD + "2 2 2\n1 1 1\n1 2\n", "columns"),
        (HEAD + "2 2 1\n1 1 x\n", "could not convert"),
        (HEAD + "2 2 2\n1 1 1\n\0 2 1\n", "could not convert"),
        (HEAD + "2 2 2\n1 1 1\n2 2 \0\0\0\0\n", "could not convert"),
        (HEAD.replace("coordinate", "array") + "2 2\n1\n2\n3\n", "declares 2 by 2 values and has 3"),
        (HEAD.replace("general", "symmetric") + "2 3 1\n1 2 1\n", "are not symmetric"),
    ],
)
def test_refused(text, match, tmp_path):
    (tmp_path / "x.mtx").write_text(text)
    with pytest.raises(ValueError, match=match):
        read_matrix_market(tmp_path / "x.mtx")
