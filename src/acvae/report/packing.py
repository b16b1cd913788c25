"""Numbers and texts inside a page: typed arrays in base64, JSON that cannot end its script element."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["NOBODY", "correlations", "floats", "ids", "pack", "script_json"]

_KINDS = {"s16": "<i2", "u8": "<u1", "u16": "<u2", "u32": "<u4", "f32": "<f4"}
NOBODY = -1  # in an array of ids: packed as all bits set


def pack(array: npt.NDArray[Any], kind: str) -> dict[str, str]:
    """An array as the script's `unpack` reads it."""
    data = np.ascontiguousarray(array).astype(_KINDS[kind])
    return {"kind": kind, "data": base64.b64encode(data.tobytes()).decode("ascii")}


def floats(array: npt.NDArray[Any]) -> dict[str, str]:
    """Real numbers, four bytes each."""
    return pack(array, "f32")


def correlations(array: npt.NDArray[Any]) -> dict[str, str]:
    """Numbers from −1 to 1 in two bytes each, rounded to 1/32767."""
    return pack(np.rint(np.clip(array, -1, 1) * 32767), "s16")


def ids(array: npt.NDArray[Any], n: int) -> dict[str, str]:
    """Numbers in 0 … n − 1, or NOBODY, in two bytes each where those suffice."""
    kind, bits = ("u16", 0xFFFF) if n < 0xFFFF else ("u32", 0xFFFFFFFF)
    return pack(np.where(array == NOBODY, bits, array), kind)


def script_json(value: Any) -> str:
    """JSON for the inside of a script element: ASCII only, and nothing that HTML would read as a tag."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
