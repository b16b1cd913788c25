"""The whole fit on small graphs: the same each time, saved, loaded, safe where there is little to learn."""

import numpy as np
import pytest
import scipy.sparse as sp

import acvae
from acvae.exceptions import FeatureError, GraphError, OptionError, PosteriorError
from acvae.families.graph_gaussian import GraphGaussianFit, fit_graph_gaussian


def communities(seed=0, n=120, groups=6, inside=0.3, between=0.01):
    """Groups of vertices that share links and words."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % groups
    chance = np.where(group[:, None] == group, inside, between)
    i, j = np.nonzero(np.triu(rng.random((n, n)) < chance, 1))
    words = rng.random((n, 5 * groups)) < np.where(np.arange(5 * groups) // 5 == group[:, None], 0.4, 0.05)
    return sp.csr_array(words.astype(np.float32)), acvae.Graph(n, np.stack([i, j], axis=1))


def test_it_predicts_and_is_the_same_again():
    features, graph = communities()
    split = acvae.split_edges(graph, seed=0)
    fit = fit_graph_gaussian(features, split.train, seed=3)
    again = fit_graph_gaussian(features, split.train, seed=3)
    score = acvae.metrics.ncrr(fit.ranking, split.train, split.test)
    assert score.test > 2 * score.random
    assert acvae.metrics.ncrr(again.ranking, split.train, split.test) == score
    loaded = GraphGaussianFit.unpack(fit.pack(), fit.evidence.kind, split.train)
    assert acvae.metrics.ncrr(loaded.ranking, split.train, split.test) == score


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("rows", lambda a: a[1:], "'rows' has the shape"),
        ("rows", lambda a: a[:, 1:], "'rows' has the shape"),
        ("rows", lambda a: a * np.nan, "'rows' is not finite"),
        ("seen", lambda a: a[1:], "'seen' has the shape"),
        ("seen", lambda a: a.astype(np.int8), "'seen' has the type int8"),
        ("scales", lambda a: -a, "scales are not positive"),
        ("scales", lambda a: a[:0], "scales are not positive"),
        ("scales", lambda a: a[:1], "its heads read"),
        ("precision", lambda a: 0 * a, "'precision' is 0, which is not positive"),
        ("evidence/basis", lambda a: a[1:], "'shift' has the shape"),
        ("evidence/scale", lambda a: a - 100, "scales of its features are negative"),
        ("order/spread", lambda a: 0 * a, "spreads of its order are not positive"),
        ("order/centre", lambda a: a[1:], "'order/spread' has the shape"),
        ("probability/second", lambda a: a[:, 1:], "'probability/second' has the shape"),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(name, change, match):
    features, graph = communities(2, n=30)
    fit = fit_graph_gaussian(features, graph, seed=0)
    arrays = fit.pack()
    GraphGaussianFit.unpack(arrays, fit.evidence.kind, graph)
    with pytest.raises(PosteriorError, match=match):
        GraphGaussianFit.unpack(arrays | {name: change(arrays[name])}, fit.evidence.kind, graph)
    with pytest.raises(PosteriorError, match="unknown kind 'odd'"):
        GraphGaussianFit.unpack(arrays, "odd", graph)


def test_probabilities_sum_to_about_the_number_of_links_and_are_symmetric():
    features, graph = communities(1)
    fit = fit_graph_gaussian(features, graph, seed=0)
    i, j = np.triu_indices(graph.n_vertices, 1)
    there, back = fit.ranking.log_odds(i, j), fit.ranking.log_odds(j, i)
    np.testing.assert_allclose(there, back, rtol=1e-4, atol=1e-4)
    known = graph.has_edges(np.stack([i, j], axis=1))
    chance = 1 / (1 + np.exp(-there.astype(float)))
    # Of pairs that are no links, those that look like one count with those that are, without themselves.
    assert 0.2 < chance[~known].sum() / graph.n_edges < 2


@pytest.mark.parametrize("kind", ["no features", "equal features", "some observed", "real values", "counts"])
def test_features_of_every_kind(kind):
    features, graph = communities(2, n=60)
    rng = np.random.default_rng(0)
    observed = None
    if kind == "no features":
        features = None
    elif kind == "equal features":
        features = np.ones((60, 4))
    elif kind == "some observed":
        observed = rng.random(60) < 0.5
    elif kind == "real values":
        features = rng.standard_normal((60, 5))
    else:
        features = rng.poisson(2.0, (60, 80)) * (rng.random((60, 80)) < 0.2)
    fit = fit_graph_gaussian(features, graph, observed=observed, seed=0)
    for _, scores in fit.ranking.score_blocks(np.arange(60)):
        assert np.isfinite(scores).all()
    expected = {"real values": "real", "counts": "count", "no features": None}
    assert fit.report["features"] == expected.get(kind, "binary")


@pytest.mark.parametrize(
    "edges", [[(0, 1)], [(0, 1), (2, 3)], [(a, b) for a in range(5) for b in range(a + 1, 5)]]
)
def test_tiny_graphs(edges):
    graph = acvae.Graph(5, np.array(edges))
    fit = fit_graph_gaussian(np.eye(5), graph, seed=0)
    for _, scores in fit.ranking.score_blocks(np.arange(5)):
        assert np.isfinite(scores).all()
    assert np.isfinite(fit.ranking.log_odds(np.array([0]), np.array([4]))).all()


def test_no_edges_but_features():
    fit = fit_graph_gaussian(np.eye(5), acvae.Graph(5, np.empty((0, 2), dtype=int)), seed=0)
    for _, scores in fit.ranking.score_blocks(np.arange(5)):
        assert np.isfinite(scores).all()


def test_bad_input():
    features, graph = communities(3, n=30)
    with pytest.raises(FeatureError, match="mask of 30"):
        fit_graph_gaussian(features, graph, observed=np.ones(29, bool))
    with pytest.raises(OptionError, match="above 0"):
        fit_graph_gaussian(features, graph, scales=(0.0, 2.0))
    with pytest.raises(GraphError, match="nothing to learn from"):
        fit_graph_gaussian(None, acvae.Graph(4, np.empty((0, 2), dtype=int)))
    broken = features.toarray()
    broken[2, 1] = np.nan
    with pytest.raises(FeatureError, match="finite"):
        fit_graph_gaussian(broken, graph)
    seen = np.arange(30) != 2
    assert fit_graph_gaussian(broken, graph, observed=seen).seen[2] == np.False_


@pytest.mark.parametrize("size", [1e307, 1e-307])
def test_a_graph_of_huge_or_tiny_weights_is_as_one_without(size):
    features, graph = communities(2, n=30)
    even = acvae.Graph(30, graph.edges, weights=np.full(graph.n_edges, size))
    fit = fit_graph_gaussian(features, even, scales=(2.0, 20.0), seed=0)
    plain = fit_graph_gaussian(features, graph, scales=(2.0, 20.0), seed=0)
    i, j = np.triu_indices(30, 1)
    np.testing.assert_allclose(fit.ranking.log_odds(i, j), plain.ranking.log_odds(i, j), rtol=1e-3, atol=1e-3)
    larger = acvae.Graph(31, [*graph.edges, (0, 30)], weights=np.full(graph.n_edges + 1, size))
    joined = fit.among(larger, np.pad(fit.rows, ((0, 1), (0, 0))), np.append(fit.seen, False))
    assert np.isfinite(joined.scales).all()
    np.testing.assert_allclose(
        joined.statistics.scales[0].gaussian.strength[1:],
        np.full(graph.n_edges, fit.new_strengths(2.0, 1, np.array([size]))[0]),
    )


@pytest.mark.parametrize("solver", ["exact", "local"])
def test_a_weight_that_is_nothing_beside_the_mean_is_refused(solver):
    path = acvae.Graph(5, [(0, 1), (1, 2), (2, 3), (3, 4)], weights=[1e300, 1e300, 1e300, 1e-308])
    with pytest.raises(
        GraphError, match=r"the edge \(3, 4\) has the weight 1e-308, beside a mean of .*e\+29"
    ):
        fit_graph_gaussian(None, path, solver=solver)
