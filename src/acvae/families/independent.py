"""Independent embeddings: VAE, and CVAE with a factorised posterior."""

from acvae.families.autoencoding import AutoencodingFamily

__all__ = ["IndependentFamily"]


class IndependentFamily(AutoencodingFamily):
    """Every vertex has a posterior of its own.

    Without a graph this is a plain VAE. With one, and weights that stay, the prior pulls the ends of edges
    together (CVAE_ind).
    """
