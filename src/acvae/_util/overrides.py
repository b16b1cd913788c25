"""Whether a faster or shorter way still stands for what it was written for, after a user's override."""

from typing import Any

__all__ = ["written_beside"]


def written_beside(owner: Any, name: str, original: str) -> bool:
    """Whether the `name` that an object has was written beside its `original`, or after it.

    A subclass, or an instance, that says something else in `original` and nothing in `name` inherits a `name`
    that is no longer true of it.
    """
    for names in (getattr(owner, "__dict__", {}), *map(vars, type(owner).__mro__)):
        if name in names:
            return True
        if original in names:
            return False
    return False
