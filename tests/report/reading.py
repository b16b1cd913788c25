"""The page's data as the script reads them."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import numpy as np

KINDS = {"s16": np.int16, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "f32": np.float32}


def unpack(packed: dict[str, str]) -> np.ndarray:
    found = np.frombuffer(base64.b64decode(packed["data"]), KINDS[packed["kind"]])
    return found / 32767 if packed["kind"] == "s16" else found


def page_data(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def tree_path(parent: np.ndarray, a: int, b: int) -> list[int] | None:
    """As the script finds it: up from both ends until they meet."""
    nobody = np.iinfo(parent.dtype).max
    up, v = [], a
    while v != nobody:
        up.append(v)
        v = int(parent[v])
    down, v = [], b
    while v != nobody and v not in up:
        down.append(v)
        v = int(parent[v])
    return None if v == nobody else [*up[: up.index(v) + 1], *reversed(down)]
