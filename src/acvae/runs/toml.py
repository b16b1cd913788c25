"""Plain values as TOML: what Python's own reader reads back the same."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["to_toml"]


def to_toml(values: dict[str, Any]) -> str:
    """Plain values as TOML, one line each."""
    return "".join(f"{_key(key)} = {_toml(value)}\n" for key, value in values.items() if value is not None)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml(key)


def _toml(value: Any) -> str:
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return _toml(value.tolist())
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, (bool, str)):  # JSON's texts are TOML's, but for one control character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
