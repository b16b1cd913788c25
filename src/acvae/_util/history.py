"""The history of a training as it comes back from a file: one row of figures per epoch."""

from __future__ import annotations

from typing import Any

from acvae.exceptions import SavedModelError

__all__ = ["checked_history"]


def checked_history(rows: Any, need: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Rows of a file that may be anything; each must have the whole numbers that are needed.

    The other figures are the callbacks' own affair.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SavedModelError("its history is not one row of figures per epoch.")
    for row in rows:
        for name in need:
            if type(row.get(name)) is not int or row[name] < 0:
                raise SavedModelError(f"its history has a row without {name!r}.")
    return rows
