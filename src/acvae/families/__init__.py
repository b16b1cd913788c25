"""What is trained: one family of models a file.

A family says how an epoch is cut into batches, what the objective is on one, what happens after an epoch,
which posterior results, and what of itself a checkpoint must hold. `Family` is the face that training asks.
"""

from acvae.families.base import Family, FamilyState, Terms
from acvae.families.forest import ForestFamily
from acvae.families.graph import GraphFamily
from acvae.families.independent import IndependentFamily
from acvae.families.pairwise import PairwiseFamily
from acvae.families.sage import SageFamily

__all__ = [
    "Family",
    "FamilyState",
    "ForestFamily",
    "GraphFamily",
    "IndependentFamily",
    "PairwiseFamily",
    "SageFamily",
    "Terms",
]
