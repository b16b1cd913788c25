"""Batches: every edge once an epoch, uniform pairs, and row numbers that point to the right vertices."""

import numpy as np
import pytest
import torch
from scipy import stats

from acvae import Graph
from acvae.engine.batches import BatchSizes, compact, edge_batches, n_batches, random_pairs, vertex_batches
from acvae.engine.distributed import World


def make_graph(n=30, m=100, seed=0):
    return Graph(n, np.random.default_rng(seed).integers(0, n, (m, 2)))


def edges_of(batch):
    """Vertex ids (e, 2) of the batch's edges."""
    return batch.rows[batch.edges].numpy().T


def pairs_of(batch):
    """Vertex ids (2, p) of the batch's random pairs."""
    return batch.rows[batch.pairs].numpy()[:, batch.edges.shape[1] :]


class TestEdgeBatches:
    sizes = BatchSizes(vertices=7, edges=16, pairs=11)

    def batches(self, graph, seed=0, draw_pairs=True, sizes=None):
        weights = np.arange(graph.n_edges) / graph.n_edges
        rng = np.random.default_rng(seed)
        return list(edge_batches(graph, weights, sizes or self.sizes, rng, draw_pairs))

    def test_an_epoch_has_each_edge_once_with_its_own_weight(self):
        graph = make_graph()
        batches = self.batches(graph)
        assert len(batches) == n_batches(graph.n_edges, 16)
        seen = np.concatenate([edges_of(b) for b in batches])
        order = np.lexsort(seen.T[::-1])
        np.testing.assert_array_equal(seen[order], graph.edges)
        weights = np.concatenate([b.weights.numpy() for b in batches])[order]
        np.testing.assert_allclose(weights, np.arange(graph.n_edges) / graph.n_edges, rtol=1e-6)

    def test_sizes_are_kept_and_only_the_last_batch_is_short(self):
        graph = make_graph()
        batches = self.batches(graph)
        assert [b.edges.shape[1] for b in batches[:-1]] == [16] * (len(batches) - 1)
        assert batches[-1].edges.shape[1] == graph.n_edges - 16 * (len(batches) - 1) < 16
        assert all(pairs_of(b).shape == (2, 11) for b in batches)

    def test_rows_are_distinct_and_encoded_ones_hold_every_edge_end(self):
        for batch in self.batches(make_graph()):
            rows = batch.rows.numpy()
            assert len(np.unique(rows)) == len(rows)
            assert batch.edges.max() < batch.n_encoded
            assert set(rows) >= set(pairs_of(batch).ravel())

    def test_own_vertices_are_distinct_and_cover_all_in_time(self):
        graph = make_graph(n=28)
        own = [b.rows[: b.n_own].numpy() for b in self.batches(graph)]
        assert all(len(np.unique(v)) == len(v) == 7 for v in own)
        assert len(np.unique(np.concatenate(own[:4]))) == 28  # one pass of four batches of seven

    def test_asking_for_more_vertices_than_there_are_takes_all(self):
        graph = make_graph(n=5, m=9)
        for batch in self.batches(graph, sizes=BatchSizes(64, 256, 256)):
            assert sorted(batch.rows[: batch.n_own].tolist()) == [0, 1, 2, 3, 4]

    def test_vertices_are_uniform_over_many_epochs(self):
        graph = make_graph(n=30)
        count = np.zeros(30)
        for seed in range(200):
            for batch in self.batches(graph, seed):
                count[batch.rows[: batch.n_own].numpy()] += 1
        # Draws without repeats within a pass vary less than a multinomial, so the bound is generous.
        assert stats.chisquare(count).pvalue > 1e-3

    def test_without_pairs_none_are_drawn(self):
        assert all(pairs_of(b).shape == (2, 0) for b in self.batches(make_graph(), draw_pairs=False))

    def test_the_generator_decides_the_order(self):
        graph = make_graph()
        a, b, c = (np.concatenate([edges_of(x) for x in self.batches(graph, s)]) for s in (1, 1, 2))
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(a, c)


class TestVertexBatches:
    def test_an_epoch_has_each_vertex_once(self):
        batches = list(vertex_batches(23, BatchSizes(vertices=5), np.random.default_rng(0)))
        assert [len(b.rows) for b in batches] == [5, 5, 5, 5, 3]
        assert sorted(torch.cat([b.rows for b in batches]).tolist()) == list(range(23))
        assert all(b.n_own == len(b.rows) and b.edges.shape == (2, 0) for b in batches)


