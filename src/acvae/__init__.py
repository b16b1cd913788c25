"""Correlated representation learning: one exact joint Gaussian over the embeddings of related points.

    data = acvae.datasets.load("debian")
    split = acvae.split_edges(data.graph, seed=0)
    model = acvae.GraphGaussian().fit(data.features, split.train)
    ids, probabilities = model.predict_links(["python3-numpy"], k=10)
    acvae.metrics.ncrr(model.links_, split.train, split.test)

Names are imported when first used, so that `import acvae` itself costs next to nothing.
"""

from acvae._util.lazy import when_used
from acvae._util.version import __version__ as __version__

# The public surface: each name, and the module it is found in; modules stand for themselves.
_HOMES = {
    "ACVAE": "models",
    "CVAE": "models",
    "EdgeEstimator": "models",
    "EdgeSplit": "splits",
    "Graph": "graph",
    "GraphGaussian": "models",
    "GraphSAGE": "models",
    "Posterior": "gaussian",
    "VAE": "models",
    "cluster": "clustering",
    "link_scorer": "models",
    "load": "models",
    "sampled_spanning_tree_probabilities": "forests",
    "spanning_forest": "forests",
    "spanning_tree_probabilities": "forests",
    "split_edges": "splits",
    "tune": "models",
    **{
        module: module
        for module in (
            *("clustering", "datasets", "exceptions", "export", "forests"),
            *("metrics", "nn", "objectives", "plot", "training"),
        )
    },
}

__all__ = sorted([*_HOMES, "__version__"])
__getattr__ = when_used(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
