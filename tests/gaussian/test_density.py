import numpy as np
import pytest
from scipy.stats import multivariate_normal

import oracles
from acvae import Posterior
from acvae.exceptions import PosteriorError
from gaussian.samples import dense_joint, make, parts


class TestEntropyAndDivergence:
    @pytest.mark.parametrize("shape", oracles.SHAPES)
    def test_entropy_of_the_dense_gaussian(self, shape):
        q = make(shape, 20, nasty=0.0)
        expected = sum(multivariate_normal(mean, cov).entropy() for mean, cov in dense_joint(q))
        assert q.entropy() == pytest.approx(expected, abs=1e-8)

    @pytest.mark.parametrize("other", ["same", "star", "random", "many trees", "isolated"])
    @pytest.mark.parametrize("shape", oracles.SHAPES)
    def test_divergence_of_dense_gaussians(self, shape, other):
        q = make(shape, 20, nasty=0.0)
        mean, std, edges, rho = parts("random" if other == "same" else other, 20, seed=1, nasty=0.0)
        if other == "same":
            edges, rho = q.forest, rho[: len(q.forest)]
        p = Posterior(mean, std, edges, rho, dtype="float64")
        expected = 0.0
        for (m0, c0), (m1, c1) in zip(dense_joint(q), dense_joint(p), strict=True):
            solved = np.linalg.solve(c1, np.column_stack([c0, m1 - m0]))
            logs = np.linalg.slogdet(c1)[1] - np.linalg.slogdet(c0)[1]
            expected += 0.5 * (np.trace(solved[:, :-1]) + (m1 - m0) @ solved[:, -1] - 20 + logs)
        assert q.kl_divergence(p) == pytest.approx(expected, rel=1e-8)
        assert q.kl_divergence(q) == pytest.approx(0, abs=1e-10)
        assert q.kl_divergence(p) > 0

    def test_float32_is_summed_in_float64(self):
        q = make("random", 50, nasty=0.3, dtype="float32")
        again = Posterior(q.mean, q.std, q.forest, q.joint.correlation, dtype="float64")
        assert q.entropy() == pytest.approx(again.entropy(), rel=1e-12)
        assert q.kl_divergence(again) == pytest.approx(0, abs=1e-8)

    def test_what_cannot_be_compared(self):
        q = make("random", 5)
        with pytest.raises(PosteriorError, match=r"same vertices and dimensions, got \(5, 3\) and \(4, 3\)"):
            q.kl_divergence(make("random", 4))
        with pytest.raises(PosteriorError, match="needs another Posterior, not ndarray"):
            q.kl_divergence(q.mean)
