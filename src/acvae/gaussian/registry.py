"""Which strategies can be stored, by the kind that their files name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from acvae.exceptions import OptionError, PosteriorError, did_you_mean

__all__ = ["pack_joint", "register", "unpack_joint"]

Arrays = dict[str, npt.NDArray[Any]]

_KINDS: dict[str, type[Any]] = {}


def register(kind: str, cls: type[Any]) -> None:
    """Let posteriors on a strategy of this class be saved and loaded.

    The class needs `pack() -> dict of arrays` and a class method `unpack(arrays, n, d)`, which is given what
    a file holds, of n vertices in d dimensions, and has to check it. `kind` is set on the class.
    """
    if not isinstance(kind, str) or not kind.replace("-", "").isidentifier():
        raise OptionError(f"a kind is a short word such as 'forest', not {kind!r}.")
    if not isinstance(cls, type) or not (hasattr(cls, "pack") and hasattr(cls, "unpack")):
        raise OptionError(
            f"only a class with pack() and unpack(arrays, n, d) can be registered, not {cls!r}."
        )
    if _KINDS.get(kind, cls) is not cls:
        raise OptionError(f"the kind {kind!r} is {_KINDS[kind].__name__}'s already; choose another.")
    _KINDS[kind] = cls
    cls.kind = kind


def pack_joint(joint: Any) -> tuple[str, Arrays]:
    """The kind of a strategy and the arrays it is made of."""
    kind = getattr(joint, "kind", None)
    if not isinstance(kind, str) or _KINDS.get(kind) is not type(joint):
        raise OptionError(
            f"posteriors on {type(joint).__name__} cannot be saved: give the class pack() and "
            "unpack(arrays, n, d), and acvae.gaussian.register(kind, cls) it."
        )
    return kind, dict(joint.pack())


def unpack_joint(kind: Any, arrays: Mapping[str, npt.NDArray[Any]], n: int, d: int) -> Any:
    """The strategy of that kind among n vertices in d dimensions; an error if the arrays are none."""
    if not isinstance(kind, str) or kind not in _KINDS:
        raise PosteriorError(
            f"it is on a joint of the unknown kind {str(kind)[:40]!r}; if that is yours, "
            "acvae.gaussian.register its class first." + did_you_mean(str(kind)[:40], _KINDS)
        )
    return _KINDS[kind].unpack(arrays, n, d)
