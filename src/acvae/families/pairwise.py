"""Pairwise marginals: CVAE, whose pair network gives each pair a correlation of its own."""

from acvae.engine.distributed import ALONE, World
from acvae.families.autoencoding import AutoencodingFamily
from acvae.gaussian.posterior import Posterior

__all__ = ["PairwiseFamily"]


class PairwiseFamily(AutoencodingFamily):
    """Edge weights stay, and the posterior is what the pair network says of each pair; there is no joint."""

    def posterior(self, world: World = ALONE, *, pairwise: bool = False) -> Posterior:
        """The pair network's approximation of each pair."""
        return self.inference.pairwise_posterior()
