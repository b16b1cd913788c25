"""Ranks against a double loop, on both sides of the number of links at which the counting changes."""

import numpy as np
import pytest

from acvae import Graph
from acvae.metrics.ranking import BUCKETS, FEW_LINKS, _count_by_buckets, rank_block


@pytest.mark.parametrize("hub_links", [1, 5, FEW_LINKS - 1, FEW_LINKS, 3 * FEW_LINKS])
@pytest.mark.parametrize("levels", [4, 10_000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ranks_of_a_hub_and_its_neighbours(hub_links: int, levels: int, dtype: type) -> None:
    rng = np.random.default_rng(hub_links)
    n = 3 * FEW_LINKS + 20
    neighbours = rng.choice(np.arange(1, n), hub_links, replace=False)
    in_train = rng.random(hub_links) < 0.5
    edges = np.stack([np.zeros_like(neighbours), neighbours], axis=1)
    train, test = Graph(n, edges[in_train]), Graph(n, edges[~in_train])
    rows = np.array([0, int(neighbours[0])])
    block = rng.integers(0, levels, (2, n)).astype(dtype)  # few levels: almost all entries tie
    columns = rng.permutation(n)
    position = np.argsort(columns)
    train_rank, test_rank = np.zeros(2 * train.n_edges, np.int64), np.zeros(2 * test.n_edges, np.int64)
    rank_block(block, rows, position, *train.csr, *test.csr, train_rank, test_rank)
    for r, i in enumerate(rows.tolist()):
        to = {int(v): block[r, position[v]] for v in range(n)}
        known = set(train.neighbors(i).tolist())
        for graph, ranks, hidden in ((train, train_rank, set()), (test, test_rank, known)):
            start = graph.csr[0][i]
            for k, j in enumerate(graph.neighbors(i).tolist()):
                expected = sum(to[v] <= to[j] for v in range(n) if v != i and v not in hidden)
                assert ranks[start + k] == expected


ROWS = {
    "spread out": lambda rng, n: rng.gamma(2, 1, n),
    "few values": lambda rng, n: rng.integers(0, 4, n),
    "all zero": lambda rng, n: np.zeros(n),
    "over many orders": lambda rng, n: rng.lognormal(0, 8, n),
    "next to nothing": lambda rng, n: rng.uniform(0, 1e-44, n),
    "negative": lambda rng, n: -rng.gamma(2, 1, n),
    "on both sides of zero": lambda rng, n: rng.normal(size=n),
    "far from zero": lambda rng, n: 1e6 + rng.normal(size=n),
    "some infinite": lambda rng, n: np.where(rng.random(n) < 0.3, np.inf, rng.random(n)),
    "some minus infinite": lambda rng, n: np.where(rng.random(n) < 0.3, -np.inf, rng.random(n)),
}


@pytest.mark.parametrize("draw", ROWS.values(), ids=ROWS.keys())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_counting_by_buckets_is_exact_however_distances_lie(draw, dtype) -> None:
    rng = np.random.default_rng(0)
    for n, links in ((1, 1), (2, 3), (301, 40), (2_500, 200)):
        row = draw(rng, n).astype(dtype)
        bound = np.sort(rng.choice(row, links))
        mixed = np.zeros(BUCKETS, np.uint8)
        got = _count_by_buckets(row, bound, np.empty((2, BUCKETS), np.int32), mixed, np.empty(n + 1, dtype))
        assert np.array_equal(got, np.searchsorted(np.sort(row), bound, side="right"))
        assert not mixed.any()


@pytest.mark.parametrize("links", [FEW_LINKS - 2, FEW_LINKS + 2])
def test_what_is_not_a_number_is_farther_than_all(links: int) -> None:
    n = FEW_LINKS + 100
    row = np.random.default_rng(0).random((1, n)).astype(np.float32)
    graph = Graph(n, [(0, v) for v in range(1, links + 1)])
    nobody = Graph(n, [])

    def ranks(block):
        out = np.zeros(2 * links, np.int64)
        assert rank_block(block, np.array([0]), np.arange(n), *graph.csr, *nobody.csr, out, out[:0]) == -1
        return out[:links]

    lacking = row.copy()
    lacking[0, -50:-20] = np.nan
    far = row.copy()
    far[0, -50:-20] = np.inf
    np.testing.assert_array_equal(ranks(lacking), ranks(far))
