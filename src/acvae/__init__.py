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
    **{m: m for m in ("clustering", "datasets", "exceptions", "forests", "metrics", "plot", "training")},
}
# What else messages and documents name: of what models, rankings and commands are made.
_MORE = (
    *("engine", "export", "families", "gaussian", "links", "methods", "models", "nn"),
    *("objectives", "report", "reproduce", "runs"),
)

__all__ = sorted([*_HOMES, "__version__"])
__getattr__ = when_used(__name__, {**_HOMES, **{module: module for module in _MORE}})


def __dir__() -> list[str]:
    return sorted({*__all__, *_MORE})
