"""Sparse rows against the dense matrix product, forward and backward."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae.nn.kernels import gather_rows, sparse_dot, sparse_times


def bags(binary: bool) -> tuple[sp.csr_array, tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]]:
    """A matrix with empty rows and columns, and its rows 3, 0, 3, 5 as bags."""
    rng = np.random.default_rng(0)
    dense = rng.integers(1, 5, (7, 6)) * (rng.random((7, 6)) < 0.4)
    dense[5] = 0
    dense[:, 2] = 0
    if binary:
        dense = (dense > 0).astype(int)
    matrix = sp.csr_array(dense.astype(np.float32))
    values = None if binary else torch.from_numpy(matrix.data)
    ids = torch.tensor([3, 0, 3, 5])
    return sp.csr_array(matrix[ids.numpy()]), gather_rows(
        torch.from_numpy(matrix.indptr.astype(np.int64)),
        torch.from_numpy(matrix.indices.astype(np.int64)),
        values,
        ids,
    )


@pytest.mark.parametrize("binary", [True, False])
def test_gather_takes_rows_in_any_order_with_repeats(binary: bool) -> None:
    expected, (columns, offsets, values) = bags(binary)
    np.testing.assert_array_equal(offsets.numpy(), expected.indptr)
    np.testing.assert_array_equal(columns.numpy(), expected.indices)
    assert (values is None) == binary
    if values is not None:
        np.testing.assert_array_equal(values.numpy(), expected.data)


@pytest.mark.parametrize("binary", [True, False])
def test_times_and_its_gradient(binary: bool) -> None:
    expected, rows = bags(binary)
    x = torch.from_numpy(expected.toarray()).double()
    generator = torch.Generator().manual_seed(0)
    weight = torch.randn((6, 5), generator=generator, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(sparse_times(weight, *rows), x @ weight)
    assert torch.autograd.gradcheck(lambda w: sparse_times(w, *rows), (weight,))


@pytest.mark.parametrize("binary", [True, False])
def test_dot_and_its_gradient(binary: bool) -> None:
    expected, rows = bags(binary)
    x = torch.from_numpy(expected.toarray()).double()
    generator = torch.Generator().manual_seed(0)
    table = torch.randn((4, 6), generator=generator, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(sparse_dot(table, *rows), (x * table).sum(1))
    assert torch.autograd.gradcheck(lambda t: sparse_dot(t, *rows), (table,))
