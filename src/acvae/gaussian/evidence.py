"""What features say about a vertex before its neighbours are asked: a point in d dimensions.

Features are weighted by how telling they are, rows scaled to unit length, the mean row taken off, and what is
left is projected on its leading singular vectors. With no more features than dimensions nothing is lost. Of
very many rows, a sample tells the singular vectors. Of a wide table of which few columns are used, as hashing
makes them, there are singular vectors of the used columns only: those of the others are zero.

    binaries, frequencies:  x·idf,  idf = log((1 + n)/(1 + df))
    counts:                 log(1 + x)·idf
    real values:            y = (x − mean)/std
    positions:              (2·y/√D, q − 1)/(q + 1),  q = |y|²/D

df is the number of vertices that have the feature. Frequencies are real numbers of which none is negative
and most are zero. Of real values the direction counts, as of the others. As a position they lie on a sphere
whose equator is where |y|² is its mean, D (the inverse of the stereographic projection): of unit length
without having lost theirs, so that the cosine of two falls with the distance between them,

    1 − 2·|y − y′|²/(D·(1 + q)·(1 + q′)).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import solve_triangular

from acvae.exceptions import FeatureError, PosteriorError
from acvae.gaussian.checks import check_memory
from acvae.gaussian.stored import Stored

__all__ = ["REAL", "Evidence", "kind_of"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

KINDS = ("binary", "count", "frequency", "real", "position")
REAL = ("real", "position")  # what a table of real values may be taken as
DENSE_FEATURES = 400  # up to which all singular vectors are computed
SAMPLED = 100_000  # rows that singular vectors are computed from, if there are more
FLAT = 1e-11  # spread of a feature, relative to its largest value, below which it is the same for all
NOTHING = 1e-7  # length of a row of real values, in spreads, that is the mean row but for rounding
FULL_RANK = 1e-6  # least ratio of the pivots of a basis that Cholesky's way is taken for
WIDE = 10_000  # columns from which on those that no row uses are left out, if they are more than half
DENSE_COPIES, BASIS_COPIES = 4, 4  # of a table, and of a basis, that are held at a time


def kind_of(features: sp.csr_array) -> str:
    """ "binary", "count", "frequency" (sparse, not negative, such as tf-idf) or "real", as one alone is."""
    values = features.data
    if len(values) and features.shape[1] == 1:  # whoever has it would have the same direction
        return "real"
    if len(values) == 0 or (np.isin(values, (0, 1))).all():
        return "binary"
    if values.min() < 0 or features.nnz > 0.5 * features.shape[0] * features.shape[1]:
        return "real"
    return "count" if (values == np.round(values)).all() else "frequency"


@dataclass(frozen=True)
class Evidence:
    """A map from feature rows to evidence, fitted to the rows that have features.

    Attributes
    ----------
    kind
        What the features were taken to be: `kind_of`, or "position".
    shift, scale
        (D,) taken off, and multiplied by, each feature.
    centre
        (D,) mean of the rows after that, each of unit length; (D + 1,) of positions.
    basis
        (D, d), or (D + 1, d), orthonormal columns.
    columns
        Which features (C,) the centre and the basis are of, in growing order, C in place of D; None for all.
    """

    kind: str
    shift: FloatArray
    scale: FloatArray
    centre: FloatArray
    basis: FloatArray
    columns: IntArray | None = None

    @classmethod
    def fit(
        cls,
        features: Any,
        dimensions: int,
        observed: BoolArray | None = None,
        seed: int = 0,
        *,
        position: bool = False,
    ) -> Evidence:
        """The map for features (n, D), of whose rows only those `observed` (n,) count.

        With `position`, where real values lie counts, and not their direction only.
        """
        table = _table(features)
        if observed is not None:
            table = table[np.flatnonzero(observed)]
        n, width = table.shape
        kind = "position" if position else kind_of(table)
        columns = _used_columns(table)
        shift, scale = np.zeros(width), np.ones(width)
        if kind in REAL:
            shift, scale = _standard(table, columns)
        else:
            having = np.bincount(table.indices, minlength=width)
            scale = np.log((1 + n) / (1 + having))
        blank = np.zeros((width, 0))
        rows, some = _unit_rows(table, cls(kind, shift, scale, np.zeros(width), blank, columns))
        centre = np.asarray(rows.sum(axis=0)).ravel() / max(1, some.sum())
        basis = _leading(rows, centre, int(some.sum()), min(dimensions, len(centre)), seed)
        return cls(kind, shift, scale, centre, basis, columns)

    @property
    def dimensions(self) -> int:
        """Of the evidence."""
        return self.basis.shape[1]

    def project(self, features: Any) -> tuple[FloatArray, BoolArray]:
        """Evidence (n, d) of rows (n, D), and which rows (n,) say anything at all; others are zero."""
        table = _table(features)
        if table.shape[1] != len(self.scale):
            raise FeatureError(f"{len(self.scale)} features are expected, got {table.shape[1]}.")
        rows, some = _unit_rows(table, self)
        out = np.asarray(rows @ self.basis) - self.centre @ self.basis
        out[~some | (np.linalg.norm(out, axis=1) < NOTHING)] = 0  # or it is the mean row, but for rounding
        return np.ascontiguousarray(out), some

    def pack(self) -> dict[str, npt.NDArray[Any]]:
        """Arrays to save."""
        out: dict[str, npt.NDArray[Any]] = {
            "shift": self.shift,
            "scale": self.scale,
            "centre": self.centre,
            "basis": self.basis,
        }
        return out if self.columns is None else {**out, "columns": self.columns}

    @classmethod
    def unpack(cls, kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Evidence:
        """Of a kind and arrays that may be anything."""
        if kind not in KINDS:
            raise PosteriorError(f"its features are of the unknown kind {str(kind)[:40]!r}.")
        stored, double = Stored(arrays), np.float64
        basis = stored.numbers("basis", (None, None), double)
        some = len(basis) - (kind == "position")
        chosen = "columns" in arrays
        shift = stored.numbers("shift", (None if chosen else some,), double)
        scale = stored.numbers("scale", shift.shape, double)
        centre = stored.numbers("centre", (len(basis),), double)
        columns = stored.ids("columns", (some,), len(scale)) if chosen else None
        if columns is not None and (np.diff(columns) <= 0).any():
            raise PosteriorError("the columns of its features are not in growing order.")
        if not (scale >= 0).all():
            raise PosteriorError("the scales of its features are negative.")
        return cls(kind, shift, scale, centre, basis, columns)


def _table(features: Any) -> sp.csr_array:
    if sp.issparse(features):
        table = sp.csr_array(features, dtype=np.float64)
    else:
        table = sp.csr_array(np.asarray(features, dtype=np.float64))
    if not table.has_canonical_format or not table.data.all():
        table = table.copy()  # the caller's own stays as it is
        table.sum_duplicates()
        table.eliminate_zeros()
    if not np.isfinite(table.data).all():
        entry = int(np.flatnonzero(~np.isfinite(table.data))[0])
        row = int(np.searchsorted(table.indptr, entry, side="right")) - 1
        raise FeatureError(
            f"features must be finite, but row {row}, column {table.indices[entry]} is {table.data[entry]}; "
            "use observed= for vertices that have none."
        )
    if abs(table.data).max(initial=0) > np.finfo(np.float32).max:
        raise FeatureError("features must be finite in single precision.")
    return table


def _used_columns(table: sp.csr_array) -> IntArray | None:
    """Those that any row uses, where a wide table has few of them; None for all."""
    width = table.shape[1]
    used = np.unique(table.indices).astype(np.int64) if width > WIDE else None
    return used if used is not None and 0 < 2 * len(used) < width else None


def _of_columns(table: sp.csr_array, columns: IntArray | None) -> sp.csr_array:
    return table if columns is None else table[:, columns]


def _dense(table: sp.csr_array) -> FloatArray:
    """The table with its zeros, if there is room for what is computed from it."""
    n, width = table.shape
    check_memory(
        f"real-valued features of {n:,} vertices in {width:,} columns, none of them zero without their mean,",
        8 * DENSE_COPIES * n * width,
        "give fewer columns, or features of which none is negative (HashingVectorizer: alternate_sign=False)",
    )
    return np.asarray(table.toarray())


def _standard(table: sp.csr_array, columns: IntArray | None) -> tuple[FloatArray, FloatArray]:
    """Mean (D,) and 1/std (D,) of every column; 0 and 0 of those that are left out."""
    n, width = table.shape
    dense = _dense(_of_columns(table, columns))
    mean, std = (dense.mean(axis=0), dense.std(axis=0)) if n else (np.zeros(width), np.ones(width))
    varies = std > np.maximum(FLAT * np.abs(dense).max(axis=0, initial=0), np.finfo(np.float32).tiny)
    scale = np.where(varies, 1 / np.where(varies, std, 1.0), 0.0)
    if columns is None:
        return mean, scale
    out = np.zeros((2, width))
    out[:, columns] = mean, scale
    return out[0], out[1]


def _unit_rows(table: sp.csr_array, of: Evidence) -> tuple[Any, BoolArray]:
    """Weighted rows of unit length, of the columns that count, and which rows (n,) had any."""
    if of.kind in REAL:
        shift, scale = (x if of.columns is None else x[of.columns] for x in (of.shift, of.scale))
        dense = (_dense(_of_columns(table, of.columns)) - shift) * scale
        if of.kind == "position":
            return _on_sphere(dense, int((of.scale > 0).sum()))
        lengths = np.linalg.norm(dense, axis=1)
        some = lengths > NOTHING
        return dense * np.where(some, 1 / np.where(some, lengths, 1.0), 0.0)[:, None], some
    weighted = (
        sp.csr_array(table @ sp.diags_array(of.scale)) if of.kind != "count" else _log_counts(table, of)
    )
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    some = lengths > 0
    unit = sp.csr_array(sp.diags_array(np.where(some, 1 / np.where(some, lengths, 1.0), 0.0)) @ weighted)
    return _of_columns(unit, of.columns), some


def _on_sphere(y: FloatArray, width: int) -> tuple[FloatArray, BoolArray]:
    """Positions (n, D + 1), and which say anything: all, if anything tells them apart."""
    q = (y * y).sum(axis=1, keepdims=True) / max(width, 1)
    sphere = np.concatenate([2 * y / np.sqrt(max(width, 1)), q - 1], axis=1) / (q + 1)
    return sphere, np.full(len(y), width > 0)


def _log_counts(table: sp.csr_array, of: Evidence) -> sp.csr_array:
    out = table.copy()
    out.data = np.log1p(out.data)
    return sp.csr_array(out @ sp.diags_array(of.scale))


def _leading(rows: Any, centre: FloatArray, count: int, dimensions: int, seed: int) -> FloatArray:
    """(D, d) leading right singular vectors of the rows with their centre taken off, signs fixed."""
    width = len(centre)
    if width == 0 or dimensions == 0:
        return np.zeros((width, dimensions))
    if width <= DENSE_FEATURES:
        moments = rows.T @ rows
        moments = np.asarray(moments.toarray() if sp.issparse(moments) else moments)
        moments = moments - count * np.outer(centre, centre)
        basis = np.linalg.eigh(moments)[1][:, ::-1][:, :dimensions]
    else:
        if rows.shape[0] > SAMPLED:
            chosen = np.sort(np.random.default_rng(seed).choice(rows.shape[0], SAMPLED, replace=False))
            rows = rows[chosen]
        basis = _randomised(rows, centre, dimensions, seed)
    largest = np.abs(basis).argmax(axis=0)
    return np.ascontiguousarray(basis * np.where(basis[largest, np.arange(basis.shape[1])] < 0, -1.0, 1.0))


def _randomised(rows: Any, centre: FloatArray, dimensions: int, seed: int) -> FloatArray:
    """Subspace iteration from a random start (Halko, Martinsson and Tropp, 2011)."""
    rng = np.random.default_rng(seed)
    some = np.asarray((rows.multiply(rows) if sp.issparse(rows) else rows**2).sum(axis=1)).ravel() > 0
    check_memory(
        f"evidence from {len(centre):,} features",
        8 * BASIS_COPIES * len(centre) * (dimensions + 16),
        "give fewer features",
    )
    guess = rng.standard_normal((len(centre), dimensions + 16))
    for _ in range(6):
        guess = _orthonormal(guess)
        image = rows @ guess - some[:, None] * (centre @ guess)
        guess = rows.T @ image - np.outer(centre, some @ image)
    guess = _orthonormal(guess)
    image = rows @ guess - some[:, None] * (centre @ guess)
    turn = np.linalg.eigh(image.T @ image)[1]
    return np.asarray(guess @ turn[:, ::-1][:, :dimensions])


def _orthonormal(x: FloatArray) -> FloatArray:
    """(D, d) a basis of the columns of x, by Cholesky factors of xᵀ·x, twice, for all rounding to be gone.

    Many times faster than Householder's way on tall matrices, which is taken where x is close to lower rank.
    """
    out = x
    for _ in range(2):
        gram = out.T @ out
        try:
            lower = np.linalg.cholesky(gram)
        except np.linalg.LinAlgError:
            return np.asarray(np.linalg.qr(x)[0])
        pivots = lower.diagonal()
        if pivots.min() < FULL_RANK * pivots.max():
            return np.asarray(np.linalg.qr(x)[0])
        out = solve_triangular(lower, out.T, lower=True).T
    return np.ascontiguousarray(out)
