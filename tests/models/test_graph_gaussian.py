"""GraphGaussian against the dense Gaussian, and what a user may ask of it."""

import copy

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch

import acvae
from acvae import Graph, GraphGaussian, split_edges
from acvae.exceptions import AcvaeError, FeatureError, GraphError, OptionError, SavedModelError
from acvae.gaussian.graph.solver import solver_for
from acvae.links.stored import load_ranking, save_ranking

N, D = 60, 14


def make_data(seed=0, weights=False):
    """Two noisy blocks with features that tell them apart, a vertex without edges, one without features."""
    rng = np.random.default_rng(seed)
    block = np.arange(N) % 2
    pairs = [
        (i, j)
        for i in range(N - 1)
        for j in range(i)
        if rng.random() < (0.2 if block[i] == block[j] else 0.02)
    ]
    x = (rng.random((N, D)) < np.where(block[:, None] == (np.arange(D) % 2), 0.4, 0.1)).astype(float)
    x[3] = 0
    own = rng.uniform(0.5, 2, len(pairs)) if weights else None
    return sp.csr_array(x), Graph(N, pairs, weights=own)


@pytest.fixture(scope="module")
def fitted():
    x, graph = make_data()
    return GraphGaussian(latent_dim=6, progress=False).fit(x, graph), x, graph


def dense(model, graph, k):
    """Mean and covariance of dimension k from the model's strengths alone, by a dense inverse."""
    joint = model.posterior_.joint
    s = joint.group[k]
    precision = np.diag(joint.diagonal[s])
    for (i, j), a in zip(graph.edges, joint.strength[s], strict=True):
        precision[[i, j], [i, j]] += a
        precision[[i, j], [j, i]] -= a
    return np.linalg.inv(precision)


