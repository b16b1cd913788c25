"""Collapse: embeddings whose means are all alike, so that distances know nothing of the features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from acvae._util.options import option
from acvae._util.runaway import far_from_prior
from acvae.gaussian.posterior import Posterior
from acvae.methods import DEFAULT_METHOD, Method

__all__ = ["Spread", "collapse_warning", "spread_of"]

LEAST_SPREAD = 0.1
LEAST_KL = 0.02
NO_SPREAD = 1e-3  # the networks no longer hear their input


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
    """What to know and what to do, if the means hardly differ; the KL tells what they have become.

    Under a prior of high correlation it costs next to nothing to move all means together, so that the KL can
    stay well above zero while no two vertices differ.
    """
    diverged = far_from_prior(found.kl) if method.takes("learning_rate") else None
    if diverged is not None:
        return diverged
    if found.spread >= LEAST_SPREAD or (method.learns_links and found.kl >= LEAST_KL):
        return None  # who learns links goes by angles and correlations, whatever the length of the means
    became = "the prior's" if found.kl < LEAST_KL else "all alike"
    rest = "what is left is in the correlations" if method.correlated else "nothing is left to go by"
    advice = ["more epochs"] if method.takes("epochs") else []
    if found.spread < NO_SPREAD and method.takes("learning_rate"):
        advice = [f"a smaller {option('learning_rate')}"]
    if method.takes("gamma"):
        advice.append(f"a larger {option('gamma')}")
    if method.takes("tau"):
        advice.append(f"a smaller {option('tau')}")
    advice.append(f"a smaller {option('latent_dim')}" if method.takes("latent_dim") else "other features")
    other = "" if method.name == DEFAULT_METHOD else f", or the model {DEFAULT_METHOD}"
    told = advice[0] if len(advice) == 1 else f"{', '.join(advice[:-1])} or {advice[-1]}"
    return (
        f"the embeddings have collapsed: their means have become {became}. They spread by {found.spread:.2g} "
        f"standard deviations, and their KL is {found.kl:.2g} nats per dimension, so distances hardly know "
        f"the features; {rest}. Try {told}{other}."
    )
