"""The models, as scikit-learn style estimators."""

from acvae.models.acvae import ACVAE
from acvae.models.cvae import CVAE
from acvae.models.graph_gaussian import GraphGaussian
from acvae.models.graphsage import GraphSAGE
from acvae.models.persistence import MODELS, load
from acvae.models.tuning import EdgeEstimator, link_scorer, tune
from acvae.models.vae import VAE

__all__ = [
    "ACVAE",
    "CVAE",
    "VAE",
    "EdgeEstimator",
    "GraphGaussian",
    "GraphSAGE",
    "link_scorer",
    "load",
    "tune",
]

MODELS.update({model.__name__: model for model in (ACVAE, CVAE, VAE, GraphGaussian, GraphSAGE)})