@pytest.mark.parametrize("weights", [False, True])
def test_the_posterior_is_the_dense_conditional(weights):
    x, graph = make_data(weights=weights)
    model = GraphGaussian(latent_dim=6, scales=(0.5, 5.0), progress=False).fit(x, graph)
    q, fit = model.posterior_, model._fit
    assert q.has_joint
    assert q.mean.shape == (N, 6)
    own = fit.precision * fit.seen
    for k in range(6):
        covariance = dense(model, graph, k)
        np.testing.assert_allclose(q.std[:, k], np.sqrt(np.diag(covariance)), rtol=1e-5)
        np.testing.assert_allclose(q.mean[:, k], covariance @ (own * fit.rows[:, k // 2]), atol=1e-6)
    if weights:  # strengths follow them
        ratio = q.joint.strength[0] / graph.weights
        np.testing.assert_allclose(ratio, ratio[0])


def test_probabilities(fitted):
    model, _, graph = fitted
    p = model.link_probability(0, np.arange(1, N))
    assert p.shape == (N - 1,)
    assert ((p > 0) & (p < 1)).all()
    assert model.link_probability(4, 9) == pytest.approx(model.link_probability(9, 4), rel=1e-6)
    linked = graph.edges[::3]
    apart = np.random.default_rng(0).integers(0, N, (300, 2))
    apart = apart[apart[:, 0] != apart[:, 1]]
    assert model.link_probability(*linked.T).mean() > 1.5 * model.link_probability(*apart.T).mean()


def test_predicted_links_are_new_and_best_first(fitted):
    model, _, graph = fitted
    ids, p = model.predict_links([0, 5, 5], k=4)
    assert ids.shape == p.shape == (3, 4)
    assert (np.diff(p, axis=1) <= 0).all()
    np.testing.assert_array_equal(ids[1], ids[2])
    start, neighbour = graph.csr
    for row, v in zip(ids, [0, 5, 5], strict=True):
        assert v not in row
        assert not set(row) & set(neighbour[start[v] : start[v + 1]])
    np.testing.assert_allclose(p[0], model.link_probability(0, ids[0]), rtol=1e-5)
    all_but_none, _ = model.predict_links(0, k=N + 5, exclude=Graph(N, []))
    assert (all_but_none[0] >= 0).sum() == N - 1


def test_hidden_links_of_a_ring_are_found_again():
    """Each vertex is linked with the next three on either side; features say nothing."""
    n = 200
    ring = Graph(n, [(i, (i + step) % n) for i in range(n) for step in (1, 2, 3)])
    split = acvae.split_edges(ring, seed=0)
    x = np.random.default_rng(0).random((n, 5))
    model = GraphGaussian(latent_dim=4, progress=False).fit(x, split.train)
    score = acvae.metrics.ncrr(model.links_, split.train, split.test)
    assert score.test > 10 * score.random
    near = model.link_probability(*split.test.edges.T).mean()
    assert near > 10 * model.link_probability(np.arange(n), (np.arange(n) + 50) % n).mean()


def test_same_seed_same_bits():
    x, graph = make_data()
    a, b = (GraphGaussian(latent_dim=4, seed=3, progress=False).fit(x, graph) for _ in range(2))
    np.testing.assert_array_equal(a.posterior_.mean, b.posterior_.mean)
    np.testing.assert_array_equal(a.link_probability(0, [1, 2, 3]), b.link_probability(0, [1, 2, 3]))


class TestMissing:
    @pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
    @pytest.mark.parametrize("value", [0.0, 1.0, 3.7])
    def test_features_that_are_the_same_for_all_are_expected_to_be_so(self, value, kind):
        _, graph = make_data()
        model = GraphGaussian(scales=(2.0,), progress=False).fit(kind(np.full((N, 3), value)), graph)
        expected, spread = model.impute([1, 5])
        np.testing.assert_allclose(expected, np.full((2, 3), value))
        np.testing.assert_allclose(spread, np.zeros((2, 3)), atol=1e-9)

    def test_without_edges_they_tell_nothing(self):
        with pytest.raises(GraphError, match="no edges, and the features are the same for every vertex"):
            GraphGaussian(progress=False).fit(np.ones((3, 2)), Graph(3, []))

    def test_rows_of_features_say_nothing_to_a_model_without(self):
        _, graph = make_data()
        model = GraphGaussian(scales=(2.0,), progress=False).fit(None, graph)
        with pytest.raises(FeatureError, match="fitted without features, so rows of features say nothing"):
            model.transform(np.ones((1, 2)))

    def test_observed_is_the_dense_conditional(self):
        x, graph = make_data()
        seen = np.arange(N) % 3 > 0
        junk = x.toarray()
        junk[~seen] = 7
        model = GraphGaussian(latent_dim=6, scales=(0.5, 5.0), progress=False).fit(junk, graph, observed=seen)
        fit = model._fit
        assert not fit.seen[~seen].any()
        covariance = dense(model, graph, 0)
        expected = covariance @ (fit.precision * fit.seen * fit.rows[:, 0])
        np.testing.assert_allclose(model.posterior_.mean[:, 0], expected, atol=1e-6)
        again = GraphGaussian(latent_dim=6, scales=(0.5, 5.0), progress=False)
        again.fit(np.where(seen[:, None], x.toarray(), -3.0), graph, observed=seen)
        np.testing.assert_allclose(again.posterior_.mean, model.posterior_.mean, atol=1e-6)

    @pytest.mark.parametrize(
        ("form", "values"),
        [
            (np.array, lambda x: x),
            (sp.csr_array, lambda x: x.data),
            (torch.tensor, lambda x: x),
            (sp.csc_array, lambda x: x.data),
            (np.asfortranarray, lambda x: x),
        ],
        ids=["array", "csr", "tensor", "csc", "by-columns"],
    )
    def test_what_becomes_of_the_features_after_the_fit_is_no_matter(self, form, values, tmp_path):
        x, graph = make_data()
        given = form(x.toarray())
        model = GraphGaussian(latent_dim=4, scales=(2.0,), progress=False)
        kept = copy.copy(model).fit(x.copy(), graph)
        model.fit(given, graph)
        values(given)[:] = 9
        model.save(tmp_path / "model")
        i, j = graph.edges[0]
        for made in (model, acvae.load(tmp_path / "model")):
            np.testing.assert_allclose(made.impute()[0], kept.impute()[0], atol=1e-12)
            assert made.explain(i, j).shared_features == kept.explain(i, j).shared_features

    def test_a_frame_that_is_changed_after_the_fit_is_no_matter(self):
        x, graph = make_data()
        frame = pd.DataFrame(x.toarray())
        model = GraphGaussian(latent_dim=4, scales=(2.0,), progress=False).fit(frame, graph)
        frame.iloc[:] = 9.0
        np.testing.assert_array_equal(model._features, x.toarray())

    def test_features_on_disk_are_not_copied_into_memory(self, tmp_path):
        x, graph = make_data()
        acvae.datasets.save_features(tmp_path / "x", x)
        mapped = acvae.datasets.open_features(tmp_path / "x")
        for observed in (None, np.arange(N) % 3 > 0):
            model = GraphGaussian(latent_dim=4, scales=(2.0,), progress=False)
            model.fit(mapped, graph, observed=observed)
            assert np.shares_memory(model._features.data, mapped.data)
            assert np.shares_memory(model._features.indices, mapped.indices)

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pd.DataFrame])
    @pytest.mark.parametrize("real", [False, True])
    def test_what_stands_in_rows_that_are_not_observed_is_no_matter(self, form, real, tmp_path):
        x, graph = make_data()
        x, seen = x.toarray(), np.arange(N) % 3 > 0
        if real:
            x += 0.3 * np.random.default_rng(1).normal(size=x.shape)
        fits = []
        for number, unseen in enumerate((0.0, np.nan, np.inf, 1e300, -0.5)):
            given = form(np.where(seen[:, None], x, unseen))
            model = GraphGaussian(latent_dim=6, scales=(0.5, 5.0), progress=False)
            model.fit(given, graph, observed=seen).save(tmp_path / f"{number}")
            fits.append(model)
        of_zeros = fits[0]
        for model in fits[1:]:
            np.testing.assert_array_equal(model.posterior_.mean, of_zeros.posterior_.mean)
            np.testing.assert_array_equal(model.impute()[0], of_zeros.impute()[0])
            np.testing.assert_array_equal(model.impute()[1], of_zeros.impute()[1])
        for number in range(1, len(fits)):
            same = acvae.load(tmp_path / f"{number}")
            np.testing.assert_array_equal(same.impute()[0], of_zeros.impute()[0])
            kept = same._features
            assert not (kept.toarray() if sp.issparse(kept) else kept)[~seen].any()

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
    @pytest.mark.parametrize("unseen", [0.0, 1e6, np.nan])
    def test_features_that_all_observed_share_are_imputed_as_they_are(self, form, unseen, tmp_path):
        _, graph = make_data()
        seen = np.arange(N) % 3 > 0
        x = np.where(seen[:, None], [7.0, -2.0], unseen)
        model = GraphGaussian(scales=(2.0,), progress=False).fit(form(x), graph, observed=seen)
        model.save(tmp_path / "model")
        for made in (model, acvae.load(tmp_path / "model")):
            expected, spread = made.impute()
            np.testing.assert_allclose(expected, np.tile([7.0, -2.0], (N, 1)), rtol=1e-15)
            assert (spread == 0).all()

    @pytest.mark.parametrize("nullable", [False, True])
    def test_a_frame_of_numbers_and_booleans_is_their_numbers(self, nullable, tmp_path):
        x, graph = make_data()
        frame = pd.DataFrame(x.toarray()).rename(columns="f{}".format)
        frame = frame.astype(dict.fromkeys(frame.columns[1::2], bool))
        if nullable:
            frame = frame.convert_dtypes().astype({"f0": "Float64"})
        model = GraphGaussian(latent_dim=4, scales=(2.0,), progress=False)
        plain = copy.copy(model).fit(x.toarray(), graph)
        model.fit(frame, graph).save(tmp_path / "model")
        for made in (model, acvae.load(tmp_path / "model")):
            np.testing.assert_allclose(made.transform(frame[:3]), plain.transform(x[:3]), atol=1e-6)
            np.testing.assert_allclose(made.impute()[0], plain.impute()[0], atol=1e-9)
            mean = made.extend(frame[:2], [(0, 5), (1, 6)]).posterior.mean
            np.testing.assert_allclose(mean, plain.extend(x[:2], [(0, 5), (1, 6)]).posterior.mean, atol=1e-6)

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pd.DataFrame])
    def test_messages_name_what_each_method_has(self, form):
        x, graph = make_data()
        model = GraphGaussian(latent_dim=4, scales=(2.0,), progress=False).fit(x, graph)
        gap, far = x.toarray(), x.toarray()
        gap[1, 2], far[1, 2] = np.nan, np.inf
        place, fill = r"row 1, column 2 is missing \(nan\)\. ", "Fill the gaps yourself"
        with pytest.raises(FeatureError, match=f"{place}{fill}, or say by observed= which vertices have"):
            GraphGaussian(progress=False).fit(form(gap), graph)
        with pytest.raises(FeatureError, match=rf"{place}{fill}\.$"):
            model.transform(form(gap))
        with pytest.raises(FeatureError, match=rf"{place}{fill}; a dense row of NaN alone is a vertex"):
            model.extend(form(gap[:2]))
        for method in (model.transform, model.extend):
            with pytest.raises(FeatureError, match=r"must be finite, but row 1, column 2 is inf\.$"):
                method(form(far[:2]))

    def test_a_row_of_nan_alone_beside_a_gap_is_not_what_is_refused(self):
        x, graph = make_data()
        model = GraphGaussian(latent_dim=4, scales=(2.0,), progress=False).fit(x, graph)
        rows = x.toarray()[:3]
        rows[0] = np.nan
        assert model.extend(rows, [(0, 5)]).posterior.n_vertices == N + 3
        rows[2, 1] = np.nan
        with pytest.raises(FeatureError, match="row 2, column 1 is missing"):
            model.extend(rows)

    def test_what_is_missing_is_completed_from_neighbours(self):
        x, graph = make_data()
        seen = np.random.default_rng(0).random(N) < 0.6
        model = GraphGaussian(latent_dim=D, progress=False).fit(x, graph, observed=seen)
        expected, spread = model.impute(np.flatnonzero(~seen))
        assert expected.shape == spread.shape == ((~seen).sum(), D)
        assert (spread >= 0).all()
        truth = x.toarray()[~seen]
        lonely = graph.degrees[~seen] == 0
        own = np.corrcoef(expected[~lonely].ravel(), truth[~lonely].ravel())[0, 1]
        mean = np.broadcast_to(x.toarray()[seen].mean(axis=0), truth.shape)
        assert own > np.corrcoef(mean[~lonely].ravel(), truth[~lonely].ravel())[0, 1]

    @pytest.mark.parametrize("observed", [None, "all", "some"])
    def test_rows_of_zeros_are_seen_to_be_zero(self, observed):
        rng = np.random.default_rng(0)
        n = 300
        graph = Graph(n, rng.integers(0, n, (700, 2)))
        x = (rng.random((n, 3)) < 0.1).astype(float)  # most rows are all zeros
        seen = np.ones(n, dtype=bool) if observed != "some" else rng.random(n) < 0.7
        model = GraphGaussian(scales=(2.0,), progress=False).fit(x, graph, observed=observed and seen)
        expected, _ = model.impute()
        np.testing.assert_allclose(expected.mean(axis=0), x[seen].mean(axis=0), atol=0.02)
        zeros = seen & (x == 0).all(axis=1)
        assert expected[zeros].mean() < x[seen].mean()

    def test_options_that_are_set_afterwards_change_nothing_that_was_fitted(self, tmp_path):
        x, graph = make_data()
        model = GraphGaussian(latent_dim=6, scales=(2.0,), progress=False).fit(x, graph)
        before = model.transform(x[:2])
        model.set_params(latent_dim=3)
        np.testing.assert_array_equal(model.transform(x[:2]), before)
        assert model.extend(x[:1], [(0, 5)]).posterior.latent_dim == 6
        model.save(tmp_path / "m.safetensors")
        np.testing.assert_array_equal(acvae.load(tmp_path / "m.safetensors").transform(x[:2]), before)

    def test_where_all_pairs_are_linked_so_is_any(self):
        i, j = np.triu_indices(6, 1)
        x = np.random.default_rng(0).standard_normal((6, 3))
        model = GraphGaussian(progress=False).fit(x, Graph(6, np.stack([i, j], axis=1)))
        np.testing.assert_allclose(model.link_probability(i, j), 15.5 / 16)

    def test_one_pair_that_is_not_linked(self):
        i, j = np.triu_indices(12, 1)
        x = np.random.default_rng(0).standard_normal((12, 3))
        model = GraphGaussian(progress=False).fit(x, Graph(12, np.stack([i, j], axis=1)[:-1]))
        assert 0 < model.link_probability(10, 11) < 1

    def test_a_graph_without_features(self):
        _, graph = make_data()
        model = GraphGaussian(progress=False).fit(None, graph)
        assert (model.posterior_.mean == 0).all()
        assert model.posterior_.pair_correlation(*graph.edges[0]).min() > 0
        assert 0 < model.link_probability(0, 1) < 1
        with pytest.raises(FeatureError, match="without features"):
            model.impute([0])

    def test_rows_to_complete_are_a_list(self):
        model = GraphGaussian(latent_dim=2, progress=False).fit(*make_data())
        with pytest.raises(GraphError, match=r"rows must be a list of vertices, got shape \(1, 2\)"):
            model.impute([[0, 1]])

    def test_features_too_large_for_single_precision(self):
        x, graph = make_data()
        model = GraphGaussian(latent_dim=2, progress=False).fit(x, graph)
        with pytest.raises(FeatureError, match="finite in single precision"):
            model.transform(np.full((2, x.shape[1]), 1e300))

    def test_a_graph_without_features_comes_in_any_form(self):
        pd, nx = pytest.importorskip("pandas"), pytest.importorskip("networkx")
        _, graph = make_data(weights=True)
        named = [f"v{i:02d}" for i in range(N)]
        pairs = [(named[i], named[j]) for i, j in graph.edges.tolist()]
        linked = np.flatnonzero(graph.degrees)
        table = pd.DataFrame(pairs, columns=["source", "target"]).assign(weight=graph.weights)
        by_table = GraphGaussian(scales=(1.5, 15.0), progress=False).fit(None, table)
        np.testing.assert_array_equal(by_table.graph_.names, np.array(named)[linked])
        np.testing.assert_allclose(np.sort(by_table.graph_.weights), np.sort(graph.weights))
        wide = GraphGaussian(scales=(1.5, 15.0), progress=False).fit(None, graph.to_scipy())
        own = GraphGaussian(scales=(1.5, 15.0), progress=False).fit(None, graph)
        np.testing.assert_allclose(wide.posterior_.std, own.posterior_.std)
        np.testing.assert_allclose(by_table.posterior_.std, own.posterior_.std[linked], rtol=1e-6)
        assert (
            GraphGaussian(scales=(1.5, 15.0), progress=False).fit(None, nx.Graph(pairs)).graph_.n_edges
            == graph.n_edges
        )
        with pytest.raises(GraphError):
            GraphGaussian(scales=(1.5, 15.0), progress=False).fit(None, 5)

    def test_features_without_a_graph(self):
        x, _ = make_data()
        q = GraphGaussian(latent_dim=4, progress=False).fit(x).posterior_
        assert q.pair_correlation(0, 1).max() == 0

    def test_without_links_there_are_none_to_learn_from(self):
        x, _ = make_data()
        with pytest.raises(GraphError, match="links are learnt from links"):
            GraphGaussian(latent_dim=4, progress=False).fit(x).link_probability(0, 1)


