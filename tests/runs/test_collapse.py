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
    ("found", "became"),
    [((0.01, 0.001), "become the prior's."), ((0.01, 1), "become all alike."), ((0.5, 0.001), None)],
)
def test_warning(found, became):
    text = collapse_warning(Spread(*found), METHODS["acvae-eb"])
    assert (text is None) == (became is None)
    if became is not None:
        assert f"the embeddings have collapsed: their means have {became}" in text
        assert "what is left is in the correlations" in text
        advice = "Try more epochs, a larger gamma, a smaller tau or a smaller latent_dim, or the model"
        assert f"{advice} graph-gaussian." in text
        other = collapse_warning(Spread(*found), METHODS["vae"])
        assert "gamma" not in other
        assert "nothing is left to go by" in other
        own = collapse_warning(Spread(*found), METHODS["graph-gaussian"])  # which goes by angles too
        assert own is None if found[1] == 1 else own.endswith("Try a smaller latent_dim.")


def test_fit_evaluate_and_the_report_say_so(tmp_path, capsys):
    from acvae.commands.main import main

    folder, page = tmp_path / "run", tmp_path / "page.html"
    argv = ["fit", "tree", "--data-option", "n_vertices=30", "--model", "vae", "--epochs", "1"]
    # A step size next to nothing and zero features leave the networks as they began: near the prior.
    argv += ["--learning-rate", "1e-9", "--likelihood", "bernoulli", "--hidden-dim", "1"]
    assert main([*argv, "--out", str(folder)]) == 0
    warning = "the embeddings have collapsed"
    assert f"warning: {warning}" in capsys.readouterr().err
    assert main(["evaluate", str(folder)]) == 0
    assert f"warning: {warning}" in capsys.readouterr().err
    assert main(["evaluate", str(folder), "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["report", str(folder), "--map", "pca", "-o", str(page), "--quiet"]) == 0
    assert warning[4:] in page.read_text(encoding="utf-8")
