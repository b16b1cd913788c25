"""The baseline without training, the models of a spec, and the figure's choice of a part."""

import numpy as np
import pytest

import acvae
from acvae.reproduce.figure import readable_part
from acvae.reproduce.random_tree import random_forest_posteriors
from acvae.reproduce.spec import RunSpec


def test_random_forest_orders_by_hops():
    data = acvae.datasets.load("tree", n_vertices=60, n_features=5, latent_dim=3, hidden_dim=8)
    posteriors = random_forest_posteriors(data.graph, seed=4)
    tied, untied = posteriors["hops"], posteriors["hops-untied"]
    np.testing.assert_array_equal(tied.forest, untied.forest)
    networkx = pytest.importorskip("networkx")
    tree = networkx.Graph(tied.forest.tolist())
    hops = np.array([[networkx.shortest_path_length(tree, i, j) for j in range(60)] for i in range(60)])
    d = tied.distances(np.arange(60))
    np.testing.assert_allclose(d, 2 * (1 - 0.99**hops), atol=1e-8)
    for h in range(hops.max() + 1):
        assert len(np.unique(d[hops == h])) == 1  # ties are exact
    loose = untied.distances(np.arange(60))
    for h in range(hops.max()):
        assert loose[hops == h].max() < loose[hops == h + 1].min()
    off_diagonal = loose[np.triu_indices(60, 1)]
    assert len(np.unique(off_diagonal.round(10))) > 1000  # of 1770: hardly a tie is left


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("vae", "VAE"),
        ("graphsage", "GraphSAGE"),
        ("cvae-ind", "CVAE"),
        ("cvae-corr", "CVAE"),
        ("acvae-eb", "ACVAE"),
        ("acvae-sp", "ACVAE"),
    ],
)
def test_models_by_name(method, name):
    gamma = 0.5 if method.startswith(("acvae", "cvae-corr")) else None
    spec = RunSpec("d", method, gamma, 7, "link-prediction", "tree", options={"epochs": 3})
    model = spec.config().make_model(progress=False)
    assert type(model).__name__ == name
    assert (model.seed, model.epochs, model.device) == (7, 3, "cpu")
    if gamma is not None:
        assert model.gamma == 0.5
    if method.startswith("cvae"):
        assert model.correlated == (method == "cvae-corr")
    if method.startswith("acvae"):
        assert model.objective == {"acvae-eb": "empirical-bayes", "acvae-sp": "saddle-point"}[method]


def test_readable_part_is_around_the_centroid():
    # A star of three arms of lengths 3, 2 and 1 around vertex 0, and a tree of two apart.
    forest = np.array([(0, 1), (1, 2), (2, 3), (0, 4), (4, 5), (0, 6), (7, 8)])
    q = acvae.Posterior(np.zeros((9, 1)), np.ones((9, 1)), forest, np.full((7, 1), 0.5))
    ids, edges, parent = readable_part(q, 4)
    assert ids.tolist() == [0, 1, 4, 6]
    assert edges.tolist() == [0, 3, 5]
    assert parent.tolist() == [0, 0, 0, 0]
    ids, edges, parent = readable_part(q, 100)
    assert ids.tolist() == [0, 1, 4, 6, 2, 5, 3]
    assert edges.tolist() == [0, 1, 2, 3, 4, 5]
    assert ids[parent].tolist() == [0, 0, 0, 0, 1, 4, 2]
    ids, edges, parent = readable_part(q, 100, fan=2)  # the smallest branch, vertex 6, is left out
    assert ids.tolist() == [0, 1, 4, 2, 5, 3]
    assert edges.tolist() == [0, 1, 2, 3, 4]
    assert ids[parent].tolist() == [0, 0, 0, 1, 4, 2]
