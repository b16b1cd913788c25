"""Training that ran away: the objective is still finite, but what was learnt means nothing."""

from __future__ import annotations

from collections.abc import Sequence

from acvae._util.options import option

__all__ = ["MOST_KL", "far_from_prior", "runaway"]

MOST_KL = 100.0  # nats per dimension between an embedding and the prior; trained models have below ten
LEAST_EPOCHS = 3
WORSE = 0.02  # by which share of it a figure that should grow may fall


def runaway(history: Sequence[dict[str, float]], latent_dim: int, learning_rate: float) -> str | None:
    """What to know and what to do, if the figures of the epochs say that training has diverged.

    With a KL divergence, by that alone: the bound itself may fall, as it does at a saddle point. Without, by
    a figure that should have grown and is less than after the first epoch.
    """
    if not history:
        return None
    last, first = history[-1], history[0]
    if "kl" in last:
        return far_from_prior(last["kl"] / latent_dim, f" than {learning_rate:g}")
    if len(history) < LEAST_EPOCHS or last["elbo"] >= first["elbo"] - WORSE * abs(first["elbo"]):
        return None
    what = f"the objective fell from {first['elbo']:.3f} to {last['elbo']:.3f}"
    return _diverged(what, f" than {learning_rate:g}")


def far_from_prior(kl: float, than: str = "") -> str | None:
    """The same, from how many nats per dimension embeddings are away from the prior.

    `than` says which learning rate it was.
    """
    if kl < MOST_KL:
        return None
    what = f"embeddings are {kl:,.0f} nats per dimension away from the prior (KL), and mean nothing"
    return _diverged(what, than)


def _diverged(what: str, than: str) -> str:
    return (
        f"training has diverged: {what}. Use a smaller {option('learning_rate')}{than}, such as 0.001, or "
        "rescale the features."
    )
