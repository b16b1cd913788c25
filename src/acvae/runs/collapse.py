"""Collapse: embeddings that have fallen back on the prior, whose distances know nothing of the features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from acvae.gaussian.posterior import Posterior
from acvae.methods import Method

__all__ = ["Spread", "collapse_warning", "spread_of"]

LEAST_SPREAD = 0.1
LEAST_KL = 0.02


class Spread(NamedTuple):
    """How far apart the embeddings lie, and how far they are from the prior.

    `spread` is the standard deviation of the means over the vertices, in units of the mean standard deviation
    of one vertex; `kl` the mean divergence of a vertex's own posterior from N(0, 1), in nats per dimension.
    """

    spread: float
    kl: float


def spread_of(posterior: Posterior) -> Spread:
    """Spread and KL of a posterior's marginals; O(n·d)."""
    mean, std = posterior.mean.astype(np.float64), posterior.std.astype(np.float64)
    apart = float(np.sqrt(mean.var(axis=0).mean())) / float(std.mean())
    kl = 0.5 * (mean**2 + std**2 - 1 - 2 * np.log(std))
    return Spread(apart, float(kl.mean()))


def collapse_warning(found: Spread, method: Method) -> str | None:
    """What to know and what to do, if both are near zero."""
    if found.spread >= LEAST_SPREAD or found.kl >= LEAST_KL:
        return None
    advice = ["more epochs"] if method.takes("epochs") else []
    if method.takes("gamma"):
        advice.append("a larger gamma")
    if method.takes("tau"):
        advice.append("a smaller tau")
    advice.append("a smaller latent_dim" if method.takes("latent_dim") else "other features")
    return (
        f"the embeddings have collapsed: their means spread by {found.spread:.2g} standard deviations and "
        f"their KL is {found.kl:.2g} nats per dimension, so distances hardly know the features. "
        f"Try {', '.join(advice[:-1])} or {advice[-1]}, or another model."
    )
