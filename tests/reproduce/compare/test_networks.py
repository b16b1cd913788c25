"""Networks to compare with: parts against brute force, and each learns what is there to be learnt."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import acvae
from acvae.exceptions import MissingDependencyError
from acvae.reproduce.compare import method
from acvae.reproduce.compare.network_methods import NETWORKS
from acvae.reproduce.compare.networks import layers, ncn, node2vec, tensors
from acvae.reproduce.compare.networks.common import common_in_row, common_of_pairs
from acvae.reproduce.compare.networks.dgi import embed_dgi
from acvae.reproduce.compare.tuning import validation_ncrr

SHORT = {"node2vec": 20, "gae": 60, "vgae": 60, "sage": 60, "ncn": 10}


def random_graph(n: int, m: int, seed: int) -> acvae.Graph:
    return acvae.Graph(n, np.random.default_rng(seed).integers(n, size=(m, 2)))


def groups(seed: int) -> tuple[sp.csr_array, acvae.Graph, np.ndarray]:
    """Four groups of 15, joined mostly within; features tell the group, roughly."""
    rng = np.random.default_rng(seed)
    kind = np.repeat(np.arange(4), 15)
    pairs = np.array([(i, j) for i in range(60) for j in range(i)])
    chance = np.where(kind[pairs[:, 0]] == kind[pairs[:, 1]], 0.5, 0.01)
    graph = acvae.Graph(60, pairs[rng.random(len(pairs)) < chance])
    features = (rng.random((60, 12)) < np.where(kind[:, None] == np.arange(12) % 4, 0.6, 0.1)).astype(float)
    return sp.csr_array(features), graph, kind


def dense(ranking, n: int) -> np.ndarray:
    out = np.full((n, n), np.nan)
    for rows, columns, block in ranking.distance_blocks(None, 7):
        out[np.ix_(rows, columns)] = block
    return out


def test_common_neighbours_against_sets() -> None:
    graph = random_graph(20, 60, 0)
    own = [set(graph.neighbors(v).tolist()) for v in range(20)]
    pairs = np.array([(i, j) for i in range(20) for j in range(20) if i != j])
    number, vertex = common_of_pairs(*graph.csr, pairs)
    for k, (i, j) in enumerate(pairs):
        assert set(vertex[number == k].tolist()) == own[i] & own[j]
    table = np.random.default_rng(1).random((20, 3))
    for i in range(20):
        ids, sums = common_in_row(*graph.csr, table, i)
        assert set(ids.tolist()) == {j for j in range(20) if j != i and own[i] & own[j]}
        for j, total in zip(ids, sums, strict=True):
            np.testing.assert_allclose(total, table[sorted(own[i] & own[j])].sum(0))


def test_ncn_scores_rows_as_it_scores_pairs() -> None:
    features, graph, _ = groups(0)
    torch.manual_seed(0)
    model = ncn.NCN(12, 8, 2, 0.0).eval()
    with torch.no_grad():
        h, g = model.embed(tensors.Features(features), tensors.normalised(graph))
        found = dense(ncn._Rows(model, h, g, graph).scores(), 60)
        pairs = np.array([(i, j) for i in range(60) for j in range(60) if i != j])
        matrix = tensors.adjacency(60, graph.edges)
        expected = model(*ncn._inputs(h, g, matrix, pairs)).numpy()
    np.testing.assert_allclose(-found[pairs[:, 0], pairs[:, 1]], expected, atol=1e-5)


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


@pytest.mark.parametrize("density", [0.01, 0.5])
def test_features_are_rows_of_length_one_and_their_gradient_is_right(density: float) -> None:
    x = sp.random_array((30, 50), density=density, random_state=np.random.default_rng(0), format="csr")
    full = x.toarray()
    full /= np.maximum(np.linalg.norm(full, axis=1, keepdims=True), 1e-12)
    weight = torch.randn(50, 4, generator=torch.Generator().manual_seed(0), requires_grad=True)
    features, order = tensors.Features(x), torch.randperm(30, generator=torch.Generator().manual_seed(1))
    for found, table in ((features, full), (features.shuffled(order), full[order])):
        out = found.times(weight)
        np.testing.assert_allclose(out.detach(), table @ weight.detach().numpy(), atol=1e-5)
        (grad,) = torch.autograd.grad(out.square().sum(), weight)
        np.testing.assert_allclose(grad, 2 * table.T @ (table @ weight.detach().numpy()), atol=1e-4)


def test_walks_go_along_edges_and_their_bias_is_as_stated() -> None:
    graph = acvae.Graph(4, [[0, 1], [0, 2], [1, 2], [2, 3]])
    walks = node2vec.random_walks(
        *graph.csr, np.repeat([0, 1, 3], 2000), 12, 0.5, 4.0, np.random.default_rng(0)
    )
    steps = np.stack([walks[:, :-1].ravel(), walks[:, 1:].ravel()], axis=1)
    assert graph.has_edges(steps).all()
    came, at, to = walks[:, :-2].ravel(), walks[:, 1:-1].ravel(), walks[:, 2:].ravel()
    chosen = to[(came == 0) & (at == 2)]  # back to 0 by 1/p = 2, to 1, a neighbour of 0, by 1, to 3 by 1/q
    share = np.bincount(chosen, minlength=4) / len(chosen)
    np.testing.assert_allclose(share, np.array([2, 1, 0, 0.25]) / 3.25, atol=0.03)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_a_network_beats_chance_and_a_seed_gives_the_same_again(network: method.Method) -> None:
    features, graph, _ = groups(1)
    split = acvae.split_edges(graph, seed=0)
    options = {**network.grid[0], "epochs": SHORT[network.name]}
    before = torch.get_rng_state()
    ranking = network.fit(features, split.train, seed=3, **options)
    assert torch.equal(before, torch.get_rng_state())
    score = acvae.metrics.ncrr(ranking, split.train, split.test)
    assert score.test > 1.5 * score.random
    again = network.fit(features, split.train, seed=3, **options)
    np.testing.assert_array_equal(dense(ranking, 60), dense(again, 60))
    other = network.fit(features, split.train, seed=4, **options)
    assert (dense(ranking, 60) != dense(other, 60)).any()


def test_a_watch_ends_training() -> None:
    features, graph, _ = groups(2)
    for network in NETWORKS:
        seen = []

        def watch(epoch: int, ranking, seen=seen) -> bool:
            seen.append((epoch, validation_ncrr(ranking(), graph, graph.with_edges([]))))
            return epoch == 2

        network.fit(features, graph, seed=0, watch=watch, epochs=4, **network.grid[0])
        assert [epoch for epoch, _ in seen] == [1, 2]


def test_dgi_embeddings_tell_groups_apart() -> None:
    features, graph, kind = groups(3)
    z = embed_dgi(features, graph, 0, size=16)
    z = z - z.mean(0)
    centre = np.stack([z[kind == k].mean(0) for k in range(4)])
    nearest = ((z[:, None] - centre) ** 2).sum(-1).argmin(1)
    assert z.shape == (60, 16)
    assert (nearest == kind).mean() > 0.8


def test_without_pytorch_geometric_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch_geometric.nn", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'acvae\[baselines\]'"):
        layers.geometric()
