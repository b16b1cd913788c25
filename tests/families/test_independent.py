"""Independent embeddings: a posterior of marginals alone, with a graph or without."""

import numpy as np
import pytest

from acvae.exceptions import OptionError
from acvae.families import IndependentFamily
from small_families import GRAPH, N, parts


@pytest.mark.parametrize("graph", [True, False])
def test_the_posterior_is_the_encoders_marginals(graph):
    given = (GRAPH, np.ones(GRAPH.n_edges)) if graph else ()
    family = IndependentFamily(*parts(pairs=False), *given)
    q = family.posterior()
    assert q.has_joint
    assert len(q.forest) == 0
    mean, std = family.inference.marginals()
    np.testing.assert_array_equal(q.mean, mean)
    np.testing.assert_array_equal(q.std, std)
    assert (q.pair_correlation(0, np.arange(1, N)) == 0).all()


def test_what_follows_an_epoch_is_told_where_there_are_weights():
    assert IndependentFamily(*parts(pairs=False)).after_epoch() == {}
    weights = np.full(GRAPH.n_edges, 0.5)
    assert IndependentFamily(*parts(pairs=False), GRAPH, weights).after_epoch() == {"settled": 0}


def test_pairwise_needs_a_pair_network():
    with pytest.raises(OptionError, match="pair encoder"):
        IndependentFamily(*parts(pairs=False)).posterior(pairwise=True)
