"""What a graph is taken to lack: against the links that splits hide."""

import numpy as np
import pytest

import acvae
from acvae.links.missing import missing_links, missing_weights


def uneven(n=300, seed=0):
    """Degrees from one to some sixty."""
    rng = np.random.default_rng(seed)
    wanted = 1 / (1 + np.arange(n)) ** 0.7
    pairs = rng.choice(n, (900, 2), p=wanted / wanted.sum())
    return acvae.Graph.from_edges([(int(i), int(j)) for i, j in pairs if i != j])


def test_as_many_links_are_missing_as_splits_hide():
    graph = uneven()
    hidden = [acvae.split_edges(graph, seed=seed).test.n_edges for seed in range(60)]
    share = missing_links(graph) / (graph.n_edges + missing_links(graph))
    assert abs(share * graph.n_edges - np.mean(hidden)) < 4 * np.std(hidden) / np.sqrt(60)


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


def test_a_graph_of_pairs_lacks_no_more_than_it_has():
    pairs = acvae.Graph(8, [(0, 1), (2, 3), (4, 5)])
    assert missing_links(pairs) == pytest.approx(3)
    assert missing_links(acvae.Graph(4, [])) == 0
