"""Hierarchical clustering by complete linkage on exact distances."""

from acvae.clustering.cluster import MEMORY, cluster, linkage

__all__ = ["MEMORY", "cluster", "linkage"]
