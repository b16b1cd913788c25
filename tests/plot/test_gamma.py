"""The sweep over γ."""

import numpy as np
import pytest

from acvae import plot
from acvae.exceptions import InputError


def test_gamma_sweep_has_means_and_spreads(ax) -> None:
    plot.gamma_sweep({"acvae": {1.0: [0.2, 0.4], 0.1: [0.1]}}, ax, without={"vae": [0.05, 0.07]})
    sweep, level = ax.lines
    assert sweep.get_xdata().tolist() == [0.1, 1.0]
    np.testing.assert_allclose(sweep.get_ydata(), [0.1, 0.3])
    np.testing.assert_allclose(level.get_ydata(), [0.06, 0.06])
    assert ax.get_xscale() == "log"
    band = ax.collections[0].get_paths()[0].vertices
    np.testing.assert_allclose(band[:, 1].max(), 0.3 + np.std([0.2, 0.4], ddof=1))


@pytest.mark.parametrize(
    ("scores", "message"),
    [({}, "no scores"), ({"a": {0.0: 1.0}}, "must be positive"), ({"a": {}}, "must be positive")],
)
def test_gamma_sweep_refuses(ax, scores, message) -> None:
    with pytest.raises(InputError, match=message):
        plot.gamma_sweep(scores, ax)
