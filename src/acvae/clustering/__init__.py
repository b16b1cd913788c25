"""Hierarchical clustering by complete linkage on exact distances; k-means on directions."""

from acvae.clustering.directions import cluster_directions, directions, have_directions
from acvae.clustering.hierarchy import MEMORY, cluster, linkage

__all__ = ["MEMORY", "cluster", "cluster_directions", "directions", "have_directions", "linkage"]
