"""A posterior in a file of its own: safetensors with the kind of its joint; no networks, no PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.arrays import read_arrays, write_arrays
from acvae._util.targets import as_target
from acvae._util.version import __version__
from acvae.gaussian.registry import pack_joint, unpack_joint
from acvae.gaussian.stored import Stored

__all__ = ["PosteriorParts", "pack", "read", "unpack", "write"]

Arrays = dict[str, npt.NDArray[Any]]

FORMAT, FORMAT_VERSION = "acvae-posterior", 1
JOINT = "joint."  # before the names of the joint's arrays


class PosteriorParts(NamedTuple):
    """What a posterior is made of."""

    mean: npt.NDArray[Any]
    std: npt.NDArray[Any]
    joint: Any
    original_ids: npt.NDArray[np.int64] | None


def pack(parts: PosteriorParts) -> tuple[Arrays, dict[str, Any]]:
    """Arrays, and what is to be known of them."""
    kind, own = pack_joint(parts.joint)
    arrays = {"mean": parts.mean, "std": parts.std} | {JOINT + name: array for name, array in own.items()}
    if parts.original_ids is not None:
        arrays["original_ids"] = parts.original_ids
    return arrays, {"joint": kind}


def unpack(arrays: Mapping[str, npt.NDArray[Any]], about: Mapping[str, Any]) -> PosteriorParts:
    """Of what `pack` gave, or of anything else, which is an error."""
    stored = Stored(arrays)
    mean = stored.numbers("mean", (None, None))
    std = stored.numbers("std", mean.shape, mean.dtype)
    own = {name.removeprefix(JOINT): array for name, array in arrays.items() if name.startswith(JOINT)}
    joint = unpack_joint(about.get("joint"), own, *mean.shape)
    ids = stored.ids("original_ids", (len(mean),), 1 << 62) if "original_ids" in arrays else None
    return PosteriorParts(mean, std, joint, ids)


def write(path: str | PathLike[str], arrays: Arrays, about: dict[str, Any]) -> None:
    """One file, which appears whole or not at all."""
    target = as_target("path", path)
    write_arrays(target, arrays, about | {"acvae": __version__}, format=FORMAT, version=FORMAT_VERSION)


def read(path: str | PathLike[str]) -> tuple[Arrays, dict[str, Any]]:
    """What `write` wrote."""
    return read_arrays(path, format=FORMAT, version=FORMAT_VERSION, what="saved posterior")
