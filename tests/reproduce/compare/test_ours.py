"""How a model of ours gets into the tables: by the registry alone."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import acvae
from acvae.reproduce.compare import ours
from acvae.reproduce.compare.rules import common_neighbours


class Model:
    """What the tables ask of a model."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, features, graph, observed=None):
        self.observed, self.features = observed, features
        self.links_, self.posterior_ = common_neighbours(graph), SimpleNamespace(mean=features.toarray())
        return self

    def impute(self, rows):
        return self.features[~self.observed].toarray() + 1, np.zeros(1)


@pytest.mark.parametrize("links", [True, False])
def test_a_model_of_the_registry_is_asked_for_what_it_learns(
    links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def make(options):
        made.append(Model(**options))
        return made[-1]

    monkeypatch.setitem(ours.METHODS, "new", SimpleNamespace(label="New", learns_links=links, make=make))
    graph, features = acvae.Graph(4, [[0, 1], [1, 2], [2, 3]]), sp.csr_array(np.eye(4))
    found = ours._links("new")(features, graph, seed=3)
    assert found is (made[0].links_ if links else made[0].posterior_)
    assert made[0].seed == 3
    np.testing.assert_array_equal(ours._embed("new")(features, graph, 5), np.eye(4))
    observed = np.array([True, False, True, False])
    completed = ours._complete("new")(features, graph, observed, np.array([1, 3]), 0)
    np.testing.assert_array_equal(completed, np.eye(4)[[1, 3]] + 1)
