"""Odd values, and how they get into arrays and JSON."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np

__all__ = ["odd_json", "odd_text", "spoil_array", "spoil_json"]

HUGE = (2**31, 2**31 - 1, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 10**30, 10**400, 10**9, 10**12)
SHALLOW: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 7, 0.5, -0.0, 1e308, 1e-308, float("nan"), float("inf"), "", "x", [], {}),
    *([[]], ["x"], {"x": 1}, "\ud800", "\0", "../../etc/passwd", "1" * 5000, [1] * 1000),
)


def odd_json(rng: random.Random) -> Any:
    if rng.random() < 0.3:
        return rng.choice((1, 1, -1)) * rng.choice(HUGE)
    if rng.random() < 0.1:
        value: Any = 1
        for _ in range(rng.choice((40, 100))):
            value = [value]
        return value
    return rng.choice(SHALLOW)


def odd_text(rng: random.Random) -> str:
    """A cell of a table or a word of a settings file."""
    fixed = ("", "nan", "inf", "-inf", "1e999", "-1", "0", "NULL", '"', "'", "\0", "\t", "é", "x" * 5000)
    more = ("1e308", "9" * 400, "0x10", "1_000", "١", "--1", "1,5", "=1+1", "\u2028", "[[[[", "{{", "#")
    return rng.choice((*fixed, *more, str(rng.choice(HUGE))))


def spoil_json(value: Any, rng: random.Random) -> Any:
    """Another value at one place, a name dropped, a name more, or a list of another length."""
    out = copy.deepcopy(value)
    at: Any = out
    while True:
        inner = [k for k in _keys(at) if isinstance(at[k], (dict, list)) and at[k]]
        if not inner or rng.random() < 0.3:
            break
        at = at[rng.choice(inner)]
    keys = _keys(at)
    what = rng.random()
    if not keys or what < 0.1:
        return odd_json(rng)
    key = rng.choice(keys)
    if what < 0.25:
        del at[key]
    elif what < 0.3 and isinstance(at, list):
        at.append(at[key])
    elif what < 0.35 and isinstance(at, dict):
        at[rng.choice(("x", "__proto__", "__class__", "about"))] = at[key]
    else:
        at[key] = odd_json(rng)
    return out


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, list) else []


def spoil_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    """Other entries, another shape or another type."""
    return rng.choice((_entry, _entry, _all_entries, _shape, _length, _kind))(array, rng)


def _entry(array: np.ndarray, rng: random.Random) -> np.ndarray:
    out = array.copy()
    if out.size and out.dtype.kind in "iufb":
        flat = out.reshape(-1)
        for _ in range(rng.choice((1, 1, 3))):
            with np.errstate(all="ignore"):
                flat[rng.randrange(flat.size)] = _odd_number(out.dtype, rng)
    return out


def _all_entries(array: np.ndarray, rng: random.Random) -> np.ndarray:
    if array.dtype.kind not in "iufb":
        return array
    return np.full_like(array, _odd_number(array.dtype, rng))


def _odd_number(kind: np.dtype, rng: random.Random) -> Any:
    if kind.kind == "f":
        return rng.choice((float("nan"), float("inf"), -float("inf"), -1.0, 0.0, 1.0, 2.0, 1e-30, 1e30))
    if kind.kind == "b":
        return rng.random() < 0.5
    limits = np.iinfo(kind)
    small = (0, 1, 2, 7, 100)
    return rng.choice((limits.min, limits.max, limits.max - 1, *small, *((-1,) if limits.min else ())))


def _shape(array: np.ndarray, rng: random.Random) -> np.ndarray:
    ways = [array.reshape(-1), array[None], array[..., None], array.T, array.reshape(array.shape[::-1])]
    return np.ascontiguousarray(rng.choice(ways))


def _length(array: np.ndarray, rng: random.Random) -> np.ndarray:
    if not array.ndim:
        return np.stack([array, array])
    axis = rng.randrange(array.ndim)
    parts = [array[tuple(slice(None) if k != axis else s for k in range(array.ndim))] for s in
             (slice(0, -1), slice(1, None), slice(0, 0))]  # fmt: skip
    return rng.choice([*parts, np.concatenate([array, array], axis=axis)])


def _kind(array: np.ndarray, rng: random.Random) -> np.ndarray:
    if array.dtype.kind not in "iufb":
        return array
    with np.errstate(all="ignore"):
        return array.astype(rng.choice(("f2", "f4", "f8", "i1", "i4", "i8", "u1", "u8", "?")))
