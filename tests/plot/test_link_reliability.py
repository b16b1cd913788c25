"""Reliability of probabilities: bins, bands, and what is drawn of them."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from acvae import plot
from acvae.exceptions import InputError


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_bins_are_counted_by_hand() -> None:
    found = plot.bin_probabilities([0.1, 0.1, 0.9, 0.9, 0.9], [0, 1, 1, 1, 0], bins=2)
    np.testing.assert_allclose(found.mean_predicted, [0.1, 0.9])
    np.testing.assert_allclose(found.fraction, [1 / 2, 2 / 3])
    np.testing.assert_allclose(found.count, [2, 3])
    # Wilson: the share is 1.96 standard errors from each bound, at the bound's own standard error.
    for bound in (found.lower, found.upper):
        z = np.abs(found.fraction - bound) / np.sqrt(bound * (1 - bound) / found.count)
        np.testing.assert_allclose(z, 1.96, atol=1e-3)


def test_weights_stand_for_pairs_but_do_not_narrow_the_band() -> None:
    p, y = np.array([0.2, 0.2, 0.2]), np.array([1, 0, 0])
    plain, heavy = plot.bin_probabilities(p, y, bins=1), plot.bin_probabilities(p, y, [7, 7, 7], bins=1)
    assert heavy.count[0] == 21
    np.testing.assert_allclose([heavy.lower[0], heavy.upper[0]], [plain.lower[0], plain.upper[0]])
    rare = plot.bin_probabilities(p, y, [1, 10, 10], bins=1)
    np.testing.assert_allclose(rare.fraction, 1 / 21)


def test_true_probabilities_lie_on_the_diagonal() -> None:
    rng = np.random.default_rng(0)
    p = 1 / (1 + np.exp(-rng.normal(-2, 2, 50_000)))
    found = plot.bin_probabilities(p, rng.random(len(p)) < p, bins=15)
    inside = (found.lower <= found.mean_predicted) & (found.mean_predicted <= found.upper)
    assert inside.mean() > 0.75


def test_everything_is_drawn(ax) -> None:
    columns = ([0.01, 0.1, 0.5], [0.0, 0.12, 0.4], [0, 0.1, 0.3], [0.02, 0.2, 0.6], [500, 50, 9])
    found = plot.Reliability(*map(np.array, columns))
    plot.link_reliability(found, ax)
    diagonal, curve = ax.lines
    assert (diagonal.get_xdata() == diagonal.get_ydata()).all()
    np.testing.assert_allclose(curve.get_ydata(), [0.12, 0.4])
    hollow = ax.collections[-1]
    np.testing.assert_allclose(hollow.get_offsets(), [[0.01, 0.02]])
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_nonsense_is_refused(ax) -> None:
    for wrong in (([], []), ([0.5], [0, 1]), ([1.5], [1]), ([np.nan], [1]), ([0.5], [2])):
        with pytest.raises(InputError):
            plot.bin_probabilities(*wrong)
    with pytest.raises(InputError, match="weights positive"):
        plot.bin_probabilities([0.5], [1], [0])
    empty = plot.Reliability(*[np.empty(0)] * 5)
    with pytest.raises(InputError, match="at least one"):
        plot.link_reliability(empty, ax)
    broken = plot.Reliability(*[np.array([np.nan])] * 5)
    with pytest.raises(InputError, match="finite"):
        plot.link_reliability(broken, ax)
