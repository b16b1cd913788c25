"""GraphSAGE's family: its loss written out by hand, its epochs, and what it tells of all edges."""

import numpy as np
import pytest
import torch

from acvae import Graph
from acvae.engine.distributed import World
from acvae.exceptions import OptionError
from acvae.families.sage import EVALUATION_NEGATIVES, SageBatch, SageFamily, pair_loss
from acvae.nn.sage import SageGraph, SageNetwork

pytest.importorskip("torch_geometric")

GRAPH = Graph(7, [(0, 1), (1, 2), (0, 3), (3, 4), (4, 5)])


def make_family(**options):
    x = np.random.default_rng(0).normal(size=(7, 4)).astype(np.float32)
    module = SageNetwork(4, 5, 3, seed=1)
    return SageFamily(module, SageGraph(x, GRAPH, torch.device("cpu")), **options)


def log_sigmoid(x):
    return -np.log1p(np.exp(-x))


def test_loss_by_hand():
    z = torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])

    # Pairs (0, 1) and (2, 0) with dot products 0.6 and 0; negatives 1 and 2.
    first = -log_sigmoid(0.6) - log_sigmoid(-0.6) - log_sigmoid(-0.0)
    second = -log_sigmoid(0.0) - log_sigmoid(-0.8) - log_sigmoid(-1.0)
    loss = pair_loss(z, torch.tensor([0, 2]), torch.tensor([1, 0]), torch.tensor([1, 2]))
    assert float(loss) == pytest.approx((first + second) / 2, rel=1e-6)


def test_the_objective_on_a_batch_by_a_double_loop():
    family = make_family()
    batch = SageBatch(np.array([[1, 0], [3, 4], [0, 3]]), np.array([2, 2, 5, 6]))
    z = family.embeddings().detach().numpy().astype(float)
    by_hand = np.mean(
        [
            log_sigmoid(z[u] @ z[v]) + sum(log_sigmoid(-z[u] @ z[q]) for q in batch.negatives)
            for u, v in batch.edges
        ]
    )
    terms = family.objective(batch)
    assert terms.value.item() == pytest.approx(by_hand, rel=1e-5)
    assert terms.figures == (terms.value,)
    assert family.figures == ("elbo",)


def test_an_epoch_passes_over_every_edge_once_in_either_direction():
    family = make_family(batch_edges=2, n_negatives=3)
    rng, noise = np.random.default_rng(0), torch.Generator()
    directions = set()
    for _ in range(6):
        batches = list(family.batches(rng, noise))
        assert [len(b.edges) for b in batches] == [2, 2, 1]
        assert all(len(b.negatives) == 3 for b in batches)
        edges = np.concatenate([b.edges for b in batches])
        assert sorted(map(sorted, edges.tolist())) == GRAPH.edges.tolist()
        directions |= {u < v for u, v in edges.tolist()}
    assert directions == {True, False}


def test_processes_share_an_epoch():
    class Half(World):
        size = 2

        def __init__(self, rank):
            self.rank = rank

    seen = []
    for rank in (0, 1):
        family = make_family(batch_edges=2)
        batches = list(family.batches(np.random.default_rng(rank), torch.Generator(), Half(rank)))
        assert [len(b.edges) for b in batches] == [2, 1]  # as many steps of the same sizes in each
        seen += [tuple(sorted(e)) for b in batches for e in b.edges.tolist()]
    assert set(seen) == set(map(tuple, GRAPH.edges.tolist()))


def test_the_objective_over_all_edges_by_a_double_loop():
    family = make_family(n_negatives=4)
    z = family.embeddings().numpy().astype(float)
    sample = family.inputs.negative_sampler()(EVALUATION_NEGATIVES, np.random.default_rng(0))
    total = 0.0
    for u, v in GRAPH.edges:
        for a, b in ((u, v), (v, u)):
            total += log_sigmoid(z[a] @ z[b]) + 4 * np.mean([log_sigmoid(-z[a] @ z[q]) for q in sample])
    assert family.elbo() == pytest.approx(total / (2 * GRAPH.n_edges), rel=1e-6)


def test_the_posterior_has_the_embeddings_as_means_and_no_pair_network():
    family = make_family()
    q = family.posterior()
    np.testing.assert_array_equal(q.mean, family.embeddings().numpy())
    assert len(q.forest) == 0
    with pytest.raises(OptionError, match="pair network"):
        family.posterior(pairwise=True)
