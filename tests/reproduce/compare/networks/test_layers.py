"""Convolutions with quicker products, against those of PyTorch Geometric."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae.exceptions import MissingDependencyError
from acvae.reproduce.compare.networks import layers, tensors
from reproduce.compare.samples import random_graph


def test_convolutions_are_those_of_pytorch_geometric() -> None:
    nn = layers.geometric()
    graph = random_graph(12, 25, 1)
    index = torch.from_numpy(np.concatenate([graph.edges, graph.edges[:, ::-1]]).T.copy())
    x = torch.randn(12, 5, generator=torch.Generator().manual_seed(0), requires_grad=True)
    for ours, theirs, edges in (
        (layers.convolution(5, 3), nn.GCNConv(5, 3), tensors.normalised(graph)),
        (layers.sage(5, 3), nn.SAGEConv(5, 3), tensors.sparse_tensor(tensors.adjacency(12, graph.edges))),
    ):
        theirs.load_state_dict(ours.state_dict())
        a, b = ours(x, edges), theirs(x, index)
        torch.testing.assert_close(a, b)
        for p, q in zip(
            torch.autograd.grad(a.square().sum(), [x, *ours.parameters()]),
            torch.autograd.grad(b.square().sum(), [x, *theirs.parameters()]),
            strict=True,
        ):
            torch.testing.assert_close(p, q)


def test_without_pytorch_geometric_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch_geometric.nn", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'acvae\[baselines\]'"):
        layers.geometric()


def test_a_first_layer_on_sparse_features_is_that_on_dense_ones() -> None:
    graph = random_graph(12, 25, 1)
    x = sp.random_array((12, 40), density=0.04, random_state=np.random.default_rng(0), format="csr")
    features, edges = tensors.Features(x), tensors.normalised(graph)
    on_features, plain = layers.convolution(40, 3, on_features=True), layers.convolution(40, 3)
    with torch.no_grad():
        plain.lin.weight.copy_(on_features.lin.weight.T)
        plain.bias.copy_(on_features.bias)
    length = np.maximum(np.sqrt(x.multiply(x).sum(axis=1)), 1e-12)
    rows = torch.from_numpy(x.toarray() / length[:, None]).float()
    torch.testing.assert_close(on_features(features, edges), plain(rows, edges))


def test_a_vertex_without_neighbours_has_a_mean_of_zero() -> None:
    conv = layers.sage(2, 2)
    edges = tensors.sparse_tensor(tensors.adjacency(3, np.array([[0, 1]])))
    x = torch.ones(3, 2)
    torch.testing.assert_close(conv(x, edges)[2], x[2] @ conv.lin_r.weight.T + conv.lin_l.bias)
