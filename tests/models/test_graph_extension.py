"""New vertices of a fitted GraphGaussian, against dense Gaussians on the larger graph."""

import numpy as np
import pytest

from acvae import Graph, GraphGaussian, Posterior
from acvae.exceptions import FeatureError, GraphError, OptionError, UnknownNameError

N, D = 24, 14


def make_data(seed=0):
    """Two noisy blocks with features that tell them apart, a vertex without edges, one without features."""
    rng = np.random.default_rng(seed)
    block = np.arange(N) % 2
    share = np.where(block[:, None] == block, 0.35, 0.05)
    pairs = [(i, j) for i in range(N - 1) for j in range(i) if rng.random() < share[i, j]]
    x = (rng.random((N, D)) < np.where(block[:, None] == (np.arange(D) % 2), 0.4, 0.1)).astype(float)
    x[3] = 0
    return x, Graph(N, pairs)


def fit(**options):
    x, graph = make_data()
    return GraphGaussian(latent_dim=4, scales=(2.0, 20.0), progress=False, **options).fit(x, graph), x, graph


@pytest.fixture(scope="module")
def fitted():
    return fit()


def test_updated_as_the_larger_graph_says(fitted):
    model, x, graph = fitted
    new = x[[0, 7]]
    found = model.extend(new, [(0, 4), (0, 5), (1, 6), (1, ("new", 0))])
    q = found.posterior
    assert found.vertices.tolist() == [N, N + 1]
    assert found.graph.n_edges == graph.n_edges + 4
    fit, joint = model._fit, q.joint
    evidence, seen = fit.evidence.project(new)
    own = fit.precision * np.concatenate([fit.seen, seen])
    pull = own[:, None] * np.concatenate([fit.rows, evidence])
    for k in range(q.latent_dim):
        s = joint.group[k]
        precision = np.diag(1 + own)
        for (i, j), a in zip(joint.links, joint.strength[s], strict=True):
            precision[[i, j], [i, j]] += a
            precision[[i, j], [j, i]] -= a
        covariance = np.linalg.inv(precision)
        np.testing.assert_allclose(q.mean[:, k], covariance @ pull[:, k // 2], atol=1e-5)
        np.testing.assert_allclose(q.std[:, k] ** 2, np.diag(covariance), rtol=1e-4)
    added = joint.strength[:, graph.n_edges :]
    np.testing.assert_allclose(added, joint.strength[:, :1] * np.ones_like(added))


def test_fixed_leaves_the_known_as_they_were_and_the_new_are_their_conditional(fitted):
    model, x, _ = fitted
    q = model.posterior_
    found = model.extend(x[[1]], [(0, 4), (0, 5)], known="fixed").posterior
    np.testing.assert_allclose(found.mean[:N], q.mean, atol=1e-5)
    np.testing.assert_allclose(found.std[:N], q.std, rtol=1e-5)
    i, j = np.mgrid[:N, :N]
    np.testing.assert_allclose(found.pair_correlation(i, j), q.pair_correlation(i, j), atol=1e-8)
    evidence, _ = model._fit.evidence.project(x[[1]])
    for k in range(q.latent_dim):
        s = q.joint.group[k]
        a, c = model._fit.new_strengths(model.scales_[s], 1)[0], model._fit.precision
        whole = 1 + c + 2 * a
        mean = (c * evidence[0, k // 2] + a * (q.mean[4, k] + q.mean[5, k])) / whole
        assert found.mean[N, k] == pytest.approx(mean, abs=1e-5)
        both = q.std[[4, 5], k].astype(float)
        rho = q.pair_correlation(4, 5)[k]
        spread = 1 / whole + (a / whole) ** 2 * (both @ both + 2 * rho * both.prod())
        assert found.std[N, k] == pytest.approx(np.sqrt(spread), rel=1e-4)


def test_fixed_is_saved_and_loaded(fitted, tmp_path):
    model, x, _ = fitted
    q = model.extend(x[[1, 2]], [(0, 4), (0, 5), (1, 4)], known="fixed").posterior
    assert (q.joint.strength < 0).any()
    q.save(tmp_path / "q")
    back = Posterior.load(tmp_path / "q")
    np.testing.assert_array_equal(back.distances(range(N + 2)), q.distances(range(N + 2)))
    np.testing.assert_array_equal(back.sample(2), q.sample(2))


def test_edges_keep_their_weights_and_new_ones_have_the_mean():
    x, graph = make_data()
    weights = np.random.default_rng(1).uniform(0.5, 2, graph.n_edges)
    graph = Graph(N, graph.edges, weights=weights)
    model = GraphGaussian(latent_dim=2, scales=(2.0,), progress=False).fit(x, graph)
    found = model.extend(x[[1]], [(0, 4), (0, 5)])
    mean = graph.weights.mean()
    expected = dict(zip(map(tuple, graph.edges.tolist()), graph.weights, strict=True))
    expected |= {(4, N): mean, (5, N): mean}
    got = dict(zip(map(tuple, found.graph.edges.tolist()), found.graph.weights, strict=True))
    assert got == expected
    joint = found.posterior.joint  # whose strengths follow them
    ratio = joint.strength[0] / [expected[tuple(edge)] for edge in joint.links.tolist()]
    np.testing.assert_allclose(ratio, ratio[0])


def test_without_an_edge_before_the_new_ones_have_no_weights():
    x, _ = make_data()
    model = GraphGaussian(latent_dim=2, scales=(2.0,), progress=False)
    found = model.fit(x, Graph(N, [], weights=[])).extend(x[[1]], [(0, 4)])
    assert found.graph.n_edges == 1
    assert found.graph.weights is None


def test_edges_only_and_features_only(fitted):
    model, x, _ = fitted
    by_edges = model.extend(None, [("stranger", 4)], names=["stranger"]).posterior
    assert by_edges.pair_correlation(N, 4).min() > 0
    by_features = model.extend(x[[4]]).posterior
    assert by_features.pair_correlation(N, 4).max() == 0
    np.testing.assert_allclose(by_features.mean[N], model.transform(x[[4]])[0], atol=1e-6)


def test_new_vertices_that_are_fixed_one_after_the_other_hear_only_of_those_before(fitted):
    model, x, _ = fitted
    both = model.extend(x[[1, 2]], [(0, 4), (1, 5), (1, ("new", 0))], known="fixed").posterior
    first = model.extend(x[[1]], [(0, 4)], known="fixed").posterior
    np.testing.assert_allclose(both.mean[: N + 1], first.mean, atol=1e-5)
    np.testing.assert_allclose(both.std[: N + 1], first.std, rtol=1e-5)
    assert both.pair_correlation(N, N + 1).min() > 0


def test_a_local_fit_takes_no_negative_strengths():
    model, x, _ = fit(solver="local")
    with pytest.raises(OptionError, match="known='update', or fit with solver='exact'"):
        model.extend(x[:1], [(0, 4)], known="fixed")
    assert model.extend(x[:1], [(0, 4)]).posterior.n_vertices == N + 1


@pytest.mark.parametrize(
    ("features", "edges", "error", "telling"),
    [
        (None, [(0, 4)], FeatureError, "give features, or names"),
        (np.zeros((0, D)), [], FeatureError, "there are no new vertices"),
        (np.ones((1, D)), [(0, 4), (0, 4)], GraphError, "given twice"),
        (np.ones((1, D)), [(0, ("new", 0))], GraphError, "linked with itself"),
        (np.ones((1, D)), [(1, 4)], GraphError, "new vertices"),
        (np.ones((1, D)), [(0, N)], GraphError, "known vertices"),
    ],
)
def test_what_cannot_be_added(fitted, features, edges, error, telling):
    with pytest.raises(error, match=telling):
        fitted[0].extend(features, edges)


def test_columns_of_a_data_frame_are_those_of_the_fit(fitted):
    pd = pytest.importorskip("pandas")
    _, x, graph = fitted
    columns = [f"w{j}" for j in range(D)]
    frame = pd.DataFrame(x, columns=columns)
    model = GraphGaussian(latent_dim=4, scales=(2.0,), progress=False).fit(frame, graph)
    new = frame.iloc[[0, 7]]
    found = model.extend(new, [(0, 4)]).posterior
    np.testing.assert_array_equal(found.mean, model.extend(x[[0, 7]], [(0, 4)]).posterior.mean)
    with pytest.raises(FeatureError, match="must be in the same order as they were in fit"):
        model.extend(new[columns[::-1]], [(0, 4)])
    with pytest.raises(FeatureError, match=r"unseen at fit time:\n- other"):
        model.extend(new.rename(columns={"w3": "other"}), [(0, 4)])


@pytest.fixture(scope="module")
def named():
    """Fitted to a data frame whose index names the vertices."""
    pd = pytest.importorskip("pandas")
    x, graph = make_data()
    names = [f"v{i}" for i in range(N)]
    frame = pd.DataFrame(x, index=names, columns=[f"w{j}" for j in range(D)])
    graph = Graph(N, graph.edges, names)
    return GraphGaussian(latent_dim=4, scales=(2.0,), progress=False).fit(frame, graph), frame


def test_the_index_of_a_data_frame_names_new_vertices(named):
    model, frame = named
    new = frame.iloc[[0, 7]].set_axis(["x", "y"])
    found = model.extend(new, [("x", "v3"), ("y", ("new", "x"))])
    assert found.graph.names[N:].tolist() == ["x", "y"]
    assert found.graph.has_edges([(3, N), (N, N + 1)]).all()
    other = model.extend(new, [("a", "v3"), ("b", ("new", "a"))], names=["a", "b"])  # unless they are given
    assert other.graph.names[N:].tolist() == ["a", "b"]
    np.testing.assert_array_equal(other.posterior.mean, found.posterior.mean)


def test_an_index_that_only_counts_names_nobody(named):
    model, frame = named
    counted = frame.iloc[[0, 7]].reset_index(drop=True)
    assert model.extend(counted, [(0, "v3")]).graph.names[N:].tolist() == ["new-0", "new-1"]
    x, graph = make_data()
    nameless = GraphGaussian(latent_dim=4, scales=(2.0,), progress=False).fit(x, graph)
    rows = frame.reset_index(drop=True).iloc[[0, 7]]  # a part of a table whose index counts its rows
    assert nameless.extend(rows, [(0, 3)]).graph.names is None


def test_new_vertices_are_called_otherwise_than_known_ones(named):
    model, frame = named
    with pytest.raises(GraphError, match="new vertices are called as known ones are: 'v0', 'v7'"):
        model.extend(frame.iloc[[0, 7]], [(0, "v3")])
    with pytest.raises(GraphError, match="called as known ones are: 'v4'"):
        model.extend(frame.iloc[[0]], [(0, "v3")], names=["v4"])


def test_ends_by_name_where_there_are_none(fitted, named):
    with pytest.raises(UnknownNameError, match="no vertex 'x'; the new vertices have no names"):
        named[0].extend(np.ones((1, D)), [("x", "v3")])
    with pytest.raises(UnknownNameError, match="no vertex 'v3'; the known vertices have no names"):
        fitted[0].extend(np.ones((1, D)), [(0, "v3")])


@pytest.fixture(scope="module")
def weighted():
    x, graph = make_data()
    weights = np.random.default_rng(1).uniform(0.5, 2, graph.n_edges)
    graph = Graph(N, graph.edges, weights=weights)
    return GraphGaussian(latent_dim=4, scales=(2.0, 20.0), progress=False).fit(x, graph), x, graph


@pytest.mark.parametrize("with_weights", [True, False])
def test_new_edges_have_weights_as_the_known_ones(fitted, weighted, with_weights):
    """Strengths in proportion to weight at every scale, and the means and spreads of the dense Gaussian."""
    model, x, graph = weighted if with_weights else fitted
    new, weights = x[[0, 7]], [3.0, 0.2, 1.5]
    found = model.extend(new, [(1, 6), (0, 4), (1, ("new", 0))], weights=weights)
    known = graph.weights if with_weights else np.ones(graph.n_edges)
    expected = dict(zip(map(tuple, graph.edges.tolist()), known, strict=True))
    expected |= {(6, N + 1): 3.0, (4, N): 0.2, (N, N + 1): 1.5}
    got = dict(zip(map(tuple, found.graph.edges.tolist()), found.graph.weights, strict=True))
    assert got == expected
    fit, q = model._fit, found.posterior
    evidence, seen = fit.evidence.project(new)
    own = fit.precision * np.concatenate([fit.seen, seen])
    pull = own[:, None] * np.concatenate([fit.rows, evidence])
    linked = (graph.degrees > 0).sum()
    for k in range(q.latent_dim):
        of_one = model.scales_[k % 2] * (1 + fit.precision) * linked / (2 * graph.n_edges)
        precision = np.diag(1 + own)
        for (i, j), weight in expected.items():
            a = of_one * weight / known.mean()
            precision[[i, j], [i, j]] += a
            precision[[i, j], [j, i]] -= a
        covariance = np.linalg.inv(precision)
        np.testing.assert_allclose(q.mean[:, k], covariance @ pull[:, k // 2], atol=1e-5)
        np.testing.assert_allclose(q.std[:, k] ** 2, np.diag(covariance), rtol=1e-4)


def test_weights_where_the_known_are_fixed(weighted):
    model, x, _ = weighted
    q = model.posterior_
    found = model.extend(x[[1]], [(0, 4), (0, 5)], known="fixed", weights=[0.5, 4.0]).posterior
    np.testing.assert_allclose(found.mean[:N], q.mean, atol=1e-5)
    alike = model.extend(x[[1]], [(0, 4), (0, 5)], known="fixed").posterior
    gap = np.abs(found.mean[N] - q.mean[5]) - np.abs(alike.mean[N] - q.mean[5])
    assert (gap < 0).all()  # nearer to who is heard louder


@pytest.mark.parametrize(
    ("edges", "weights", "telling"),
    [
        ([(0, 4), (0, 5)], [1.0], r"weights must have shape \(2,\)"),
        ([(0, 4)], [0.0], "positive and finite"),
        ([(0, 4)], [np.nan], "positive and finite"),
        ([(0, 4)], [1e308], r"weight 1e\+308, beside a mean of .* of the known"),
        ([(0, 4)], [1e-305], "weight 1e-305, beside a mean of .* at least 1e-300 times"),
        ([(0, 4)], ["heavy"], "weights must be numbers"),
        ([(0, 4, 2.0)], None, r"one is \(0, 4, 2.0\)\. Weights are given by weights="),
    ],
)
def test_weights_that_are_none(weighted, edges, weights, telling):
    model, x, _ = weighted
    with pytest.raises(GraphError, match=telling):
        model.extend(x[[1]], edges, weights=weights)


# ---------------------------------------------------------------------- links of the new


def people():
    """Two circles of people who share habits, all named."""
    rng = np.random.default_rng(1)
    n = 160
    circle = np.arange(n) % 2
    share = np.where(circle[:, None] == circle, 0.08, 0.004)
    edges = np.argwhere(np.triu(rng.random((n, n)) < share, 1))
    habits = (rng.random((n, 20)) < np.where(circle[:, None] == np.arange(20) % 2, 0.5, 0.05)).astype(float)
    names = [f"p{i}" for i in range(n)]
    return habits, Graph.from_edges([(names[i], names[j]) for i, j in edges], names), circle


@pytest.mark.parametrize("weighted", [False, True])
def test_a_stranger_changes_no_known_link_and_strengths_stay(weighted):
    x, graph = make_data()
    rng = np.random.default_rng(2)
    if weighted:
        graph = Graph(N, graph.edges, weights=rng.uniform(0.5, 4, graph.n_edges))
    model = GraphGaussian(scales=(2.0, 20.0), progress=False).fit(x, graph)
    i, j = np.triu_indices(N, 1)
    known = model.links_.log_odds(i, j)
    alone = model.extend(None, names=[N])
    np.testing.assert_allclose(alone.links_.log_odds(i, j), known, atol=1e-4)
    joined = model.extend(x[[0, 7]], [(0, 4), (0, 5), (1, 6)])
    joint = joined.posterior.joint
    order = np.lexsort(np.sort(joint.links, axis=1).T[::-1])
    for s, scale in enumerate(joined.links_.statistics.scales):
        np.testing.assert_allclose(scale.gaussian.strength, joint.strength[s, order], rtol=1e-12)
        np.testing.assert_allclose(scale.gaussian.diagonal, joint.diagonal[s], rtol=1e-12)


def test_new_people_are_expected_in_their_circle():
    habits, graph, circle = people()
    model = GraphGaussian(progress=False).fit(habits, graph)
    features = np.array([np.arange(20) % 2 == 0, np.arange(20) % 2 == 1]).astype(float)
    found = model.extend(features, names=["even", "odd"])
    ids, probability = found.predict_links(found.vertices, k=10)
    assert (circle[ids] == [[0], [1]]).all()
    assert (np.diff(probability) <= 0).all()
    np.testing.assert_allclose(found.link_probability([["even"], ["odd"]], ids), probability, rtol=1e-5)
    assert found.link_probability("odd", "even") == pytest.approx(found.link_probability("even", "odd"))
    named, _ = found.predict_links(["even"], k=3, names=True)
    assert named[0].tolist() == [graph.name(i) for i in ids[0, :3]]
    by_edges = model.extend(None, [("x", "p3"), ("x", "p5"), ("x", "p7")], names=["x"])
    ids, _ = by_edges.predict_links(["x"], k=5)
    assert (circle[ids[0]] == 1).all()
    assert not np.isin([graph.index("p3"), graph.index("p5"), graph.index("p7")], ids).any()
    assert repr(found) == "GraphExtension(2 new of 162 vertices)"


@pytest.mark.parametrize("features", [True, False])
@pytest.mark.parametrize("least", [1, 3])
def test_a_vertex_that_comes_without_links_has_about_as_many_as_others(features, least):
    """No vertex of the graph is without: nothing but stripped ones says what such a vertex is like."""
    n = 240
    rng = np.random.default_rng(1)
    block = np.arange(n) % 4
    i = np.repeat(np.arange(n), least)
    j = (i + 4 * rng.integers(1, n // 4, len(i))) % n  # within its block
    graph = Graph(n, np.stack([i, j], axis=1))
    assert graph.degrees.min() >= least
    x = (rng.random((n, 12)) < np.where(block[:, None] == np.arange(12) % 4, 0.6, 0.1)).astype(float)
    model = GraphGaussian(scales=(1.5, 15.0), progress=False).fit(x if features else None, graph)
    new = model.extend(x[:6] if features else None, [], names=None if features else ["a", "b"])
    known = np.arange(n)
    expected = [new.link_probability(np.full(n, v), known).sum() for v in new.vertices]
    assert 0.3 * graph.degrees.mean() < np.mean(expected) < 3 * graph.degrees.mean()


def test_a_heavy_new_edge_leaves_probabilities_of_others_alone():
    rng = np.random.default_rng(0)
    n = 120
    pairs = np.unique(np.sort(rng.integers(0, n, (300, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    graph = Graph(n, pairs, weights=rng.uniform(0.5, 2, len(pairs)))
    model = GraphGaussian(scales=(1.5, 15.0), progress=False).fit(rng.random((n, 4)), graph)
    new = model.extend(rng.random((1, 4)), [(0, 5)], weights=[1e4])
    i, j = rng.integers(6, n, (2, 400))
    i, j = i[i != j], j[i != j]
    walk = list(model.links_.statistics.names).index("log walk")
    before = model.links_.statistics.pairs(i, j)[:, walk]
    after = new.links_.statistics.pairs(i, j)[:, walk]
    assert np.median(np.abs(after - before)) < 0.1  # a walk that reaches the new vertex stays there


def test_strengths_stay_though_the_new_vertex_is_the_first_to_say_anything():
    x = np.ones((N, 3))
    x[:, 0] = 0
    _, graph = make_data()
    model = GraphGaussian(scales=(2.0,), progress=False).fit(x, graph)
    assert not model._fit.seen.any()
    new = model.extend(np.array([[1.0, 1.0, 1.0]]), [(0, 4)])
    gaussian = new.links_.statistics.scales[0].gaussian
    np.testing.assert_allclose(gaussian.strength, new.posterior.joint.strength[0], rtol=1e-6)


def test_fixed_says_what_many_edges_of_one_vertex_would_take(fitted, monkeypatch):
    model, x, _ = fitted
    monkeypatch.setattr("acvae.models.graph_extension.BYTES_A_PAIR", 1e15)
    with pytest.raises(OptionError, match=r"a new vertex of 2 edges.*known='update'"):
        model.extend(x[[1]], [(0, 4), (0, 5)], known="fixed")
