"""Joint Gaussians over the embeddings of all vertices: a posterior, and where its correlations come from.

`ForestJoint` is read by belief propagation along a forest, `GraphJoint` by elimination in the sparse
precision of a whole graph, `PairwiseMarginals` by a network that is asked about each pair. A strategy of your
own needs what `Correlations` or `Joint` lists, and `register` to be saved.
"""

from acvae.gaussian.forest.joint import ForestJoint
from acvae.gaussian.graph.joint import GraphJoint
from acvae.gaussian.graph.scales import ScalesJoint
from acvae.gaussian.joint import Correlations, DistanceBlocks, Joint
from acvae.gaussian.pairwise import PairwiseMarginals
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.registry import register

__all__ = [
    "Correlations",
    "DistanceBlocks",
    "ForestJoint",
    "GraphJoint",
    "Joint",
    "PairwiseMarginals",
    "Posterior",
    "ScalesJoint",
    "register",
]

register("forest", ForestJoint)
register("graph", GraphJoint)
register("pairwise", PairwiseMarginals)
register("scales", ScalesJoint)
