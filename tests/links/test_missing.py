"""What a graph is taken to lack: against the links that splits hide."""

import numpy as np
import pytest

import acvae
from acvae.links.missing import like_missing, missing_links, missing_weights, whole_degrees


def uneven(n=300, seed=0):
    """Degrees from one to some sixty."""
    rng = np.random.default_rng(seed)
    wanted = 1 / (1 + np.arange(n)) ** 0.7
    pairs = rng.choice(n, (900, 2), p=wanted / wanted.sum())
    return acvae.Graph.from_edges([(int(i), int(j)) for i, j in pairs if i != j])


def wheel(n, reach):
    """A ring on which every vertex knows so many on either side."""
    return acvae.Graph(n, [(i, (i + step) % n) for i in range(n) for step in range(1, reach + 1)])


def random(n, share, seed=0):
    """Every pair is linked with the same chance."""
    return acvae.Graph(n, np.argwhere(np.triu(np.random.default_rng(seed).random((n, n)) < share, 1)))


@pytest.mark.parametrize(
    ("whole", "off"),
    [(uneven(), 0.1), (wheel(400, 1), 0.15), (wheel(400, 3), 0.05), (random(200, 0.3), 0.05)],
)
def test_as_many_links_are_missing_as_a_split_has_hidden(whole, off):
    splits = [acvae.split_edges(whole, seed=seed) for seed in range(20)]
    hidden = np.mean([split.test.n_edges for split in splits])
    assert np.mean([missing_links(split.train) for split in splits]) == pytest.approx(hidden, rel=off)


def test_whole_degrees_are_about_what_vertices_had():
    whole = random(800, 0.01)
    train = acvae.split_edges(whole, seed=1).train
    told = whole_degrees(train)
    assert (told >= np.maximum(train.degrees, 1)).all()
    for low, high in ((3, 5), (5, 7), (7, 9), (9, 99)):
        those = (train.degrees >= low) & (train.degrees < high)
        assert told[those].mean() == pytest.approx(whole.degrees[those].mean(), rel=0.1)


def test_weights_add_up_to_the_missing_links_both_ways_and_favour_small_degrees():
    graph = uneven()
    both = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    weight = missing_weights(graph, both, np.ones(len(both)))
    assert weight.sum() == pytest.approx(2 * missing_links(graph))
    np.testing.assert_allclose(weight[: graph.n_edges], weight[graph.n_edges :])
    smaller = graph.degrees[both].min(axis=1)
    assert weight[smaller == 1].min() > weight[smaller > 5].max()


def test_known_links_so_weighted_have_about_the_degrees_of_hidden_ones():
    whole = uneven()
    found = []
    for seed in range(20):
        train, test, *_ = acvae.split_edges(whole, seed=seed)
        weight = missing_weights(train, train.edges, np.ones(train.n_edges))
        left = np.log1p(train.degrees[train.edges] - 1).mean(axis=1)  # without the link itself
        hidden = np.log1p(train.degrees[test.edges]).mean()
        found.append((np.average(left, weights=weight) - hidden, left.mean() - hidden))
    weighted, plain = np.abs(np.mean(found, axis=0))
    assert weighted < plain / 2


def test_ends_of_each_degree_come_closer_to_what_is_missing_there():
    whole = uneven(seed=4)
    off = []
    for seed in range(10):
        train, test, *_ = acvae.split_edges(whole, seed=seed)
        weight = missing_weights(train, train.edges, np.ones(train.n_edges))
        left = (train.degrees[train.edges] - 1).ravel()
        hidden = np.bincount(train.degrees[test.edges].ravel(), minlength=99) / (2 * test.n_edges)
        found, plain = (
            np.bincount(left, np.repeat(w, 2), minlength=99) / (2 * w.sum())
            for w in (weight, np.ones(train.n_edges))
        )
        off.append((found - hidden, plain - hidden))
    found, plain = np.abs(np.mean(off, axis=0)).sum(axis=1)
    assert found < 0.6 * plain


def shares(degrees, weight):
    """Of the links one of whose ends has no link left, or one; both of whose have many; one of whose has."""
    least, most = degrees.min(axis=1), degrees.max(axis=1)
    return [np.average(kind, weights=weight) for kind in (least == 0, least == 1, least > 7, most > 30)]


@pytest.mark.parametrize("whole", [uneven(), uneven(seed=3)])
def test_left_out_links_come_closer_to_the_degrees_of_hidden_ones(whole):
    off, plain_off = [], []
    for seed in range(20):
        train, test, *_ = acvae.split_edges(whole, seed=seed)
        both = np.concatenate([train.edges, train.edges[:, ::-1]])
        weight = like_missing(train, both, np.ones(len(both)), seed=7)
        left = train.degrees[both] - 1
        hidden = shares(train.degrees[test.edges], np.ones(test.n_edges))
        off.append(np.subtract(shares(left, weight), hidden))
        plain_off.append(np.subtract(shares(left, np.ones(len(both))), hidden))
    found, plain = np.abs(np.mean(off, axis=0)), np.abs(np.mean(plain_off, axis=0))
    assert found.sum() < 0.75 * plain.sum()


def test_where_links_are_hidden_anywhere_alike_small_degrees_are_not_preferred():
    rng = np.random.default_rng(0)
    pairs = np.sort(rng.integers(0, 600, (1500, 2)), axis=1)
    whole = acvae.Graph(600, np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0))
    train, test, *_ = acvae.split_edges(whole, seed=0)
    weight = like_missing(train, train.edges, np.ones(train.n_edges), seed=7)
    left = np.average((train.degrees[train.edges] - 1).mean(axis=1), weights=weight)
    missing = missing_weights(train, train.edges, np.ones(train.n_edges))
    as_missing = np.average((train.degrees[train.edges] - 1).mean(axis=1), weights=missing)
    hidden = train.degrees[test.edges].mean()
    assert left == pytest.approx(hidden, abs=0.1)
    assert as_missing == pytest.approx(hidden, abs=0.1)


def test_weights_of_queries_are_kept_and_graphs_of_a_few_links_have_some():
    graph = uneven()
    once, thrice = (like_missing(graph, graph.edges, np.full(graph.n_edges, w), 0) for w in (1.0, 3.0))
    np.testing.assert_allclose(thrice, 3 * once)
    for few in (acvae.Graph(3, [(0, 1)]), acvae.Graph(8, [(0, 1), (2, 3), (4, 5)])):
        assert (like_missing(few, few.edges, np.ones(few.n_edges), 0) > 0).all()


def test_a_graph_lacks_at_most_four_times_as_many_links_as_it_has():
    assert missing_links(acvae.Graph(80, [(0, 1), (2, 3), (4, 5)])) == pytest.approx(12)
    assert missing_links(acvae.Graph(4, [])) == 0
