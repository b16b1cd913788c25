"""Correlated representation learning: one exact joint Gaussian over the embeddings of related points.

    data = acvae.datasets.load("debian")
    split = acvae.split_edges(data.graph, seed=0)
    model = acvae.ACVAE().fit(data.features, split.train)
    acvae.metrics.ncrr(model.posterior_, split.train, split.test)

Names are imported when first used, so that `import acvae` itself costs next to nothing.
"""

import importlib
from typing import Any

from acvae._util.version import __version__ as __version__

# The public surface: each name, and the module it is found in; modules stand for themselves.
_HOME = {
    "ACVAE": "models",
    "CVAE": "models",
    "EdgeSplit": "splits",
    "Graph": "graph",
    "GraphGaussian": "models",
    "GraphSAGE": "models",
    "Posterior": "gaussian",
    "VAE": "models",
    "cluster": "clustering",
    "load": "models",
    "sampled_spanning_tree_probabilities": "forests",
    "spanning_forest": "forests",
    "spanning_tree_probabilities": "forests",
    "split_edges": "splits",
}
_MODULES = (
    *("clustering", "datasets", "exceptions", "export", "forests"),
    *("metrics", "nn", "objectives", "plot", "training"),
)

__all__ = sorted([*_HOME, *_MODULES, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"acvae.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"acvae.{name}")
    else:
        raise AttributeError(f"module 'acvae' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
