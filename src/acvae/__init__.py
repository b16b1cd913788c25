"""Correlated representation learning: one exact joint Gaussian over the embeddings of related points.

    data = acvae.datasets.load("debian")
    split = acvae.split_edges(data.graph, seed=0)
    model = acvae.ACVAE().fit(data.features, split.train)
    acvae.metrics.ncrr(model.posterior_, split.train, split.test)

Names are imported when first used, so that `import acvae` itself costs next to nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from acvae._version import __version__

if TYPE_CHECKING:
    from acvae import (
        clustering,
        datasets,
        exceptions,
        export,
        forests,
        metrics,
        nn,
        objectives,
        plot,
        training,
    )
    from acvae.clustering import cluster
    from acvae.forests import (
        sampled_spanning_tree_probabilities,
        spanning_forest,
        spanning_tree_probabilities,
    )
    from acvae.graph import Graph
    from acvae.models import ACVAE, CVAE, VAE, GraphSAGE
    from acvae.persistence import load
    from acvae.posterior import Posterior
    from acvae.splits import EdgeSplit, split_edges

__all__ = [
    "ACVAE",
    "CVAE",
    "VAE",
    "EdgeSplit",
    "Graph",
    "GraphSAGE",
    "Posterior",
    "__version__",
    "cluster",
    "clustering",
    "datasets",
    "exceptions",
    "export",
    "forests",
    "load",
    "metrics",
    "nn",
    "objectives",
    "plot",
    "sampled_spanning_tree_probabilities",
    "spanning_forest",
    "spanning_tree_probabilities",
    "split_edges",
    "training",
]

_HOME = {
    "ACVAE": "models",
    "CVAE": "models",
    "VAE": "models",
    "EdgeSplit": "splits",
    "Graph": "graph",
    "GraphSAGE": "models",
    "Posterior": "posterior",
    "cluster": "clustering",
    "load": "persistence",
    "sampled_spanning_tree_probabilities": "forests",
    "spanning_forest": "forests",
    "spanning_tree_probabilities": "forests",
    "split_edges": "splits",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"acvae.{_HOME[name]}"), name)
    elif name in __all__:
        value = importlib.import_module(f"acvae.{name}")
    else:
        raise AttributeError(f"module 'acvae' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
