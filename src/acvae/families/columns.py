"""A table by its columns: how much each varies, without cancellation, and deviations where numbers are large.

Of values such as 10⁹ + 10⁻⁴·noise, E[x²] − E[x]² is rounding alone. Deviations from a level near the mean are
not, so variances are of those, and a column that is far from zero for its spread is worked with as such.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["Columns", "by_columns"]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

ROUNDING = 16  # times the relative precision of the values: a spread of no more is not a spread
FAR = 100  # spreads between zero and the mean from which on deviations are worked with


class Columns(NamedTuple):
    """Of a table (n, D): x = level + table, both exact enough.

    Attributes
    ----------
    table
        (n, D) deviations from the level, sparse if x is; x itself where all levels are zero.
    level, mean, variance
        (D,) what was taken off, the mean of the deviations, and their variance. What does not vary has none.
    varies
        (D,) whether a column's spread is more than rounding.
    """

    table: Any
    level: FloatArray
    mean: FloatArray
    variance: FloatArray
    varies: BoolArray


def by_columns(features: Any) -> Columns:
    """The columns of x (n, D), dense or CSR; x is not changed."""
    first = _means(features)
    deviation, variance = _moments(features, first)
    kind = features.dtype
    precision = np.finfo(kind if kind.kind == "f" else np.float64).eps
    varies = np.sqrt(variance) > ROUNDING * precision * np.abs(first)
    far = np.abs(first) > FAR * np.sqrt(variance)
    level = np.where(varies, np.where(far, first, 0.0), first + deviation)
    return Columns(
        _shifted(features, level, varies) if level.any() else features,
        level,
        np.where(varies, np.where(far, deviation, first), 0.0),
        np.where(varies, variance, 0.0),
        varies,
    )


def _means(features: Any) -> FloatArray:
    n, width = features.shape
    if sp.issparse(features):  # whose own sums are in single precision, where the values are
        return np.bincount(features.indices, features.data, width).astype(np.float64) / max(1, n)
    return np.asarray(features.sum(axis=0, dtype=np.float64) / max(1, n))


def _moments(features: Any, about: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(D,) mean of x − about, and the variance."""
    n, width = features.shape
    count = max(1, n)
    if sp.issparse(features):
        away = features.data - about[features.indices]
        stored = np.bincount(features.indices, minlength=width)
        sums = np.bincount(features.indices, away, width) - (n - stored) * about
        squares = np.bincount(features.indices, away**2, width) + (n - stored) * about**2
    else:
        away = features - about
        sums, squares = away.sum(axis=0), np.einsum("nd,nd->d", away, away)
    mean = sums / count
    return mean, np.maximum(squares / count - mean**2, 0)


def _shifted(features: Any, level: FloatArray, varies: BoolArray) -> Any:
    """Deviations from the level, zero where there are none to speak of."""
    if not sp.issparse(features):
        return (features - level) * varies
    at = np.flatnonzero((level != 0) & varies)  # columns of numbers far from zero: nearly all are stored
    dense = features[:, at].toarray() - level[at]
    rows, columns = np.indices(dense.shape)
    moved = sp.csr_array((dense.ravel(), (rows.ravel(), at[columns.ravel()])), shape=features.shape)
    others = features @ sp.diags_array(((level == 0) & varies).astype(np.float64))
    return sp.csr_array(others + moved)
