"""The history of a training as it comes back from a file: one row of figures per epoch."""

from __future__ import annotations

from typing import Any

from acvae.exceptions import SavedModelError

__all__ = ["checked_history"]


def checked_history(rows: Any, need: tuple[str, ...] = ()) -> list[dict[str, float]]:
    """Rows of a file that may be anything; each must have the figures that are needed."""
    whole = isinstance(rows, list) and all(
        isinstance(row, dict) and all(_is_figure(value) for value in row.values()) for row in rows
    )
    if not whole or any(name not in row for row in rows for name in need):
        raise SavedModelError("its history is not one row of figures per epoch.")
    checked: list[dict[str, float]] = rows
    return checked


def _is_figure(value: Any) -> bool:
    return value is None or isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 63)
