"""Graphs and features as PyTorch tensors, and products with sparse ones that are quick both ways."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from acvae.graph import Graph

__all__ = ["Features", "adjacency", "normalised", "product", "sparse_tensor", "uniform_pairs"]

DENSE = 0.05  # share of entries that are not zero from which plain products are quicker


def sparse_tensor(matrix: Any) -> torch.Tensor:
    """A SciPy matrix as a CSR tensor in single precision."""
    csr = sp.csr_array(matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CSR tensors are called beta by PyTorch
        return torch.sparse_csr_tensor(
            torch.from_numpy(csr.indptr.astype(np.int64)),
            torch.from_numpy(csr.indices.astype(np.int64)),
            torch.from_numpy(csr.data.astype(np.float32)),
            size=csr.shape,
            check_invariants=False,
        )


class _Product(torch.autograd.Function):
    """M·x, with Mᵀ at hand for the gradient: PyTorch's own would make it anew at each step."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, matrix: torch.Tensor, transposed: torch.Tensor) -> torch.Tensor:
        ctx.transposed = transposed
        return matrix @ x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        return ctx.transposed @ grad.contiguous(), None, None


def product(matrix: torch.Tensor, x: torch.Tensor, transposed: torch.Tensor | None = None) -> torch.Tensor:
    """M·x for a sparse M, symmetric unless its transposed is given."""
    found: torch.Tensor = _Product.apply(x, matrix, matrix if transposed is None else transposed)
    return found


def adjacency(n: int, edges: Any) -> sp.csr_array:
    """Zeros and ones (n, n) of edges (m, 2), each given once."""
    both = np.concatenate([edges, edges[:, ::-1]]).T
    matrix = sp.csr_array((np.ones(both.shape[1], dtype=np.float32), (both[0], both[1])), shape=(n, n))
    matrix.sort_indices()
    return matrix


def normalised(graph: Graph, edges: Any = None) -> torch.Tensor:
    """D̃^−½·(A + I)·D̃^−½ of a graph convolution, on all edges or on some."""
    matrix = adjacency(graph.n_vertices, graph.edges if edges is None else edges)
    matrix = sp.csr_array(matrix + sp.eye_array(graph.n_vertices, dtype=np.float32))
    root = sp.diags_array(1 / np.sqrt(matrix.sum(axis=1)))
    return sparse_tensor(root @ matrix @ root)


class Features:
    """Rows of length one; products with a matrix of weights are made the quicker way."""

    def __init__(self, features: Any) -> None:
        x = sp.csr_array(features).astype(np.float32)
        length = np.sqrt(x.multiply(x).sum(axis=1))
        x = sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-12)) @ x).astype(np.float32)
        self.shape = x.shape
        self._dense = torch.from_numpy(x.toarray()) if x.nnz > DENSE * np.prod(x.shape) else None
        if self._dense is None:
            self._sparse, self._transposed = sparse_tensor(x), sparse_tensor(x.T)

    def times(self, weight: torch.Tensor) -> torch.Tensor:
        """X·W (n, h)."""
        return (
            self._dense @ weight
            if self._dense is not None
            else product(self._sparse, weight, self._transposed)
        )

    def shuffled(self, order: torch.Tensor) -> "Shuffled":
        """The same rows in another order."""
        return Shuffled(self, order)


class Shuffled:
    """Features with their rows in another order."""

    def __init__(self, features: Features, order: torch.Tensor) -> None:
        self._features, self._order = features, order

    def times(self, weight: torch.Tensor) -> torch.Tensor:
        """X·W with permuted rows."""
        return self._features.times(weight)[self._order]


def uniform_pairs(n: int, count: int, generator: torch.Generator) -> torch.Tensor:
    """(2, count) random pairs; in a sparse graph hardly any of them is a link."""
    return torch.randint(n, (2, count), generator=generator)
