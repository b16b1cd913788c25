"""Every model answers for links, by the same methods."""

import numpy as np
import pytest

import acvae
from acvae.exceptions import AcvaeError, GraphError

MODELS = {
    "vae": lambda: acvae.VAE(latent_dim=3, epochs=2, progress=False),
    "cvae-corr": lambda: acvae.CVAE(latent_dim=3, epochs=2, progress=False),
    "cvae-ind": lambda: acvae.CVAE(correlated=False, latent_dim=3, epochs=2, progress=False),
    "cvae-graph": lambda: acvae.CVAE(posterior="graph", latent_dim=3, epochs=2, progress=False),
    "acvae": lambda: acvae.ACVAE(latent_dim=3, epochs=2, progress=False),
    "graphsage": lambda: acvae.GraphSAGE(latent_dim=3, epochs=2, progress=False),
    "graph-gaussian": lambda: acvae.GraphGaussian(latent_dim=4, scales=(2.0,), progress=False),
}


@pytest.fixture(scope="module")
def data():
    found = acvae.datasets.load("tree", n_vertices=60)
    return found.features, acvae.split_edges(found.graph, seed=0)


@pytest.mark.parametrize("name", MODELS)
def test_links(name, data):
    features, split = data
    model = MODELS[name]().fit(features, split.train)
    one = model.link_probability(0, 7)
    assert isinstance(one, float)
    assert 0 < one < 1
    table = model.link_probability(np.arange(3)[:, None], np.arange(10, 14))
    assert table.shape == (3, 4)
    assert ((table > 0) & (table < 1)).all()
    assert model.link_probability(7, 0) == pytest.approx(one)
    ids, probability = model.predict_links([3, 8], k=5)
    assert ids.shape == probability.shape == (2, 5)
    assert (np.diff(probability) <= 0).all()
    for row, found in zip([3, 8], ids, strict=True):
        pairs = np.sort(np.stack([np.full(5, row), found], axis=1), axis=1)
        assert row not in found
        assert not split.train.has_edges(pairs).any()
        asked = model.link_probability(row, found)
        np.testing.assert_allclose(asked, probability[[3, 8].index(row)], rtol=1e-3)
    score = acvae.metrics.ncrr(model.links_, split.train, split.test)
    assert 0 < score.test <= 1
    assert model.links_ is model.links_
    with pytest.raises(GraphError, match="with itself"):
        model.link_probability([0, 1], [1, 1])


def test_a_model_without_a_graph_has_no_links(data):
    model = MODELS["vae"]().fit(data[0])
    with pytest.raises(GraphError, match="without any"):
        model.predict_links([0])
    with pytest.raises(AcvaeError, match="fit"):
        acvae.VAE().links_  # noqa: B018
