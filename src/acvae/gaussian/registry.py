"""Which strategies can be stored, by the kind that their files name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from acvae._util.plugins import load_plugins
from acvae.exceptions import OptionError, PosteriorError, did_you_mean

__all__ = ["pack_joint", "register", "unpack_joint"]

Arrays = dict[str, npt.NDArray[Any]]

# The package's own, by their names in `acvae.gaussian`, and those that are registered.
_OWN = {
    "forest": "ForestJoint",
    "graph": "GraphJoint",
    "pairwise": "PairwiseMarginals",
    "scales": "ScalesJoint",
}
_REGISTERED: dict[str, type[Any]] = {}


def _class_of(kind: str) -> type[Any] | None:
    """The strategy of that kind, or None if there is none."""
    if kind in _OWN:  # imported when it is met: a file needs the one that it names
        own: type[Any] = getattr(importlib.import_module("acvae.gaussian"), _OWN[kind])
        return own
    return _REGISTERED.get(kind)


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
    known = _class_of(kind)
    if known is not None and known is not cls:
        raise OptionError(f"the kind {kind!r} is {known.__name__}'s already; choose another.")
    _REGISTERED[kind] = cls
    cls.kind = kind


def pack_joint(joint: Any) -> tuple[str, Arrays]:
    """The kind of a strategy and the arrays it is made of."""
    kind = getattr(joint, "kind", None)
    if not isinstance(kind, str) or _class_of(kind) is not type(joint):
        raise OptionError(
            f"posteriors on {type(joint).__name__} cannot be saved: give the class pack() and "
            "unpack(arrays, n, d), and acvae.gaussian.register(kind, cls) it."
        )
    return kind, dict(joint.pack())


def unpack_joint(kind: Any, arrays: Mapping[str, npt.NDArray[Any]], n: int, d: int) -> Any:
    """The strategy of that kind among n vertices in d dimensions; an error if the arrays are none."""
    if kind not in (*_OWN, *_REGISTERED):
        load_plugins()
    cls = _class_of(kind) if isinstance(kind, str) else None
    if cls is None:
        raise PosteriorError(
            f"it is on a joint of the unknown kind {str(kind)[:40]!r}; if that is yours, "
            "acvae.gaussian.register its class first." + did_you_mean(str(kind)[:40], [*_OWN, *_REGISTERED])
        )
    return cls.unpack(arrays, n, d)
