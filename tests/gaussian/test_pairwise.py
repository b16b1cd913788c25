import numpy as np
import pytest

import oracles
from acvae import Graph, Posterior, cluster, metrics
from acvae.exceptions import PosteriorError
from acvae.gaussian import PairwiseMarginals
from acvae.gaussian import pairwise as module


def make(n=23, h=5, d=3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return PairwiseMarginals(
        rng.normal(size=(n, h)).astype(dtype),
        rng.normal(size=(n, h)).astype(dtype),
        rng.normal(size=(h, d)).astype(dtype),
        rng.normal(size=d).astype(dtype),
    )


def naive(net):
    """(n, n, d) pair by pair: run both orders, average the pre-activations, squash."""
    n, d = len(net.first), len(net.bias)
    out = np.empty((n, n, d))
    for i in range(n):
        for j in range(n):
            one = np.maximum(net.first[i] + net.second[j], 0) @ net.weight + net.bias
            other = np.maximum(net.first[j] + net.second[i], 0) @ net.weight + net.bias
            out[i, j] = (1 - 1e-6) * (2 / (1 + np.exp(-(one + other) / 2)) - 1)
        out[i, i] = 1
    return out


def posterior(net, dtype="float64", seed=1):
    rng = np.random.default_rng(seed)
    n, d = len(net.first), len(net.bias)
    return Posterior.from_correlations(
        rng.normal(size=(n, d)), rng.uniform(0.2, 2, size=(n, d)), net, dtype=dtype
    )


def test_pairs():
    net = make()
    i, j = (a.ravel() for a in np.indices((23, 23)))
    found = net.pairs(i, j).reshape(23, 23, 3)
    np.testing.assert_allclose(found, naive(net), rtol=0, atol=1e-12)
    assert np.array_equal(found, found.transpose(1, 0, 2))
    assert (np.abs(found[~np.eye(23, dtype=bool)]) < 1).all()


@pytest.mark.parametrize("tile", [1, 64, 1 << 19])
def test_tiles_of_any_size(tile, monkeypatch):
    net = make()
    expected = naive(net)
    monkeypatch.setattr(module, "TILE_NUMBERS", tile)
    i, j = (a.ravel() for a in np.indices((23, 23)))
    np.testing.assert_allclose(net.pairs(i, j).reshape(23, 23, 3), expected, rtol=0, atol=1e-12)
    q = posterior(net)
    exact = oracles.dense_distances(q.mean, q.std, expected)
    np.testing.assert_allclose(q.distances(np.arange(23)), exact, rtol=0, atol=1e-11)


def test_rows_pairs_and_naive_distances_agree():
    net = make()
    q = posterior(net)
    expected = oracles.dense_distances(q.mean, q.std, naive(net))
    i, j = np.indices((23, 23))
    np.testing.assert_allclose(q.pair_correlation(i, j), naive(net), rtol=0, atol=1e-12)
    np.testing.assert_allclose(q.pair_distance(i, j), expected, rtol=0, atol=1e-11)
    whole = q.distances(np.arange(23))
    np.testing.assert_allclose(whole, expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(whole, whole.T, rtol=0, atol=1e-11)
    assert (np.diag(whole) == 0).all()


@pytest.mark.parametrize("rows", [[4], [22, 0, 7], [3, 3, 9, 3], list(range(22, -1, -1)), []])
def test_some_rows_in_any_order(rows):
    q = posterior(make())
    found = q.distances(rows)
    assert found.shape == (len(rows), 23)
    np.testing.assert_allclose(found, q.distances(np.arange(23))[rows], rtol=0, atol=1e-12)


@pytest.mark.parametrize("block_rows", [1, 4, 23, 100])
def test_blocks(block_rows):
    q = posterior(make())
    expected = oracles.dense_distances(q.mean, q.std, naive(q.joint))
    for rows, columns, block in q.distance_blocks(block_rows=block_rows):
        assert len(rows) <= block_rows
        np.testing.assert_allclose(block, expected[rows][:, columns], rtol=0, atol=1e-11)


def test_float32():
    net = make(d=4, dtype=np.float32)
    q = posterior(net, dtype="float32")
    wide = [a.astype(np.float64) for a in (net.first, net.second, net.weight, net.bias)]
    exact = oracles.dense_distances(
        q.mean.astype(float), q.std.astype(float), naive(PairwiseMarginals(*wide))
    )
    found = q.distances(np.arange(23))
    assert found.dtype == np.float32
    scale = (q.mean.astype(float) ** 2 + q.std.astype(float) ** 2).sum(axis=1).max()
    assert np.abs(found - exact).max() <= 100 * scale * np.finfo(np.float32).eps


def test_extreme_logits_stay_inside():
    net = make()
    net = PairwiseMarginals(net.first * 1e3, net.second * 1e3, net.weight, net.bias)
    i, j = np.triu_indices(23, 1)
    found = net.pairs(i, j)
    assert (np.abs(found) <= 1 - 1e-6).all()
    assert (np.abs(found) == 1 - 1e-6).any()
    assert (posterior(net).distances(np.arange(23)) >= 0).all()


def test_no_pairs():
    nothing = np.empty(0, dtype=np.int64)
    assert make().pairs(nothing, nothing).shape == (0, 3)


def test_there_is_no_joint():
    q = posterior(make())
    assert not q.has_joint
    assert not q.has_forest
    with pytest.raises(PosteriorError, match="no forest: this posterior has pairwise approximations"):
        q.forest  # noqa: B018
    assert "pairwise approximations" in repr(q)
    with pytest.raises(PosteriorError, match=r"sample needs a joint distribution.*CVAE.*use ACVAE"):
        q.sample(1)
    with pytest.raises(PosteriorError, match=r"log_prob needs a joint distribution.*CVAE.*use ACVAE"):
        q.log_prob(q.mean)


def test_same_questions_as_any_posterior():
    q = posterior(make())
    expected = oracles.dense_distances(q.mean, q.std, naive(q.joint))
    ids, values = q.nearest([5, 11], 4)
    for row, found, near in zip([5, 11], ids, values, strict=True):
        others = np.delete(np.arange(23), row)
        best = others[np.argsort(expected[row, others])[:4]]
        assert found.tolist() == best.tolist()
        np.testing.assert_allclose(near, expected[row, best], atol=1e-11)
    train, test = Graph(23, [[0, 1], [2, 3], [4, 5]]), Graph(23, [[0, 2], [1, 7]])
    train_rank, test_rank = oracles.link_ranks(expected, train, test)
    score = metrics.ncrr(q, train, test)
    assert score.train == pytest.approx(oracles.ncrr(train_rank))
    assert score.test == pytest.approx(oracles.ncrr(test_rank))
    assert len(np.unique(cluster(q, 3))) == 3


@pytest.mark.parametrize(("n", "h", "block"), [(150, 7, 32), (70, 300, 16), (23, 5, 5)])
def test_what_is_kept_for_the_other_half_changes_no_bit(n, h, block, monkeypatch):
    # Keeping nothing evaluates the network on both (i, j) and (j, i); keeping a part, on both of some pairs.
    rng = np.random.default_rng(3)
    net = make(n, h, 4, dtype=np.float32)
    q = posterior(net, "float32")
    rows = rng.permutation(n)
    rows = np.concatenate([rows, rows[:7]])  # a row that was kept and is asked for again

    def stacked(kept):
        monkeypatch.setattr(module, "KEPT_BYTES", kept)
        blocks = net.distance_blocks(q.mean, q.std).blocks(rows, block)
        parts = [(at, distances.copy()) for at, distances in blocks]
        assert np.array_equal(np.concatenate([at for at, _ in parts]), rows)
        return np.concatenate([distances for _, distances in parts])

    all_kept, some, none = stacked(1 << 30), stacked(4 * 2 * block * n), stacked(0)
    assert np.array_equal(all_kept, none)
    assert np.array_equal(some, none)
    exact = oracles.dense_distances(q.mean.astype(float), q.std.astype(float), naive(net))[rows]
    np.testing.assert_allclose(all_kept, exact, rtol=0, atol=1e-4)


def test_each_pair_is_evaluated_once_when_all_rows_are_asked_for(monkeypatch):
    seen = []
    real = module._activate

    def count(first, second, at, places, columns, out):
        seen.append(len(places) * len(columns))
        real(first, second, at, places, columns, out)

    monkeypatch.setattr(module, "_activate", count)
    net = make(96)
    list(net.distance_blocks(np.zeros((96, 3)), np.ones((96, 3))).blocks(np.arange(96), 8))
    assert sum(seen) == sum(8 * (96 - start) for start in range(0, 96, 8))
