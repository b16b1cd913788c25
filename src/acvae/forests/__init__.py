"""Spanning forests, the weights of the adaptive prior, and exact marginals along forest paths.

NumPy arrays in and out; no network and no data set is known here.
"""

from acvae.forests.kruskal import spanning_forest
from acvae.forests.resistance import spanning_tree_probabilities
from acvae.forests.weights import WeightInfo, WeightState, initial_weights, round_to_forest, update_weights
from acvae.forests.wilson import SampledProbabilities, sampled_spanning_tree_probabilities

__all__ = [
    "SampledProbabilities",
    "WeightInfo",
    "WeightState",
    "initial_weights",
    "round_to_forest",
    "sampled_spanning_tree_probabilities",
    "spanning_forest",
    "spanning_tree_probabilities",
    "update_weights",
]
