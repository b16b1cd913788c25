import numpy as np
import pytest
import scipy.sparse as sp
import torch

import oracles
from acvae import ACVAE, Graph, Posterior, load, objectives
from acvae.exceptions import FeatureError, GraphError, NotFittedError, UnknownNameError
from acvae.models.extension import attach_leaves

N, K, D = 24, 5, 3
EDGES = [(0, 3), (0, 17), (0, 9), (1, 9), (2, 0), (2, 23), (4, 3)]  # new vertex 3 has none
TINY = {
    "latent_dim": D,
    "hidden_dim": 6,
    "pair_hidden_dim": 7,
    "epochs": 4,
    "batch_edges": 16,
    "progress": False,
    "device": "cpu",
}


def data(names=None):
    rng = np.random.default_rng(0)
    x = rng.poisson(0.7, (N + K, 10)).astype(np.float64)
    return x[:N], x[N:], Graph(N, oracles.random_graph_edges(rng, N, 40), names)


@pytest.fixture(params=["empirical-bayes", "saddle-point"])
def fitted(request):
    known, new, graph = data()
    return ACVAE(request.param, **TINY).fit(known, graph), known, new


class TestMarginals:
    def test_of_known_vertices_are_unchanged_to_the_bit(self, fitted):
        model, known, new = fitted
        before = model.posterior_
        q = model.extend(new, EDGES, known_features=known).posterior
        assert np.array_equal(q.mean[:N], before.mean)
        assert np.array_equal(q.std[:N], before.std)
        assert np.array_equal(q.forest[: len(before.forest)], before.forest)
        assert np.array_equal(q.joint.correlation[: len(before.forest)], before.joint.correlation)
        assert q.mean.dtype == before.mean.dtype
        i, j = np.indices((N, N))
        assert np.array_equal(q.pair_correlation(i, j), before.pair_correlation(i, j))
        assert np.array_equal(q.pair_distance(i, j), before.pair_distance(i, j))

    def test_agree_with_the_dense_gaussian_in_float64(self, fitted):
        model, known, new = fitted
        short = model.posterior_
        model.posterior_ = Posterior(
            short.mean, short.std, short.forest, short.joint.correlation, dtype="float64"
        )
        q = model.extend(new, EDGES, known_features=known).posterior
        assert q.mean.dtype == np.float64
        correlation = oracles.dense_correlation(N + K, q.forest, q.joint.correlation)
        i, j = np.indices((N + K, N + K))
        assert np.abs(q.pair_correlation(i, j) - correlation).max() <= 1e-8
        expected = oracles.dense_distances(q.mean, q.std, correlation)
        assert np.abs(q.distances(np.arange(N + K)) - expected).max() <= 1e-8
        # The dense joint of the known vertices alone is the same block.
        old = oracles.dense_correlation(N, short.forest, model.posterior_.joint.correlation)
        assert np.abs(correlation[:N, :N] - old).max() <= 1e-8

    @pytest.mark.parametrize("nasty", [0.0, 1.0])
    @pytest.mark.parametrize("shape", oracles.SHAPES)
    def test_leaves_on_any_forest(self, shape, nasty):
        rng = np.random.default_rng(1)
        edges = oracles.forest_edges(shape, N, rng)
        rho = oracles.random_correlations(rng, len(edges), D, nasty)
        q = Posterior(rng.normal(size=(N, D)), rng.uniform(0.1, 2, (N, D)), edges, rho, dtype="float64")
        parent = np.array([3, -1, 3, 0, N - 1])
        leaf_rho = oracles.random_correlations(rng, K, D, nasty)
        mean, std = rng.normal(size=(K, D)), rng.uniform(0.1, 2, (K, D))
        wide = attach_leaves(q, mean, std, parent, leaf_rho)
        hung = np.flatnonzero(parent >= 0)
        joined = np.concatenate([edges, np.stack([parent[hung], N + hung], axis=1)])
        dense = oracles.dense_correlation(N + K, joined, np.concatenate([rho, leaf_rho[hung]]))
        i, j = np.indices((N + K, N + K))
        assert np.abs(wide.pair_correlation(i, j) - dense).max() <= 1e-8
        assert np.array_equal(wide.pair_correlation(i, j)[:N, :N], q.pair_correlation(i[:N, :N], j[:N, :N]))
        assert np.array_equal(wide.mean[N:], mean)


