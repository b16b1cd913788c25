"""Joint Gaussians over the embeddings of all vertices: a posterior, and where its correlations come from.

`ForestJoint` is read by belief propagation along a forest, `GraphJoint` by elimination in the sparse
precision of a whole graph, `PairwiseMarginals` by a network that is asked about each pair. A strategy of your
own needs what `Correlations` or `Joint` lists, and `register` to be saved. Each is imported when it is first
used: a stored posterior needs one of them.
"""

from acvae._util.lazy import when_used

_HOMES = {
    "Correlations": "joint",
    "DistanceBlocks": "joint",
    "ForestJoint": "forest.joint",
    "GraphJoint": "graph.joint",
    "Joint": "joint",
    "PairwiseMarginals": "pairwise",
    "Posterior": "posterior",
    "ScalesJoint": "graph.scales",
    "register": "registry",
}

__all__ = sorted(_HOMES)
__getattr__ = when_used(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
