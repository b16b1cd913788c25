"""Spanning forests, the weights of the adaptive prior, and elimination of sparse matrices.

NumPy arrays in and out; no network and no data set is known here.
"""

from acvae._util.lazy import when_used

_HOMES = {
    "SampledProbabilities": "wilson",
    "WeightInfo": "weights",
    "WeightState": "weights",
    "initial_weights": "weights",
    "round_to_forest": "weights",
    "sampled_spanning_tree_probabilities": "wilson",
    "spanning_forest": "kruskal",
    "spanning_tree_probabilities": "resistance",
    "update_weights": "weights",
}

__all__ = sorted(_HOMES)
__getattr__ = when_used(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