class TestRandomPairs:
    def test_never_a_vertex_with_itself(self):
        u, v = random_pairs(3, 5000, np.random.default_rng(0))
        assert (u != v).all()
        assert u.min() >= 0
        assert v.max() == 2

    def test_uniform_over_ordered_pairs(self):
        n = 7
        u, v = random_pairs(n, 42_000, np.random.default_rng(1))
        table = np.zeros((n, n))
        np.add.at(table, (u, v), 1)
        assert stats.chisquare(table[~np.eye(n, dtype=bool)]).pvalue > 1e-3

    @pytest.mark.parametrize("n", [0, 1])
    def test_no_pairs_without_two_vertices(self, n):
        assert random_pairs(n, 10, np.random.default_rng(0)).shape == (2, 0)


class TestCompact:
    def test_hand_computed(self):
        slot = np.zeros(10, dtype=np.int64)
        rows, n_first, local = compact(np.array([4, 2, 4, 9]), np.array([2, 7, 7, 4]), slot)
        assert rows.tolist() == [4, 2, 9, 7]
        assert n_first == 3
        assert local.tolist() == [0, 1, 0, 2, 1, 3, 3, 0]
        assert (slot == 0).all()

    def test_points_back_to_the_ids_it_was_given(self):
        rng = np.random.default_rng(0)
        slot = np.zeros(50, dtype=np.int64)
        for _ in range(50):
            first, second = (rng.integers(0, 50, rng.integers(0, 80)) for _ in range(2))
            rows, n_first, local = compact(first, second, slot)
            np.testing.assert_array_equal(rows[local], np.concatenate([first, second]))
            assert sorted(rows[:n_first]) == sorted(set(first.tolist()))
            assert len(set(rows.tolist())) == len(rows)
            assert (slot == 0).all()


@pytest.mark.parametrize(("count", "size", "expected"), [(10, 5, 2), (11, 5, 3), (1, 256, 1), (0, 5, 0)])
def test_number_of_batches(count, size, expected):
    assert n_batches(count, size) == expected


class TestShares:
    """Processes that share an epoch: the mean of their gradients is that of all edges alike."""

    def epoch(self, graph, parts, size):
        weights = np.random.default_rng(1).random(graph.n_edges)
        world = World()
        world.size = parts
        out = []
        for world.rank in range(parts):
            rng = np.random.default_rng(world.rank)
            share = world.share(graph.n_edges)
            batches = edge_batches(graph, weights, BatchSizes(4, size, 3), rng, True, share)
            out.append((share, list(batches)))
        return weights, out

    @pytest.mark.parametrize(("parts", "size"), [(2, 7), (3, 7), (4, 1), (3, 100)])
    def test_all_take_the_same_steps_over_all_edges(self, parts, size):
        graph = Graph(20, np.random.default_rng(0).integers(0, 20, (61, 2)))
        _, epoch = self.epoch(graph, parts, size)
        shapes = [[batch.edges.shape[1] for batch in batches] for _, batches in epoch]
        assert all(those == shapes[0] for those in shapes)
        numbers = {tuple(edge): number for number, edge in enumerate(graph.edges.tolist())}
        for share, batches in epoch:
            seen = [numbers[tuple(sorted(edge))] for b in batches for edge in b.rows[b.edges].T.tolist()]
            assert set(seen) == set(share.own)
            assert len(seen) - len(share.own) in (0, 1)

    @pytest.mark.parametrize("parts", [2, 3, 7])
    def test_every_edge_counts_alike_in_the_mean(self, parts):
        graph = Graph(20, np.random.default_rng(0).integers(0, 20, (61, 2)))
        for part in range(parts):
            world = World()
            world.size, world.rank = parts, part
            share = world.share(graph.n_edges)
            # The expectation of a batch's mean is the mean over the share, and it counts 1/parts.
            assert share.scale / len(share.own) / parts == pytest.approx(1 / graph.n_edges)

    def test_an_even_share_leaves_weights_as_they_are(self):
        graph = Graph(20, np.stack([np.arange(10), np.arange(10, 20)], axis=1))
        weights, epoch = self.epoch(graph, 2, 5)
        for share, [batch] in epoch:
            own = weights[share.own.start : share.own.stop].astype(np.float32)
            np.testing.assert_array_equal(np.sort(batch.weights.numpy()), np.sort(own))

    @pytest.mark.parametrize("parts", [2, 3])
    def test_vertices_are_shared_out_of_one_order(self, parts):
        n, seen, lengths = 20, [], set()
        for part in range(parts):
            world = World()
            world.size, world.rank = parts, part
            batches = list(vertex_batches(n, BatchSizes(4), np.random.default_rng(5), world.share(n)))
            rows = torch.cat([batch.rows for batch in batches]).tolist()
            lengths.add(len(rows))
            seen += rows
        assert lengths == {-(-n // parts)}
        assert set(seen) == set(range(n))
        assert len(seen) - n < parts
