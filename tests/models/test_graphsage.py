"""GraphSAGE against PyTorch Geometric's plain forward pass and a loss written out by hand."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from torch.nn.functional import normalize

import acvae
from acvae.exceptions import FeatureError, GraphError, MissingDependencyError, NotFittedError, OptionError
from acvae.nn.sage import SageGraph, SageNetwork
from acvae.training import LinkPrediction


@pytest.fixture
def data():
    return acvae.datasets.load("tree", n_vertices=60, n_features=12, latent_dim=3, hidden_dim=8)


@pytest.fixture
def small():
    """A path 0 – 1 – 2, a pair 3 – 4 and a vertex alone."""
    features = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    return features, acvae.Graph(6, [(0, 1), (1, 2), (3, 4)])


def plain_forward(module, features, graph):
    """What the two operators give on the whole graph at once."""
    x = torch.tensor(
        np.asarray(features.toarray() if sp.issparse(features) else features), dtype=torch.float32
    )
    u, v = graph.edges.T
    edges = torch.tensor(np.stack([np.concatenate([u, v]), np.concatenate([v, u])]))
    return normalize(module.second(module.first(x, edges).relu(), edges), dim=-1).detach().numpy()


@pytest.mark.parametrize("sparse", [False, True])
def test_embeddings_are_those_of_the_plain_operators(small, sparse):
    features, graph = small
    features = sp.csr_array(features) if sparse else features
    module = SageNetwork(4, 5, 3, seed=1)
    inputs = SageGraph(features, graph, torch.device("cpu"))
    expected = plain_forward(module, features, graph)
    z, place = module.embed(inputs, np.array([5, 1, 1, 4]))
    np.testing.assert_allclose(z[place].detach().numpy(), expected[[5, 1, 1, 4]], atol=1e-6)


def test_fitted_posterior_holds_the_embeddings(data):
    model = acvae.GraphSAGE(latent_dim=3, hidden_dim=8, epochs=3, batch_edges=32, progress=False)
    q = model.fit(data.features, data.graph).posterior_
    np.testing.assert_allclose(q.mean, plain_forward(model.module_, data.features, data.graph), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(q.mean, axis=1), 1, atol=1e-5)
    assert len(q.forest) == 0
    gap = q.mean[3].astype(float) - q.mean[7]
    assert q.pair_distance(3, 7) == pytest.approx((gap**2).sum(), abs=1e-6)
    np.testing.assert_array_equal(model.transform(data.features, data.graph), q.mean)


def test_negatives_follow_degree_to_three_quarters():
    graph = acvae.Graph(4, [(0, 1), (0, 2)])  # degrees 2, 1, 1, 0
    inputs = SageGraph(np.ones((4, 1)), graph, torch.device("cpu"))
    drawn = np.bincount(inputs.negative_sampler()(200_000, np.random.default_rng(0)), minlength=4)
    weights = np.array([2.0, 1.0, 1.0, 0.0]) ** 0.75
    np.testing.assert_allclose(drawn / drawn.sum(), weights / weights.sum(), atol=0.005)
    assert drawn[3] == 0


def test_same_seed_same_embeddings_and_the_global_state_is_left_alone(data):
    def fit(seed):
        model = acvae.GraphSAGE(latent_dim=3, hidden_dim=8, epochs=2, seed=seed, progress=False)
        return model.fit(data.features, data.graph).posterior_.mean

    before = torch.random.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    first = fit(0)
    assert torch.equal(before[0], torch.random.get_rng_state())
    np.testing.assert_array_equal(before[1], np.random.get_state()[1])  # noqa: NPY002
    torch.manual_seed(99)
    np.testing.assert_array_equal(first, fit(0))
    assert np.abs(first - fit(1)).max() > 0.01


def test_training_brings_neighbours_together():
    cliques = [(8 * c + i, 8 * c + j) for c in (0, 1) for i in range(8) for j in range(i)]
    graph = acvae.Graph(16, cliques)
    options = {"latent_dim": 4, "hidden_dim": 8, "epochs": 30, "batch_edges": 16, "progress": False}
    model = acvae.GraphSAGE(**options, n_negatives=1, learning_rate=1e-2).fit(np.eye(16), graph)
    assert model.history_[-1]["elbo"] > model.history_[0]["elbo"]
    distance = model.posterior_.distances(np.arange(16))
    same = np.arange(16)[:, None] // 8 == np.arange(16) // 8
    assert distance[same].mean() < 0.2 * distance[~same].mean()


def test_link_prediction_callback_selects_by_the_negative_loss(data):
    split = acvae.split_edges(data.graph, seed=0)
    callback = LinkPrediction(split, every=2)
    model = acvae.GraphSAGE(latent_dim=3, hidden_dim=8, epochs=5, progress=False)
    history = model.fit(data.features, split.train, callbacks=[callback]).history_
    assert [row["epoch"] for row in history if "test_ncrr" in row] == [2, 4, 5]
    assert callback.latest.elbo < 0
    assert np.isnan(callback.latest.kl)
    assert np.isnan(callback.latest.mean_correlation)


def test_saved_and_loaded_model_is_the_same(data, tmp_path):
    model = acvae.GraphSAGE(latent_dim=3, hidden_dim=8, epochs=2, progress=False)
    model.fit(data.features, data.graph)
    model.save(tmp_path / "model.safetensors")
    again = acvae.load(tmp_path / "model.safetensors")
    assert again.get_params() == model.get_params()
    assert again.history_ == model.history_
    np.testing.assert_array_equal(again.posterior_.mean, model.posterior_.mean)
    np.testing.assert_array_equal(
        again.transform(data.features, data.graph), model.transform(data.features, data.graph)
    )


def test_clone_keeps_the_options():
    model = acvae.GraphSAGE(latent_dim=4, n_negatives=7, seed=3)
    assert clone(model).get_params() == model.get_params()


def test_missing_package_is_named(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch_geometric", None)
    monkeypatch.setitem(sys.modules, "torch_geometric.nn", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'acvae\[baselines\]'"):
        acvae.GraphSAGE(progress=False).fit(data.features, data.graph)


def test_bad_input(data):
    model = acvae.GraphSAGE(epochs=1, progress=False)
    with pytest.raises(GraphError, match="give it a graph"):
        model.fit(data.features)
    with pytest.raises(GraphError, match=r"acvae\.Graph"):
        model.fit(data.features, "edges")
    with pytest.raises(GraphError, match="no edges"):
        model.fit(data.features, acvae.Graph(60, []))
    with pytest.raises(FeatureError, match="59 vertices"):
        model.fit(data.features, acvae.Graph(59, [(0, 1)]))
    with pytest.raises(NotFittedError, match="fit"):
        model.save("nowhere")
    with pytest.raises(OptionError, match="n_negatives"):
        acvae.GraphSAGE(n_negatives=0)
    model.fit(data.features, data.graph)
    with pytest.raises(FeatureError, match="trained on 12 features, got 3"):
        model.transform(np.ones((60, 3)), data.graph)


def test_no_pair_network(data):
    split = acvae.split_edges(data.graph, seed=0)
    with pytest.raises(OptionError, match="pair network"):
        acvae.GraphSAGE(epochs=1, progress=False).fit(
            data.features, split.train, callbacks=[LinkPrediction(split, pairwise=True)]
        )
