"""Spanning forests, the weights of the adaptive prior, and exact marginals along forest paths.

NumPy arrays in and out; no network and no data set is known here.
"""

from acvae.forests.kruskal import spanning_forest
from acvae.forests.resistance import spanning_tree_probabilities
from acvae.forests.weights import WeightInfo, WeightState, initial_weights, round_to_forest, update_weights

__all__ = [
    "WeightInfo",
    "WeightState",
    "initial_weights",
    "round_to_forest",
    "spanning_forest",
    "spanning_tree_probabilities",
    "update_weights",
]
