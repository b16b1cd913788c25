"""Data frames of pandas, without importing it: what is one, and the numbers in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from acvae.exceptions import FeatureError

__all__ = ["frame_values", "is_frame"]

NAMED = 5  # columns that an error names


def is_frame(value: Any) -> bool:
    """A data frame of pandas."""
    return hasattr(value, "columns") and hasattr(value, "iloc") and hasattr(value, "index")


def frame_values(frame: Any) -> Any:
    """The numbers (n, D): CSR where all columns are sparse, else an array, which may share its memory.

    Columns may be of different types, as numbers beside the booleans of `get_dummies`, and what is missing in
    them is NaN. Every column that has no numbers is named.
    """
    kinds = list(frame.dtypes)
    bad = [
        f"{column!r} ({kind})"
        for column, kind in zip(frame.columns, kinds, strict=True)
        if getattr(getattr(kind, "subtype", kind), "kind", "O") not in "biuf"
    ]
    if bad:
        others = f" and {len(bad) - NAMED:,} others" if len(bad) > NAMED else ""
        raise FeatureError(
            "features must be real numbers, but these columns are not: "
            f"{', '.join(bad[:NAMED])}{others}. Leave them out, or "
            "make numbers of them, for example by pandas.get_dummies."
        )
    if kinds and all(hasattr(kind, "fill_value") and kind.fill_value == 0 for kind in kinds):
        if len({kind.subtype for kind in kinds}) > 1:
            frame = frame.astype(type(kinds[0])(np.float64, 0.0))
        return sp.csr_array(frame.sparse.to_coo())
    if all(isinstance(kind, np.dtype) for kind in kinds):
        return frame.to_numpy(dtype=np.result_type(*kinds) if kinds else np.float64)
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)