class TestWhatIsAttached:
    def test_new_vertices_get_the_encoders_embedding(self, fitted):
        model, known, new = fitted
        q = model.extend(new, EDGES, known_features=known).posterior
        np.testing.assert_allclose(q.mean[N:], model.transform(new), rtol=1e-6)

    def test_the_edge_and_its_correlation_are_those_of_training(self, fitted):
        """Masses and correlations by the training's own code, on a graph of known and new vertices."""
        model, known, new = fitted
        both = np.concatenate([known, new])
        inference = model._inference_on(both)
        edges = Graph(N + K, np.array([(v, N + u) for u, v in EDGES])).edges
        masses = inference.edge_masses(edges, model.tau)
        mass = dict(zip(map(tuple, edges.tolist()), masses, strict=True))
        prefer = max if model.objective == "saddle-point" else min
        found = model.extend(new, EDGES, known_features=known)
        assert found.attached_to[3] == -1
        for u in (0, 1, 2, 4):
            best = prefer((e for e in mass if e[1] == N + u), key=mass.get)
            assert found.attached_to[u] == best[0]
            (number,) = np.flatnonzero((found.posterior.forest == best).all(axis=1))
            logit = inference.pair_logits(np.array([best])).astype(np.float64)
            expected = objectives.MAX_CORRELATION * np.tanh(0.5 * logit[0])
            np.testing.assert_allclose(
                found.posterior.joint.correlation[number], expected, rtol=1e-5, atol=1e-6
            )
        assert len(found.posterior.forest) == len(model.posterior_.forest) + 4

    def test_the_two_objectives_prefer_differently(self):
        known, new, graph = data()
        model = ACVAE(**TINY).fit(known, graph)
        least = model.extend(new, EDGES, known_features=known).attached_to
        largest = (
            model.set_params(objective="saddle-point").extend(new, EDGES, known_features=known).attached_to
        )
        assert least[0] != largest[0]
        assert (least[[1, 4]] == largest[[1, 4]]).all()  # a single edge leaves no choice

    def test_nearest_works_at_once(self, fitted):
        model, known, new = fitted
        found = model.extend(new, EDGES, known_features=known)
        assert found.vertices.tolist() == list(range(N, N + K))
        ids, distances = found.posterior.nearest(found.vertices, 4, exclude=found.graph)
        assert np.isfinite(distances).all()
        assert not set(ids[0]) & {3, 17, 9, N}

    def test_graph(self, fitted):
        model, known, new = fitted
        found = model.extend(new, EDGES, known_features=known)
        assert found.graph == Graph(
            N + K, np.concatenate([model.graph_.edges, [(v, N + u) for u, v in EDGES]])
        )

    def test_the_model_stays_as_it_was(self, fitted):
        model, known, new = fitted
        before = {name: value for name, value in vars(model).items() if name.endswith("_")}
        mean = model.posterior_.mean.copy()
        state = {name: tensor.clone() for name, tensor in model.module_.state_dict().items()}
        model.extend(new, EDGES, known_features=known)
        assert all(getattr(model, name) is value for name, value in before.items())
        assert np.array_equal(model.posterior_.mean, mean)
        assert all(torch.equal(state[name], tensor) for name, tensor in model.module_.state_dict().items())


class TestWaysToGiveIt:
    @pytest.mark.parametrize("convert", [np.array, torch.tensor, list, tuple])
    def test_edges(self, fitted, convert):
        model, known, new = fitted
        expected = model.extend(new, EDGES, known_features=known)
        assert np.array_equal(
            model.extend(new, convert(EDGES), known_features=known).attached_to, expected.attached_to
        )

    def test_features_may_be_sparse_or_tensors(self, fitted):
        model, known, new = fitted
        expected = model.extend(new, EDGES, known_features=known)
        for convert in (sp.csr_array, torch.from_numpy):
            found = model.extend(convert(new), EDGES, known_features=convert(known))
            np.testing.assert_allclose(found.posterior.mean, expected.posterior.mean, rtol=1e-4, atol=1e-5)
            assert np.array_equal(found.attached_to, expected.attached_to)

    def test_without_edges_all_are_isolated_and_no_features_are_needed(self, fitted):
        model, _, new = fitted
        found = model.extend(new, [])
        assert (found.attached_to == -1).all()
        assert np.array_equal(found.posterior.forest, model.posterior_.forest)
        assert found.graph.n_vertices == N + K
        assert model.extend(new, np.empty((0, 2), dtype=int)).graph == found.graph

    def test_names(self):
        known, new, graph = data([f"v{i}" for i in range(N)])
        model = ACVAE(**TINY).fit(known, graph)
        by_id = model.extend(new, EDGES, known_features=known)
        names = [f"fresh{i}" for i in range(K)]
        pairs = [(f"fresh{u}", f"v{v}") for u, v in EDGES]
        by_name = model.extend(new, pairs, known_features=known, names=names)
        assert np.array_equal(by_name.attached_to, by_id.attached_to)
        assert by_name.graph.index("fresh4") == N + 4
        assert by_id.graph.name(N + 4) == "new-4"
        assert by_name.graph.name(7) == "v7"
        with pytest.raises(UnknownNameError, match="no vertex is called 'v99'"):
            model.extend(new, [(0, "v99")], known_features=known)

    def test_names_from_the_index_of_a_data_frame(self):
        pd = pytest.importorskip("pandas")
        known, new, graph = data([f"v{i}" for i in range(N)])
        model = ACVAE(**TINY).fit(known, graph)
        frame = pd.DataFrame(new, index=[f"fresh{i}" for i in range(K)])
        found = model.extend(frame, [(f"fresh{u}", f"v{v}") for u, v in EDGES])
        assert np.array_equal(found.attached_to, model.extend(new, EDGES).attached_to)
        assert found.graph.names[N:].tolist() == list(frame.index)
        with pytest.raises(GraphError, match="new vertices are called as known ones are: 'v2'"):
            model.extend(frame.rename(index={"fresh0": "v2"}), [])

    def test_names_for_the_new_ones_only(self, fitted):
        model, known, new = fitted
        graph = model.extend(new, EDGES, known_features=known, names=list("abcde")).graph
        assert [graph.name(0), graph.name(N)] == [0, "a"]

    def test_a_model_from_a_file(self, fitted, tmp_path):
        model, known, new = fitted
        model.save(tmp_path / "model")
        again = load(tmp_path / "model").extend(new, EDGES, known_features=known)
        expected = model.extend(new, EDGES, known_features=known)
        assert np.array_equal(again.posterior.joint.correlation, expected.posterior.joint.correlation)

    def test_the_features_of_the_fit_are_the_known_ones(self, fitted):
        model, known, new = fitted
        found, expected = model.extend(new, EDGES), model.extend(new, EDGES, known_features=known)
        assert np.array_equal(found.attached_to, expected.attached_to)
        assert np.array_equal(found.posterior.joint.correlation, expected.posterior.joint.correlation)
        model.fit(2 * known, model.graph_)  # and then those of the last fit
        expected = model.extend(new, EDGES, known_features=2 * known)
        assert np.array_equal(model.extend(new, EDGES).attached_to, expected.attached_to)

    def test_in_the_order_of_the_graph_whatever_that_of_a_data_frame(self):
        pd = pytest.importorskip("pandas")
        known, new, graph = data([f"v{i}" for i in range(N)])
        frame = pd.DataFrame(known, index=graph.names, columns=[f"w{j}" for j in range(10)])[::-1]
        found = ACVAE(**TINY).fit(frame, graph).extend(new, EDGES)
        expected = ACVAE(**TINY).fit(known, graph).extend(new, EDGES)
        assert np.array_equal(found.posterior.joint.correlation, expected.posterior.joint.correlation)


