"""Feature matrices: sparse and dense give the same, whatever a user passes in."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae.exceptions import FeatureError
from acvae.nn import as_features
from acvae.nn.features import DenseFeatures, SparseFeatures


def counts(n=9, d=7, seed=0):
    """Counts with empty rows (first, last and one between) and an empty column."""
    rng = np.random.default_rng(seed)
    table = rng.poisson(0.8, (n, d)).astype(np.float64)
    table[[0, n // 2, n - 1]] = 0
    table[:, 2] = 0
    return table


@pytest.fixture(params=["ones", "counts"])
def table(request):
    full = counts()
    return (full > 0).astype(np.float64) if request.param == "ones" else full


class TestRows:
    ids = torch.tensor([3, 0, 8, 3, 5, 4])  # repeated and empty rows among them

    def both(self, table, ids):
        return SparseFeatures(sp.csr_array(table)).rows(ids), DenseFeatures(table).rows(ids)

    def expected(self, table, ids):
        return torch.from_numpy(table).float()[slice(None) if ids is None else ids]

    @pytest.mark.parametrize("ids", [None, ids, torch.tensor([4]), torch.empty(0, dtype=torch.int64)])
    def test_times_is_a_matrix_product_with_its_gradient(self, table, ids):
        weight = torch.randn((7, 5), generator=torch.Generator().manual_seed(0))
        x = self.expected(table, ids)
        upstream = torch.randn((len(x), 5), generator=torch.Generator().manual_seed(1))
        for rows in self.both(table, ids):
            w = weight.clone().requires_grad_()
            out = rows.times(w)
            torch.testing.assert_close(out, x @ weight, rtol=1e-5, atol=1e-5)
            out.backward(upstream)
            torch.testing.assert_close(w.grad, x.T @ upstream, rtol=1e-5, atol=1e-5)

    @pytest.mark.parametrize("ids", [None, ids, torch.tensor([0])])
    def test_dot_is_a_row_by_row_product_with_its_gradient(self, table, ids):
        x = self.expected(table, ids)
        t = torch.randn(x.shape, generator=torch.Generator().manual_seed(2))
        upstream = torch.arange(1.0, len(x) + 1)
        for rows in self.both(table, ids):
            leaf = t.clone().requires_grad_()
            out = rows.dot(leaf)
            torch.testing.assert_close(out, (x * t).sum(-1), rtol=1e-5, atol=1e-5)
            out.backward(upstream)
            torch.testing.assert_close(leaf.grad, x * upstream[:, None], rtol=1e-5, atol=1e-5)

    @pytest.mark.parametrize("ids", [None, ids])
    def test_sums_of_values_and_of_functions_of_them(self, table, ids):
        x = self.expected(table, ids)
        for rows in self.both(table, ids):
            torch.testing.assert_close(rows.sum().float(), x.sum(-1))
            got = rows.sum(lambda v: torch.lgamma(v + 1)).float()
            torch.testing.assert_close(got, torch.lgamma(x + 1).sum(-1))

    def test_double_precision_weights_give_double_precision(self, table):
        weight = torch.randn((7, 5), dtype=torch.float64)
        for rows in self.both(table, self.ids):
            assert rows.times(weight).dtype == torch.float64
            assert rows.dot(torch.zeros((6, 7), dtype=torch.float64)).dtype == torch.float64


class TestAsFeatures:
    @pytest.mark.parametrize(
        "convert",
        [
            sp.csr_array,
            sp.csr_matrix,
            sp.csc_array,
            sp.coo_array,
            np.asarray,
            np.asfortranarray,
            lambda x: x.tolist(),
            lambda x: x.astype(np.int64),
            lambda x: x.astype(np.uint8),
            lambda x: x.astype(np.float16),
            torch.from_numpy,
            lambda x: torch.from_numpy(x).requires_grad_(),
            lambda x: torch.from_numpy(x).bfloat16(),
            lambda x: torch.from_numpy(x).to_sparse_coo(),
            lambda x: sp.csr_array(x.astype(np.int32)),
        ],
    )
    def test_every_way_in_means_the_same_matrix(self, convert):
        table = counts()
        features = as_features(convert(table))
        assert (features.n_rows, features.n_columns) == table.shape
        got = features.rows().times(torch.eye(7))
        np.testing.assert_array_equal(got.numpy(), table)

    def test_booleans_are_zeros_and_ones(self):
        table = counts() > 0
        for given in (table, sp.csr_array(table)):
            np.testing.assert_array_equal(as_features(given).rows().times(torch.eye(7)).numpy(), table)

    def test_data_frame(self):
        pandas = pytest.importorskip("pandas")
        table = counts()
        got = as_features(pandas.DataFrame(table)).rows().times(torch.eye(7))
        np.testing.assert_array_equal(got.numpy(), table)

    def test_duplicate_entries_add_up_and_explicit_zeros_vanish(self):
        matrix = sp.coo_array(([1.0, 2.0, 0.0, 4.0], ([0, 0, 1, 1], [1, 1, 0, 2])), shape=(2, 3))
        features = as_features(matrix)
        np.testing.assert_array_equal(features.rows().times(torch.eye(3)).numpy(), [[0, 3, 0], [0, 0, 4]])
        assert sorted(features.values().tolist()) == [3, 4]

    def test_a_messy_sparse_matrix_is_left_as_it_was(self):
        # Unsorted columns, a duplicate and an explicit zero: cleaning must happen on a copy.
        data, indices = np.array([1.0, 2.0, 0.0, 5.0]), np.array([2, 2, 0, 1], dtype=np.int32)
        indptr = np.array([0, 3, 4], dtype=np.int32)
        matrix = sp.csr_array((data, indices, indptr), shape=(2, 3))
        before = [a.copy() for a in (matrix.data, matrix.indices, matrix.indptr)]
        as_features(matrix)
        for a, b in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
            np.testing.assert_array_equal(a, b)

    def test_sparse_tensors_stay_sparse(self):
        big = torch.sparse_coo_tensor(
            [[0, 5], [3, 999_999]], [1.0, 2.0], (1_000_000, 1_000_000), check_invariants=True
        )
        features = as_features(big)  # dense, this would be four terabytes
        assert (features.n_rows, features.n_columns) == (1_000_000, 1_000_000)
        assert features.values().tolist() == [1, 2]

    def test_read_only_arrays_are_fine(self):
        table = np.arange(6, dtype=np.float32).reshape(2, 3)
        table.flags.writeable = False
        np.testing.assert_array_equal(as_features(table).rows().times(torch.eye(3)).numpy(), table)

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, torch.from_numpy])
    def test_values_that_are_not_finite_are_named_with_their_place(self, bad, convert):
        table = counts()
        table[3, 5] = bad
        with pytest.raises(FeatureError, match=f"row 3, column 5 is {bad}"):
            as_features(convert(table))

    @pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
    def test_numbers_too_large_for_single_precision_are_refused(self, convert):
        table = counts()
        table[3, 5] = 1e300
        with pytest.raises(FeatureError, match="row 3, column 5"):
            as_features(convert(table))

    @pytest.mark.parametrize(
        "bad",
        [
            np.zeros(4),
            np.zeros((2, 3, 4)),
            np.array([["a", "b"]]),
            np.zeros((2, 2), dtype=complex),
            sp.csr_array(np.eye(2, dtype=complex)),
            sp.coo_array(np.array([1.0, 0.0, 2.0])),
            np.array([[None, 1]]),
            "features.csv",
            None,
        ],
        ids=[
            "vector",
            "cube",
            "text",
            "complex",
            "sparse-complex",
            "sparse-vector",
            "objects",
            "path",
            "none",
        ],
    )
    def test_what_is_not_a_matrix_of_real_numbers_is_refused(self, bad):
        with pytest.raises(FeatureError, match="features must be"):
            as_features(bad)
