"""Short products against NumPy's, for every remainder of rows, factors and columns."""

import numpy as np
import pytest

from acvae.gaussian.forest import short_products as module
from acvae.gaussian.forest.short_products import aligned_table, short_products


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 17, module.WIDTH, module.WIDTH + 1, 2 * module.WIDTH + 5])
@pytest.mark.parametrize("factors", [1, 3, 4, 5, 8, 12, 13, 20, 64])
@pytest.mark.parametrize("m", [1, 2, 3, 7])
def test_against_numpy(m, factors, n, dtype):
    rng = np.random.default_rng(m + 10 * factors + n)
    left, right = rng.normal(size=(m, factors)), rng.normal(size=(factors, n))
    own, norm = rng.uniform(0, 3, m), rng.uniform(0, 3, n)
    exact = np.maximum(own[:, None] + norm + left @ right, 0)
    target = rng.permutation(m + 2)[:m]
    out = np.full((m + 2, n), np.nan, dtype=dtype)
    table = aligned_table([right[:1].astype(dtype), right[1:].astype(dtype)])
    padded = np.zeros((m, len(table)), dtype=dtype)
    padded[:, :factors] = left
    short_products(padded, table, own.astype(dtype), norm.astype(dtype), target, out)
    largest = own.max() + norm.max() + (np.abs(left) @ np.abs(right)).max()
    assert np.abs(out[target] - exact).max() <= (factors + 4) * largest * np.finfo(dtype).eps
    assert (out[target] >= 0).all()
    others = np.setdiff1d(np.arange(m + 2), target)
    assert np.isnan(out[others]).all()  # no other row is touched


def test_a_row_has_the_same_bits_in_any_company():
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(9, 20)).astype(np.float32), rng.normal(size=(20, 2500)).astype(np.float32)
    own, norm, table = np.ones(9, np.float32), np.ones(2500, np.float32), aligned_table([right])
    together, alone = np.empty((2, 9, 2500), dtype=np.float32)
    short_products(left, table, own, norm, np.arange(9), together)
    for r in range(9):
        short_products(left[r : r + 1], table, own[r : r + 1], norm, np.array([r]), alone)
    assert np.array_equal(together, alone)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 15, 16, 33])
def test_rows_of_a_table_begin_in_lines_of_the_cache(n, dtype):
    parts = [np.ones((3, n), dtype=dtype), np.full((2, n), 2, dtype=dtype)]
    table = aligned_table(parts)
    assert table.dtype == dtype
    assert table.flags.c_contiguous
    assert len(table) == 8
    assert all(row.ctypes.data % module.LINE == 0 for row in table)
    assert np.array_equal(table[:5, :n], np.concatenate(parts))
    assert not table[5:].any()
    assert not table[:, n:].any()
