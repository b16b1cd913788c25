"""Compiled passes of a fused training step, and of Adam over one flat vector of parameters."""

from acvae.engine.kernels.adam import FlatAdam
from acvae.engine.kernels.pair_terms import pair_terms

__all__ = ["FlatAdam", "pair_terms"]
