"""Clustering while training: taken when the ELBO is better, compared with scikit-learn."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

import acvae
from acvae.exceptions import OptionError
from acvae.training import Clustering


def posterior(places):
    mean = np.array(places, dtype=float)[:, None]
    return acvae.Posterior(mean, np.full_like(mean, 1e-3))


def state(epoch, elbo, places, epochs=10):
    """What a callback sees; asking for the posterior is counted."""
    asked = []

    def give(pairwise=False):
        asked.append(pairwise)
        return posterior(places)

    figures = {"kl": 0.5, "mean_correlation": 0.25}
    return SimpleNamespace(
        epoch=epoch, epochs=epochs, figures=figures, elbo=lambda: elbo, posterior=give, asked=asked
    )


GOOD, BAD = [0, 1, 10, 11], [0, 10, 1, 11]
LABELS = [0, 0, 1, 1]


def test_clusters_are_taken_only_when_the_elbo_is_better():
    callback = Clustering(LABELS, every=2, prefix="bp_")
    assert callback(state(1, 0.0, GOOD)) is None  # not its turn

    first = state(2, -5.0, BAD)
    assert callback(first) == {"bp_train_elbo": -5.0, "bp_nmi_arithmetic": 0.0, "bp_nmi_geometric": 0.0}
    assert first.asked == [False]

    worse = state(4, -6.0, GOOD)
    assert callback(worse) == {"bp_train_elbo": -6.0}
    assert worse.asked == []  # not even computed
    assert callback.selected.epoch == 2

    callback(state(6, -4.0, GOOD))
    assert callback.selected == (6, -4.0, 1.0, 1.0, (2, 2), 0.5, 0.25)


def test_last_epoch_counts_whatever_the_interval():
    callback = Clustering(LABELS, every=7)
    callback(state(10, -1.0, GOOD))
    assert callback.selected.epoch == 10


def test_both_normalisers_are_scikit_learns():
    rng = np.random.default_rng(0)
    places, labels = rng.normal(size=40), rng.integers(0, 3, 40)
    callback = Clustering(labels, every=1, k=5, pairwise=True)
    now = state(1, -1.0, places)
    callback(now)
    assert now.asked == [True]
    found = acvae.cluster(posterior(places), k=5)
    taken = callback.selected
    assert taken.nmi_arithmetic == pytest.approx(normalized_mutual_info_score(labels, found))
    assert taken.nmi_geometric == pytest.approx(
        normalized_mutual_info_score(labels, found, average_method="geometric")
    )
    assert taken.cluster_counts == tuple(np.bincount(found, minlength=5))


def test_a_model_trains_with_it():
    data = acvae.datasets.load("tree", n_vertices=60, n_features=12, latent_dim=3, hidden_dim=8)
    callback = Clustering(data.labels, every=2)
    model = acvae.ACVAE(latent_dim=3, hidden_dim=6, pair_hidden_dim=5, epochs=4, progress=False)
    history = model.fit(data.features, data.graph, callbacks=[callback]).history_
    assert [row["epoch"] for row in history if "train_elbo" in row] == [2, 4]
    assert 0 <= callback.selected.nmi_arithmetic <= 1
    assert callback.selected.mean_correlation != 0.0


def test_bad_options():
    with pytest.raises(OptionError, match="every"):
        Clustering(LABELS, every=0)
    with pytest.raises(OptionError, match="k must be"):
        Clustering(LABELS, k=0)
