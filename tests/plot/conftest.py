"""A posterior to draw, and axes to draw on."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import acvae


@pytest.fixture
def posterior() -> acvae.Posterior:
    rng = np.random.default_rng(0)
    forest = [(int(rng.integers(0, i)), i) for i in range(1, 25)]  # vertices 25 … 29 are alone
    return acvae.Posterior(
        rng.normal(size=(30, 3)), np.ones((30, 3)), forest, rng.uniform(0.2, 0.9, (len(forest), 3))
    )


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)
