"""The forest as a page walks it, and how correlations fade along it."""

from itertools import combinations, pairwise

import numpy as np
import pytest

import acvae
from acvae.exceptions import PosteriorError
from acvae.report.paths import by_path_length, rooted_forest
from report.reading import tree_path, unpack
from report.samples import make_entry


def test_paths_multiply_to_the_pair_correlation(entry):
    q = entry.posterior
    forest = rooted_forest(q)
    parent, correlation = unpack(forest["parent"]), unpack(forest["correlation"]).reshape(-1, q.latent_dim)
    joined = {tuple(sorted(edge)) for edge in q.forest.tolist()}
    apart = 0
    for a, b in combinations(range(q.n_vertices), 2):
        path = tree_path(parent, a, b)
        expected = q.pair_correlation(a, b)
        if path is None:
            apart += 1
            assert (expected == 0).all()
            continue
        assert (path[0], path[-1]) == (a, b)
        steps = list(pairwise(path))
        assert all(tuple(sorted(step)) in joined for step in steps)
        children = [v if parent[v] == u else u for u, v in steps]
        np.testing.assert_allclose(correlation[children].prod(axis=0), expected, atol=len(steps) / 60_000)
    assert apart == 37 * 3 + 3  # three vertices are alone
    assert (forest["edges"], forest["trees"]) == (36, 4)


def test_correlations_by_path_length_are_over_all_pairs_of_a_chain():
    q = acvae.Posterior(
        np.zeros((4, 2)), np.ones((4, 2)), [(0, 1), (1, 2), (2, 3)], [[0.5, 0.5], [0.5, 0.5], [0.25, 0.25]]
    )
    found = by_path_length(q)
    assert found["length"] == [1, 2, 3]
    assert found["pairs"] == [6, 4, 2]  # each pair from both of its ends
    assert found["all"]
    medians = [row[2] for row in found["quantiles"]]
    np.testing.assert_allclose(medians, [0.5, (0.25 + 0.125) / 2, 0.0625])


def test_longer_paths_are_counted():
    n = 20
    q = acvae.Posterior(
        np.zeros((n, 1)), np.ones((n, 1)), [(v, v + 1) for v in range(n - 1)], [[0.9]] * (n - 1)
    )
    found = by_path_length(q)
    assert found["length"][-1] == 15
    assert found["longer"] == 2 * (4 + 3 + 2 + 1)


def test_many_vertices_are_sampled():
    entry = make_entry(n=60)
    found = by_path_length(entry.posterior, sources=5)
    assert found["sources"] == 5
    assert not found["all"]
    assert by_path_length(entry.posterior, sources=5) == found


def test_without_a_forest_there_are_no_paths():
    q = make_entry(forest=False).posterior
    for ask in (rooted_forest, by_path_length):
        with pytest.raises(PosteriorError, match="no paths without a learnt forest"):
            ask(q)
