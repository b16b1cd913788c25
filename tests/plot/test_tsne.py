import numpy as np
import pytest

from acvae.plot.tsne import affinities


def test_affinities_have_the_perplexity_that_was_asked_for() -> None:
    points = np.random.default_rng(3).normal(size=(40, 3))
    squared = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    from acvae.plot.tsne import _calibrate

    gap = np.sort(squared, axis=1)[:, 1:16]
    weight = _calibrate(gap - gap[:, :1], np.log(5))
    np.testing.assert_allclose(np.exp(-(weight * np.log(weight)).sum(axis=1)), 5, rtol=1e-6)
    p = affinities(squared, 5).toarray()
    assert p.sum() == pytest.approx(1)
    assert (p == p.T).all()
    assert (np.diag(p) == 0).all()