class TestBadInput:
    @pytest.mark.parametrize(
        ("edges", "error", "telling"),
        [
            ([(0, 99)], GraphError, "edge 0 has 99, but the ids of the known vertices are 0…23"),
            ([(0, 1), (5, 1)], GraphError, "edge 1 has 5, but the ids of the new vertices are 0…4"),
            ([(-1, 1)], GraphError, "new vertices are 0…4"),
            ([(0, 1, 2)], GraphError, r"pair \(new vertex, known vertex\), but one is \(0, 1, 2\)"),
            ([3], GraphError, "pair"),
            (["ab"], GraphError, "pair"),
            ([(0, "numpy")], UnknownNameError, "no vertex 'numpy'"),
            ([(0.5, 1)], UnknownNameError, "no vertex 0.5"),
        ],
    )
    def test_edges(self, fitted, edges, error, telling):
        model, known, new = fitted
        with pytest.raises(error, match=telling):
            model.extend(new, edges, known_features=known)

    def test_features(self, fitted, tmp_path):
        model, known, new = fitted
        model.save(tmp_path / "model")
        with pytest.raises(FeatureError, match="needs known_features=, the matrix the model was trained on"):
            load(tmp_path / "model").extend(new, EDGES)
        own = known.copy()
        other = ACVAE(**TINY).fit(own, model.graph_)
        own[::2] *= 5
        with pytest.raises(FeatureError, match="not the matrix the model was trained on: vertex"):
            other.extend(new, EDGES)
        with pytest.raises(FeatureError, match="known_features has 23 rows, but the model was trained on 24"):
            model.extend(new, EDGES, known_features=known[:-1])
        with pytest.raises(FeatureError, match="not the matrix the model was trained on: vertex"):
            model.extend(new, EDGES, known_features=known[::-1])
        with pytest.raises(FeatureError, match="trained on 10 features, got 9"):
            model.extend(new[:, 1:], EDGES, known_features=known)
        with pytest.raises(FeatureError, match="no new vertices"):
            model.extend(new[:0], [])
        with pytest.raises(GraphError, match="2 names were given for 5 vertices"):
            model.extend(new, EDGES, known_features=known, names=["a", "b"])

    def test_columns_of_a_data_frame(self):
        pd = pytest.importorskip("pandas")
        known, new, graph = data()
        columns = [f"w{j}" for j in range(10)]
        model = ACVAE(**TINY).fit(pd.DataFrame(known, columns=columns), graph)
        other = pd.DataFrame(new, columns=columns)[columns[::-1]]
        with pytest.raises(FeatureError, match="must be in the same order as they were in fit"):
            model.extend(other, EDGES)
        known_other = pd.DataFrame(known, columns=columns)[columns[::-1]]
        with pytest.raises(FeatureError, match="must be in the same order as they were in fit"):
            model.extend(new, EDGES, known_features=known_other)

    def test_before_fit(self):
        with pytest.raises(NotFittedError, match="extend needs a fitted model"):
            ACVAE(**TINY).extend(np.ones((1, 3)), [])
