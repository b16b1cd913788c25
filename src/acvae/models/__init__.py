"""The models, as scikit-learn style estimators. Each is imported when it is first used."""

from acvae._util.lazy import when_used

_HOMES = {
    "ACVAE": "acvae",
    "CVAE": "cvae",
    "EdgeEstimator": "tuning",
    "GraphGaussian": "graph_gaussian",
    "GraphSAGE": "graphsage",
    "VAE": "vae",
    "link_scorer": "tuning",
    "load": "persistence",
    "tune": "tuning",
}

__all__ = sorted(_HOMES)
__getattr__ = when_used(__name__, _HOMES)