def test_an_explanation_adds_up(fitted):
    model, _, _ = fitted
    why = model.explain(0, 8)
    odds = np.log(why.probability / (1 - why.probability)) - np.log(why.reference / (1 - why.reference))
    assert sum(adds for _, _, adds in why.statistics) == pytest.approx(odds, abs=1e-4)
    assert "probability of a link" in str(why)


def test_an_explanation_of_many_scales_adds_up_too():
    x, graph = make_data()
    scales = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
    model = GraphGaussian(latent_dim=8, scales=scales, progress=False).fit(x, graph)
    why = model.explain(0, 8)
    assert len(why.statistics) == 2 * len(scales) + 11
    odds = np.log(why.probability / (1 - why.probability)) - np.log(why.reference / (1 - why.reference))
    assert sum(adds for _, _, adds in why.statistics) == pytest.approx(odds, abs=1e-4)


def test_a_vertex_with_itself_is_not_explained(fitted):
    with pytest.raises(GraphError, match="a link joins two vertices, but vertex 3 was asked for with itself"):
        fitted[0].explain(3, 3)


def test_the_flow_through_a_neighbour_is_what_is_lost_without_the_edge(fitted):
    model, _, graph = fitted
    i, j = 0, int(graph.edges[graph.edges[:, 0] == 0][0, 1])
    why = model.explain(i, j)
    joint = model.posterior_.joint
    covariance = dense(model, graph, 0)
    for of, by, share in why.paths:
        precision = np.linalg.inv(covariance)
        at = np.flatnonzero((graph.edges == sorted((of, by))).all(axis=1))[0]
        a = joint.strength[0, at]
        precision[[of, by], [of, by]] -= a
        precision[[of, by], [by, of]] += a
        assert share == pytest.approx(1 - np.linalg.inv(precision)[i, j] / covariance[i, j], rel=1e-6)


