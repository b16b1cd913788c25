import numpy as np
import pytest
import scipy.sparse as sp

from acvae.datasets.missing import check_finite, fill_missing
from acvae.exceptions import FeatureError

NAN = np.nan
GAPS = np.array([[1, NAN, 0], [NAN, NAN, NAN], [3, 5, 0], [2, 7, NAN]])
MEANS = [2, 6, 0]  # of 1, 3, 2; of 5, 7; of 0, 0


def stored(matrix):
    """CSR with NaN stored; a NaN is not zero, so SciPy does it."""
    return sp.csr_array(matrix)


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


@pytest.mark.parametrize("form", [np.asarray, stored])
@pytest.mark.parametrize(
    ("how", "expected", "observed"),
    [
        ("zero", [[1, 0, 0], [0, 0, 0], [3, 5, 0], [2, 7, 0]], None),
        ("mean", [[1, 6, 0], MEANS, [3, 5, 0], [2, 7, 0]], None),
        ("evidence", [[1, 6, 0], [0, 0, 0], [3, 5, 0], [2, 7, 0]], [True, False, True, True]),
    ],
)
def test_filled_as_asked(form, how, expected, observed):
    given = form(GAPS)
    filled, mask = fill_missing(given, how)
    np.testing.assert_array_equal(dense(filled), expected)
    assert (None if mask is None else mask.tolist()) == observed
    np.testing.assert_array_equal(dense(given), GAPS)  # left alone


@pytest.mark.parametrize("form", [np.asarray, stored])
def test_refused_with_place_and_count(form):
    with pytest.raises(FeatureError, match=r"row 0, column 1 is missing \(nan\) \(5 cells in 3 columns"):
        fill_missing(form(GAPS))


@pytest.mark.parametrize("form", [np.asarray, stored])
def test_without_gaps_nothing_is_copied(form):
    given = form(np.array([[1.0, 2], [0, 3]]))
    assert fill_missing(given)[1] is None
    filled, mask = fill_missing(given, "evidence")
    np.testing.assert_array_equal(dense(filled), dense(given))
    assert mask.tolist() == [True, True]
    assert sp.issparse(given) or filled is given


def test_a_column_without_any_value_is_zero():
    assert fill_missing(np.array([[NAN, 1.0], [NAN, 2.0]]), "mean")[0].tolist() == [[0, 1], [0, 2]]


def test_whole_numbers_have_no_gaps():
    assert fill_missing(np.array([[1, 2]]))[0].tolist() == [[1, 2]]


def test_means_are_over_the_rows_that_count():
    table = np.array([[1.0, NAN], [3, 4], [0, 0]])
    for form in (np.asarray, stored):
        assert dense(fill_missing(form(table), "mean", count=2)[0]).tolist() == [[1, 4], [3, 4], [0, 0]]


@pytest.mark.parametrize("form", [np.asarray, stored])
def test_what_is_not_finite_is_refused_with_its_place(form):
    check_finite(form(np.eye(3)), "Do this.")
    check_finite(form(np.eye(3, dtype=bool)), "Do this.")
    with pytest.raises(FeatureError, match=r"row 0, column 1 is missing .* Do this\.$"):
        check_finite(form(GAPS), "Do this.")
    with pytest.raises(FeatureError, match=r"finite, but row 2, column 0 is -inf\.$"):
        check_finite(form(np.array([[0, 1.0], [0, 0], [-np.inf, np.inf]])), "Do this.")
