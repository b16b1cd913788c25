"""Compiled forward and backward passes for the parts of a training step that PyTorch does in many.

Each file is one operation: a PyTorch autograd function for tensors on the CPU, over loops compiled by numba.
On other devices the plain tensor code beside it is used; both give the same numbers.
"""

from acvae.nn.kernels.pair_layer import pair_layer
from acvae.nn.kernels.sparse_rows import gather_rows, sparse_dot, sparse_times

__all__ = ["gather_rows", "pair_layer", "sparse_dot", "sparse_times"]