class TestBadInput:
    @pytest.mark.parametrize("scales", [(0.0,), (-1.0, 2.0), (), "none", 3, (np.nan,)])
    def test_scales(self, scales):
        with pytest.raises(OptionError, match="scales"):
            GraphGaussian(scales=scales)

    def test_a_mask_of_another_length(self):
        x, graph = make_data()
        with pytest.raises(FeatureError, match="mask"):
            GraphGaussian(progress=False).fit(x, graph, observed=np.ones(3, dtype=bool))

    def test_nothing_to_learn_from(self):
        x, _ = make_data()
        with pytest.raises(
            GraphError, match=f"a graph of {N} vertices without edges, and no vertex with feat"
        ):
            GraphGaussian(progress=False).fit(x, Graph(N, []), observed=np.zeros(N, dtype=bool))
        star = split_edges(Graph(N, [(0, i) for i in range(1, N)]))
        with pytest.raises(GraphError, match=r"and no features.*on a star, fit to the whole graph"):
            GraphGaussian(progress=False).fit(None, star.train)
        with pytest.raises(GraphError, match="nothing to fit"):
            GraphGaussian(progress=False).fit(None, None)

    @pytest.mark.parametrize("weight", [0.0, -1.0, np.nan])
    def test_weights_that_are_none(self, weight):
        with pytest.raises(GraphError, match="weight"):
            Graph(3, [(0, 1), (1, 2)], weights=[1.0, weight])

    def test_features_that_are_not_numbers_where_they_are_said_to_be_there(self):
        x, graph = make_data()
        table = x.toarray()
        table[2, 1] = np.nan
        with pytest.raises(FeatureError, match=r"NaN|nan|missing"):
            GraphGaussian(progress=False).fit(table, graph)

    def test_a_vertex_with_itself(self, fitted):
        with pytest.raises(GraphError, match="with itself"):
            fitted[0].link_probability([1, 2], [0, 2])

    def test_before_fit(self):
        with pytest.raises(AcvaeError, match="fit"):
            GraphGaussian().predict_links(0)


