"""Links by distance: counted by hand, and refused where it says nothing."""

import numpy as np
import pytest

import acvae
from acvae import plot
from acvae.exceptions import GraphError, InputError


def test_reliability_counts_links_by_distance(ax) -> None:
    """Five vertices on a line: of ten ordered pairs that are not trained on, the nearest four are links."""
    place = np.array([[0.0], [1.0], [3.0], [6.0], [10.0]])
    q = acvae.Posterior(place, np.full((5, 1), 1e-3))
    train = acvae.Graph(5, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 4)])
    test = acvae.Graph(5, [(1, 2), (2, 3)])
    plot.reliability(q, train, test, ax, bins=2)
    overall, curve = ax.lines
    # Left over: 12 at 4, 23 at 9, 34 at 16, 13 at 25, 24 at 49, each from both ends; the first five are
    # 12 twice, 23 twice and one of 34.
    np.testing.assert_allclose(curve.get_ydata(), [4 / 5, 0])
    np.testing.assert_allclose(curve.get_xdata(), [9, 25], rtol=1e-4)
    np.testing.assert_allclose(overall.get_ydata(), [0.4, 0.4])
    low, high = np.sort(ax.collections[0].get_paths()[0].vertices[:, 1])[[0, -1]]
    assert low == 0
    # Wilson: 4 of 5 is 1.96 standard errors below the upper bound p, at the bound's own standard error.
    assert (high - 0.8) / np.sqrt(high * (1 - high) / 5) == pytest.approx(1.96, abs=0.01)


def test_reliability_refuses_what_says_nothing(posterior, ax) -> None:
    graph = acvae.Graph(30, [(0, 1)])
    with pytest.raises(GraphError, match="no candidate pair is a test link"):
        plot.reliability(posterior, graph, graph.with_edges([]), ax)
    with pytest.raises(GraphError, match="30 vertices, the train graph 29"):
        plot.reliability(posterior, acvae.Graph(29, []), graph, ax)
    with pytest.raises(InputError, match="too few for"):
        plot.reliability(posterior, acvae.Graph(30, []), graph, ax, bins=2000)
    plot.reliability(posterior, acvae.Graph(30, []), graph, ax, sources=29, seed=1)
