"""Joint Gaussians: where correlations come from, a file or folder each."""

from acvae.gaussian.forest.joint import ForestJoint
from acvae.gaussian.graph.joint import GraphJoint
from acvae.gaussian.joint import Correlations, DistanceBlocks, Joint
from acvae.gaussian.pairwise import PairwiseMarginals
from acvae.gaussian.posterior import Posterior

__all__ = [
    "Correlations",
    "DistanceBlocks",
    "ForestJoint",
    "GraphJoint",
    "Joint",
    "PairwiseMarginals",
    "Posterior",
]
