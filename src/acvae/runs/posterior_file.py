"""posterior.safetensors: the joint of a run, read without its networks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from acvae._util.arrays import read_arrays, write_arrays
from acvae.exceptions import SavedModelError
from acvae.gaussian import GraphJoint, PairwiseMarginals
from acvae.gaussian.posterior import Posterior

__all__ = ["read_posterior", "write_posterior"]

FORMAT, VERSION = "acvae-posterior", 1


def write_posterior(path: Path, posterior: Posterior) -> None:
    """The file appears whole or not at all."""
    own: Any = posterior
    if hasattr(own, "save"):
        own.save(path)
        return
    from acvae.models.persistence import _pack_posterior  # until posteriors save themselves

    write_arrays(path, _pack_posterior(posterior), {}, format=FORMAT, version=VERSION)


def read_posterior(path: Path) -> Posterior:
    """What `write_posterior` stored."""
    kind: Any = Posterior
    if hasattr(kind, "load"):
        loaded: Posterior = kind.load(path)
        return loaded
    arrays, _ = read_arrays(path, format=FORMAT, version=VERSION, what="posterior")
    a = {name.removeprefix("posterior."): array for name, array in arrays.items()}
    try:
        mean, std = a["mean"], a["std"]
        if "forest" in a:
            return Posterior(mean, std, a["forest"], a["correlation"], dtype=mean.dtype)
        joint: Any
        if "precision.links" in a:
            joint = GraphJoint(*(a[f"precision.{name}"] for name in ("links", "off_diagonal", "diagonal")))
        else:
            joint = PairwiseMarginals(*(a[f"pairs.{name}"] for name in ("first", "second", "weight", "bias")))
        return Posterior.from_correlations(mean, std, joint, dtype=mean.dtype)
    except (KeyError, ValueError) as error:
        raise SavedModelError(f"{path} is not a complete posterior: {error}") from error
