"""The map from features to evidence, against dense arithmetic."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.exceptions import FeatureError, OptionError, PosteriorError
from acvae.gaussian.evidence import Evidence, _orthonormal, kind_of


def words(n=50, width=20, seed=0):
    rng = np.random.default_rng(seed)
    return sp.csr_array((rng.random((n, width)) < 0.2).astype(np.float32))


def test_all_dimensions_keep_all_products():
    x = words()
    evidence = Evidence.fit(x, 64)
    rows, seen = evidence.project(x)
    dense = x.toarray().astype(np.float64)
    weighted = dense * np.log((1 + 50) / (1 + dense.sum(axis=0)))
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    unit = weighted / np.maximum(length, 1e-12)
    centred = unit - unit[seen].mean(axis=0)
    np.testing.assert_array_equal(seen, length[:, 0] > 0)
    np.testing.assert_allclose(
        (rows @ rows.T)[np.ix_(seen, seen)], (centred @ centred.T)[np.ix_(seen, seen)], atol=1e-12
    )


def test_few_dimensions_are_the_leading_singular_vectors(monkeypatch):
    x = words(300, 40, 1)
    exact = Evidence.fit(x, 5).project(x)[0]
    monkeypatch.setattr("acvae.gaussian.evidence.DENSE_FEATURES", 10)
    iterated = Evidence.fit(x, 5).project(x)[0]
    assert exact.shape == (300, 5)
    # Subspace iteration keeps nearly as much of the variance as the best projection there is.
    assert (iterated**2).sum() > 0.98 * (exact**2).sum()
    assert (iterated**2).sum() <= (exact**2).sum() * (1 + 1e-9)


@pytest.mark.parametrize("rank", [6, 3])
def test_a_basis_is_orthonormal_and_spans_the_columns_of_full_or_lower_rank(rank):
    rng = np.random.default_rng(3)
    x = rng.standard_normal((50, rank)) @ rng.standard_normal((rank, 6)) * [1, 1e-3, 1, 10, 1, 1]
    basis = _orthonormal(x)
    np.testing.assert_allclose(basis.T @ basis, np.eye(6), atol=1e-13)
    np.testing.assert_allclose(basis @ (basis.T @ x), x, atol=1e-11)


def test_real_values_are_standardised():
    x = np.random.default_rng(2).standard_normal((200, 4)) * [1, 10, 0.1, 3] + [0, 5, 1, -2]
    evidence = Evidence.fit(x, 64)
    assert evidence.kind == "real"
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    unit = standard / np.linalg.norm(standard, axis=1, keepdims=True)
    np.testing.assert_allclose(
        evidence.project(x)[0] @ evidence.basis.T, unit - unit.mean(axis=0), atol=1e-12
    )


def test_cosines_of_positions_fall_with_the_distance_between_them():
    x = np.random.default_rng(2).standard_normal((200, 3)) * [1, 10, 0.1] + [0, 5, 1]
    evidence = Evidence.fit(x, 64, position=True)
    assert evidence.kind == "position"
    y = (x - x.mean(axis=0)) / x.std(axis=0)
    q = (y**2).sum(axis=1) / 3
    square = ((y[:, None] - y) ** 2).sum(axis=-1)
    cosine = 1 - 2 * square / (3 * np.outer(1 + q, 1 + q))
    sphere = evidence.project(x)[0] @ evidence.basis.T + evidence.centre
    assert sphere.shape == (200, 4)
    np.testing.assert_allclose(sphere @ sphere.T, cosine, atol=1e-12)
    again = Evidence.unpack("position", evidence.pack())
    np.testing.assert_array_equal(again.project(x)[0], evidence.project(x)[0])
    with pytest.raises(FeatureError, match="3 features"):
        again.project(x[:, :2])


def test_positions_that_are_all_the_same_say_nothing():
    rows, seen = Evidence.fit(np.full((5, 2), -1.5), 8, position=True).project(np.full((5, 2), -1.5))
    assert not seen.any()
    assert not rows.any()


def test_rows_that_say_nothing_are_zero_and_not_seen():
    x = words().toarray()
    x[3] = 0
    rows, seen = Evidence.fit(x, 8).project(x)
    assert not seen[3]
    np.testing.assert_array_equal(rows[3], 0)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([[0, 1], [1, 0]], "binary"),
        ([[0, 3], [0, 0]], "count"),
        ([[0, 0.5], [0, 0]], "frequency"),
        ([[-1, 2], [0.5, 1]], "real"),
    ],
)
def test_kinds(values, kind):
    assert kind_of(sp.csr_array(np.array(values, dtype=float))) == kind


def test_packed_and_unpacked():
    x = words()
    evidence = Evidence.fit(x, 6)
    again = Evidence.unpack(evidence.kind, evidence.pack())
    np.testing.assert_array_equal(again.project(x)[0], evidence.project(x)[0])
    with pytest.raises(FeatureError, match="20 features"):
        again.project(np.ones((2, 3)))


# ---------------------------------------------------------------------- what is there but for rounding


def test_zeros_that_are_stored_are_zeros_and_the_callers_table_stays_as_it_is():
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.3, (60, 30)).astype(float)
    rows, columns = np.indices(dense.shape).reshape(2, -1)
    stored = sp.csr_array((dense.ravel(), (rows, columns)), shape=dense.shape)
    assert stored.nnz == dense.size
    plain, found = (Evidence.fit(table, 8) for table in (sp.csr_array(dense), stored))
    assert plain.kind == found.kind == "count"
    np.testing.assert_allclose(found.project(stored)[0], plain.project(dense)[0], rtol=1e-12, atol=1e-12)
    assert stored.nnz == dense.size


@pytest.mark.parametrize("constant", [7.0, 0.1, 1999.9, -3e12, 1e-20])
def test_a_constant_says_nothing_whatever_its_size(constant):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((50, 3))
    plain = Evidence.fit(x, 3).project(x)[0]
    beside = np.column_stack([x, np.full(50, constant)])
    found = Evidence.fit(beside, 4)
    assert found.scale[3] == 0
    other = beside.copy()
    other[:, 3] += 1e-6
    for rows in (beside, other):
        projected = found.project(rows)[0]
        np.testing.assert_allclose(projected @ projected.T, plain @ plain.T, atol=1e-9)


@pytest.mark.parametrize("unit", [1e-30, 1e-14, 1e9])
@pytest.mark.parametrize("kind", ["real", "frequency"])
def test_units_do_not_matter(unit, kind):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((80, 5)) if kind == "real" else rng.random((80, 5)) * (rng.random((80, 5)) < 0.3)
    one, other = (Evidence.fit(x * scale, 5) for scale in (1.0, unit))
    assert one.kind == other.kind == kind
    (a, seen), (b, seen_too) = one.project(x), other.project(x * unit)
    np.testing.assert_array_equal(seen, seen_too)
    np.testing.assert_allclose(a @ a.T, b @ b.T, atol=1e-9)


def test_one_flag_alone_tells_who_has_it_from_who_has_not():
    flag = (np.arange(40) % 3 == 0).astype(float)[:, None]
    found, seen = Evidence.fit(flag, 4).project(flag)
    assert seen.all()
    cosine = found @ found.T
    same = flag == flag.T
    assert (cosine[same] > 0).all()
    assert (cosine[~same] < 0).all()


def test_rows_that_are_all_the_same_are_zero_and_not_rounding():
    same = np.tile([0.3, 0.1, 0.7], (30, 1)) * (np.arange(30)[:, None] + 1)  # one direction, frequencies
    same = np.concatenate([same, np.zeros((40, 3))])
    found, _ = Evidence.fit(same, 3).project(same)
    assert not found.any()


# ---------------------------------------------------------------------- wide tables of which little is used


def hashed(n=60, width=2**20, seed=4, signed=True):
    """Rows of a wide table that use 30 of its columns, and the same rows of those columns alone."""
    rng = np.random.default_rng(seed)
    narrow = (rng.random((n, 30)) < 0.2) * (
        rng.choice([-0.5, 0.5], (n, 30)) if signed else rng.random((n, 30))
    )
    narrow[0] = 0.25  # each is used
    used = np.sort(rng.choice(width, 30, replace=False))
    some = sp.csr_array(narrow)
    wide = sp.csr_array((some.data, used[some.indices], some.indptr), shape=(n, width))
    return wide, narrow, used


@pytest.mark.parametrize("position", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_columns_that_no_row_uses_cost_nothing(signed, position):
    wide, narrow, used = hashed(signed=signed)
    evidence = Evidence.fit(wide, 16, position=position)
    assert evidence.kind == ("position" if position else "real" if signed else "frequency")
    assert len(evidence.basis) == len(used) + position
    plain = Evidence.fit(sp.csr_array(narrow), 16, position=position)
    (rows, seen), (expected, seen_too) = evidence.project(wide), plain.project(narrow)
    np.testing.assert_array_equal(seen, seen_too)
    np.testing.assert_allclose(rows, expected, atol=1e-12)
    again = Evidence.unpack(evidence.kind, evidence.pack())
    np.testing.assert_array_equal(again.project(wide)[0], rows)
    with pytest.raises(FeatureError, match="1048576 features are expected, got 30"):
        evidence.project(narrow)


def test_a_column_that_was_not_used_lengthens_a_new_row_and_points_nowhere():
    wide, narrow, used = hashed(signed=False)
    evidence = Evidence.fit(wide, 30)
    new = wide[1:2].tolil()
    new[0, np.setdiff1d(np.arange(40), used)[0]] = 0.7
    scale = np.log(61 / (1 + (narrow != 0).sum(axis=0)))
    weighted = narrow[1] * scale
    unit = weighted / np.hypot(np.linalg.norm(weighted), 0.7 * np.log(61))
    expected = (unit - evidence.centre) @ evidence.basis
    np.testing.assert_allclose(evidence.project(new.tocsr())[0][0], expected, atol=1e-12)


def test_narrow_tables_keep_all_columns():
    x = words().toarray()
    x[:, 3:18] = 0
    assert Evidence.fit(x, 8).columns is None
    assert len(Evidence.fit(x, 8).basis) == 20


def test_columns_in_a_file_are_ids_in_growing_order():
    arrays = Evidence.fit(hashed()[0], 4).pack()
    for columns in (arrays["columns"][::-1].copy(), arrays["columns"] + 2**20, arrays["columns"][1:]):
        with pytest.raises(PosteriorError, match="columns"):
            Evidence.unpack("real", {**arrays, "columns": columns})


def test_what_memory_cannot_hold_is_told_before_it_is_taken(monkeypatch):
    monkeypatch.setattr("acvae.gaussian.checks.available_memory", lambda: 10_000_000)
    signed = sp.random_array((3000, 2000), density=0.2, rng=np.random.default_rng(0), format="csr")
    signed.data -= 0.5
    with pytest.raises(OptionError, match=r"3,000 vertices in 2,000 columns.*alternate_sign"):
        Evidence.fit(signed, 16)
    with pytest.raises(OptionError, match="evidence from 2,000 features"):
        Evidence.fit(abs(signed), 200)


@pytest.mark.parametrize("offset", [1e7, 1e9])
def test_a_large_offset_hides_no_spread(offset):
    x = np.random.default_rng(0).standard_normal((60, 4))
    one, two = (
        Evidence.fit(table, 4).project(table)[0] for table in (sp.csr_array(x), sp.csr_array(x + offset))
    )
    np.testing.assert_allclose(two @ two.T, one @ one.T, atol=1e-5)
    assert np.abs(one).max() > 0.1