@pytest.mark.parametrize(
    "choice",
    [
        *(5, {"scales": 5}, {"scales": [5]}, {"scales": [{"scales": "many"}]}, {"held_out": {"a": "b"}}),
        *({"scales": [{"lead": [1]}]}, {"held_out": {"head": True}}, {"held_out": [1]}, {"evidence": 3}),
    ],
)
def test_what_a_file_says_was_tried_is_not_believed(fitted, choice, tmp_path):
    model, *_ = fitted
    arrays, values = model._pack()
    other = copy.copy(model)
    other._unpack(arrays, {name: value for name, value in values.items() if name != "choice"})
    assert other.choice_ == {"scales": [], "held_out": {}, "evidence": {}}  # a file of before
    with pytest.raises(SavedModelError, match="tried"):
        other._unpack(arrays, values | {"choice": choice})


@pytest.fixture(scope="module")
def local():
    x, graph = make_data()
    return GraphGaussian(latent_dim=6, solver="local", progress=False).fit(x, graph)


class TestLocal:
    """Without a factorisation: the same answers within what the push leaves out, or a clear refusal."""

    def test_which_way_is_told(self, local, fitted):
        assert local.solver_ == "local"
        assert fitted[0].solver == "auto"
        assert fitted[0].solver_ == "exact"

    def test_posterior_and_statistics_are_those_of_the_exact_way(self, local, fitted):
        exact, *_ = fitted
        np.testing.assert_allclose(local.posterior_.mean, exact.posterior_.mean, atol=1e-5)
        scales = zip(local._fit.statistics.scales, exact._fit.statistics.scales, strict=True)
        for (gaussian, _), (factorised, _) in scales:
            found, off = gaussian.variances(np.arange(N))
            lacking = factorised.variance - found
            assert (lacking > -1e-12).all()
            assert (lacking <= off + 1e-12).all()
            rows = gaussian.some_rows(np.arange(N))
            lacking = factorised.rows(np.arange(N)) - rows.dense()
            assert lacking.min() > -1e-12
            assert (lacking <= rows.left[:, None] * factorised.variance + 1e-12).all()
        np.testing.assert_allclose(local.posterior_.std, exact.posterior_.std, rtol=2e-2)
        i, j = np.triu_indices(N, 1)
        np.testing.assert_allclose(
            local.posterior_.pair_correlation(i, j), exact.posterior_.pair_correlation(i, j), atol=1e-2
        )
        np.testing.assert_allclose(
            local._fit.statistics.pairs(i, j), exact._fit.statistics.pairs(i, j), atol=0.05
        )
        assert local.posterior_.nearest(5, 3)[0].shape == (1, 3)

    def test_links_are_those_of_the_exact_way(self, local, fitted):
        i, j = np.triu_indices(N, 1)
        exact, _, graph = fitted
        p, q = (model.link_probability(i, j) for model in (local, exact))
        assert np.corrcoef(np.log(p), np.log(q))[0, 1] > 0.95
        ids, chance = local.predict_links([0, 5, N - 1], k=4)
        assert (np.diff(chance, axis=1) <= 0).all()
        for row, best in zip([0, 5, N - 1], ids, strict=True):
            best = best[best >= 0]
            assert len(best) > 0
            assert row not in best
            assert not graph.has_edges(np.sort(np.stack([np.full(len(best), row), best], 1), axis=1)).any()
            one_by_one = local.link_probability(row, best)
            np.testing.assert_allclose(one_by_one, chance[[0, 5, N - 1].index(row)][: len(best)], rtol=0.05)

    def test_blocks_are_predicted_links(self, local):
        parts = list(local.link_blocks(k=3))
        assert np.concatenate([rows for rows, *_ in parts]).tolist() == list(range(N))
        ids, chance = local.predict_links(np.arange(N), k=3)
        np.testing.assert_array_equal(np.concatenate([best for _, best, _ in parts]), ids)
        np.testing.assert_array_equal(np.concatenate([p for *_, p in parts]), chance)

    def test_saved_and_loaded(self, local, tmp_path):
        local.save(tmp_path / "m")
        again = acvae.load(tmp_path / "m")
        assert again.solver_ == "local"
        np.testing.assert_array_equal(
            again.predict_links([0, 1], k=3)[1], local.predict_links([0, 1], k=3)[1]
        )
        save_ranking(tmp_path / "links", local.links_)
        ranking = load_ranking(tmp_path / "links", local.posterior_)
        for one, other in zip(
            ranking.score_blocks(np.arange(N)), local.links_.score_blocks(np.arange(N)), strict=True
        ):
            np.testing.assert_array_equal(one[1], other[1])
        posterior = acvae.Posterior.load(_saved(local.posterior_, tmp_path / "q"))
        assert posterior.joint.solver == "local"
        np.testing.assert_array_equal(posterior.distances([2]), local.posterior_.distances([2]))

    def test_features_explanations_and_new_vertices(self, local, fitted):
        exact, x, _ = fitted
        for one, other in zip(local.impute([0, 3]), exact.impute([0, 3]), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-2)
        np.testing.assert_array_equal(local.transform(x[:3]), exact.transform(x[:3]))
        assert "probability of a link" in str(local.explain(0, 2))
        larger = local.extend(x[:1], [(0, 4), (0, 6)])
        reference = exact.extend(x[:1], [(0, 4), (0, 6)])
        np.testing.assert_allclose(larger.posterior.mean, reference.posterior.mean, atol=1e-4)
        left = local.posterior_.condition({0: np.zeros(6)})
        np.testing.assert_allclose(left.mean, exact.posterior_.condition({0: np.zeros(6)}).mean, atol=1e-4)

    @pytest.mark.parametrize(
        "ask",
        [
            lambda m: m.posterior_.sample(),
            lambda m: m.posterior_.log_prob(m.posterior_.mean),
            lambda m: m.posterior_.entropy(),
            lambda m: m.posterior_.kl_divergence(m.posterior_),
            lambda m: m.extend(None, [(0, 1)], known="fixed", names=["new"]),
        ],
        ids=["sample", "log_prob", "entropy", "kl", "fixed"],
    )
    def test_what_needs_the_exact_way_says_so(self, local, ask):
        with pytest.raises(AcvaeError, match="solver='exact'"):
            ask(local)

    def test_auto_is_local_where_the_exact_way_does_not_fit(self, monkeypatch):
        x, graph = make_data()
        for name, limit in (("MOST_EDGES", 10), ("MOST_JOINED", 10), ("MOST_CORE", -1)):
            with monkeypatch.context() as patch:
                patch.setattr(f"acvae.gaussian.graph.solver.{name}", limit)
                assert GraphGaussian(latent_dim=6, progress=False).fit(x, graph).solver_ == "local"
        with monkeypatch.context() as patch:
            patch.setattr("acvae.gaussian.graph.solver.available_memory", lambda: 0)
            assert solver_for("auto", N, graph.edges).name == "local"
        with pytest.raises(OptionError, match="solver"):
            GraphGaussian(solver="dense")

    def test_graphs_of_all_sorts(self):
        x, graph = make_data(weights=True)
        for features, given in ((None, graph), (x, Graph(N, []))):
            model = GraphGaussian(latent_dim=4, solver="local", progress=False).fit(features, given)
            assert np.isfinite(model.posterior_.std).all()
        seen = np.arange(N) % 3 > 0
        model = GraphGaussian(latent_dim=4, solver="local", progress=False).fit(x, graph, observed=seen)
        assert model.predict_links([1], k=2)[0].shape == (1, 2)


def _saved(posterior, path):
    posterior.save(path)
    return path


@pytest.mark.parametrize("solver", ["exact", "local"])
def test_copies_and_pickles(solver, tmp_path):
    x, graph = make_data()
    model = GraphGaussian(latent_dim=6, scales=(2.0,), solver=solver, progress=False).fit(x, graph)
    joblib.dump(model, tmp_path / "model")
    for other in (copy.deepcopy(model), joblib.load(tmp_path / "model")):
        assert other.posterior_.joint.solver == other.solver_ == solver
        np.testing.assert_array_equal(other.posterior_.distances([3]), model.posterior_.distances([3]))
        np.testing.assert_array_equal(other.predict_links([0, 5])[0], model.predict_links([0, 5])[0])
        assert other.link_probability(0, 5) == model.link_probability(0, 5)
        np.testing.assert_array_equal(other.impute([3])[0], model.impute([3])[0])
