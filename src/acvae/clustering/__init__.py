"""Hierarchical clustering by complete linkage on exact distances."""

from acvae.clustering.hierarchy import MEMORY, cluster, linkage

__all__ = ["MEMORY", "cluster", "linkage"]
