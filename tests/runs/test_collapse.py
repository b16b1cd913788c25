"""Collapse is told by the spread of the means and the KL, and only then."""

import numpy as np
import pytest

import acvae
from acvae.methods import METHODS
from acvae.runs.collapse import Spread, collapse_warning, spread_of


def test_figures_by_hand():
    # Means ±1 have a spread of 1; with σ = 2, in units of it, ½. KL = ½·(1 + 4 − 1 − 2·log 2).
    q = acvae.Posterior([[1.0], [-1.0]], [[2.0], [2.0]])
    assert spread_of(q) == pytest.approx((0.5, 0.5 * (4 - 2 * np.log(2))))
    prior = acvae.Posterior(np.zeros((3, 2)), np.ones((3, 2)))
    assert spread_of(prior) == pytest.approx((0, 0))


@pytest.mark.parametrize(
    ("found", "warns"), [((0.01, 0.001), True), ((0.5, 0.001), False), ((0.01, 1), False)]
)
def test_warning(found, warns):
    text = collapse_warning(Spread(*found), METHODS["acvae-eb"])
    assert (text is not None) == warns
    if warns:
        assert "the embeddings have collapsed" in text
        assert "more epochs, a larger gamma, a smaller tau or a smaller latent_dim, or another model." in text
        assert "gamma" not in collapse_warning(Spread(*found), METHODS["vae"])


def test_fit_and_evaluate_say_so(tmp_path, capsys):
    from acvae.commands.main import main

    argv = ["fit", "tree", "--data-option", "n_vertices=30", "--model", "vae", "--epochs", "1", "--out"]
    # A step size next to nothing leaves the networks as they began: every vertex near the prior.
    assert main([*argv, str(tmp_path / "run"), "--learning-rate", "1e-9", "--likelihood", "bernoulli"]) == 0
    spread = spread_of(__import__("acvae.runs").runs.Run(tmp_path / "run").posterior)
    told = "warning: the embeddings have collapsed" in capsys.readouterr().err
    assert told == (collapse_warning(spread, METHODS["vae"]) is not None)
