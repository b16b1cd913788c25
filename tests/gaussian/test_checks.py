"""Nothing but a typed error for odd input, whatever it is."""

import datetime

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from acvae import Graph, Posterior
from acvae.exceptions import AcvaeError, OptionError, PosteriorError

Q = Posterior(np.zeros((4, 2)), np.ones((4, 2)), [[0, 1], [2, 3]], np.full((2, 2), 0.5))

ODD_IDS = [
    [[0, 1], [2]], ["a"], "a", None, {0, 1}, {0: 1}, object(), [None], [True, False, True, False], True, 1.0,
    [np.nan], 1 << 70, [-(1 << 70)], [0, 1 << 64], -1, 4, [np.datetime64("2020-01-01")],
    datetime.date.today(), 1j, b"x", torch.eye(4).to_sparse(), sp.eye_array(4),
    (i for i in range(3)), np.zeros((2,), "V4"),
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD_IDS, ids=lambda odd: type(odd).__name__)
@pytest.mark.parametrize(
    "ask",
    [
        lambda odd: Q.distances(odd),
        lambda odd: Q.nearest(odd),
        lambda odd: Q.pair_distance(odd, 0),
        lambda odd: Q.pair_correlation(0, odd),
        lambda odd: list(Q.distance_blocks(odd)),
    ],
)
def test_ids(ask, odd):
    if odd is None and ask.__code__.co_names[-1] == "distance_blocks":
        return  # all rows
    with pytest.raises(PosteriorError, match="vertex ids must"):
        ask(odd)


def test_advice():
    for odd, advice in (
        (1.5, "astype"),
        ([True], "flatnonzero"),
        ("numpy", r"graph\.index"),
        ({1}, "got a set"),
    ):
        with pytest.raises(PosteriorError, match=advice):
            Q.distances(odd)


def test_ids_that_do_not_broadcast():
    with pytest.raises(PosteriorError, match=r"\(2,\) and \(3,\) do not broadcast"):
        Q.pair_distance([0, 1], [0, 1, 2])


@pytest.mark.parametrize(
    ("z", "telling"),
    [
        (np.full((4, 2), np.nan), r"must be finite, but has nan at \(0, 0\)"),
        (np.full((4, 2), np.inf), "must be finite"),
        (np.zeros((4, 3)), r"shape \(..., 4, 2\), got \(4, 3\)"),
        ([["a", "b"]] * 4, "must be numbers"),
        ([[1], [2, 3]], "must be a table of numbers"),
        (torch.eye(4).to_sparse(), "must be a table of numbers"),
        (None, "must be numbers"),
        (1.0, "shape"),
        (np.zeros((4, 2), complex), "must be numbers"),
    ],
)
def test_points(z, telling):
    with pytest.raises(PosteriorError, match=telling):
        Q.log_prob(z)


@pytest.mark.parametrize("seed", [-1, 1.5, "0", None, True, [0], np.nan])
def test_seeds(seed):
    with pytest.raises(OptionError, match="seed must be a whole number"):
        Q.sample(1, seed=seed)


def test_a_generator_is_a_seed():
    np.testing.assert_array_equal(Q.sample(2, seed=np.random.default_rng(0)), Q.sample(2, seed=0))


def test_what_no_memory_can_hold():
    for ask in (lambda: Q.sample(10**15), lambda: Q.nearest([0], k=10**15)):
        with pytest.raises(OptionError, match="GB of memory"):
            ask()


@pytest.mark.parametrize("odd", [None, 3, dict, np.zeros(3)])
def test_strategies(odd):
    with pytest.raises(PosteriorError, match="asks an object for correlations"):
        Posterior.from_correlations(np.zeros((2, 1)), np.ones((2, 1)), odd)


@pytest.mark.parametrize("odd", [torch.eye(2).to_sparse(), None, {}, "x", [[1j]], [[None]], [["2020"]]])
def test_tables(odd):
    with pytest.raises(AcvaeError):
        Posterior(odd, np.ones((2, 1)))


def test_correlations_are_for_as_many_vertices_and_dimensions():
    """Others would be read outside their tables."""
    for joint in (
        Q.joint,
        Posterior.on_graph(np.zeros((2, 1)), np.ones((2, 1)), Graph(2, [(0, 1)]), [[0.5]]).joint,
    ):
        n, d = joint.shape
        for shape in ((n + 1, d), (n, d + 1)):
            with pytest.raises(PosteriorError, match="but the correlations are for"):
                Posterior.from_correlations(np.zeros(shape), np.ones(shape), joint)
