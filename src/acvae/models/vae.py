"""VAE: features alone, every data point on its own."""

from __future__ import annotations

from acvae.models.estimator import AutoencoderEstimator
from acvae.nn import Likelihood

__all__ = ["VAE"]


class VAE(AutoencoderEstimator):
    """Variational auto-encoder with a standard normal prior (eq. elbo of the paper).

    The graph given to `fit` is kept but not used: this is the model that knows nothing of relations.

    Parameters
    ----------
    latent_dim
        Dimensions of an embedding.
    hidden_dim
        Units of the hidden layers.
    likelihood
        "multinomial" (the paper's), "bernoulli", "poisson", "gaussian", or a module of your own.
    epochs
        Passes over the vertices.
    learning_rate
        Adam's step size.
    batch_vertices
        Vertices per step.
    seed
        Fixes everything that is random.
    device
        "auto", "cpu", "cuda", …
    progress
        Show progress on standard error.
    """

    def __init__(
        self,
        latent_dim: int = 10,
        hidden_dim: int = 30,
        *,
        likelihood: str | Likelihood = "multinomial",
        epochs: int = 200,
        learning_rate: float = 1e-3,
        batch_vertices: int = 64,
        seed: int = 0,
        device: str = "auto",
        progress: bool = True,
    ) -> None:
        self.latent_dim = latent_dim
        self.hidden_dim = hidden_dim
        self.likelihood = likelihood
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_vertices = batch_vertices
        self.seed = seed
        self.device = device
        self.progress = progress
        self._check_options()
