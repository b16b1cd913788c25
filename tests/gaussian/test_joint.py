"""Densities, draws and conditions, against the dense joint."""

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal

import oracles
from acvae import Posterior
from acvae.exceptions import PosteriorError
from gaussian.samples import HALF, ONES, PATH, dense, dense_joint, make


class TestJoint:
    @pytest.mark.parametrize("shape", oracles.SHAPES)
    def test_log_prob_of_the_dense_gaussian(self, shape):
        q = make(shape, 25, nasty=0.0)
        _, correlation = dense(q)
        z = q.mean + q.std * np.random.default_rng(1).normal(size=(4, 25, 3))
        expected = 0
        for k in range(3):
            covariance = correlation[:, :, k] * np.outer(q.std[:, k], q.std[:, k])
            expected = expected + multivariate_normal(q.mean[:, k], covariance).logpdf(z[:, :, k])
        np.testing.assert_allclose(q.log_prob(z), expected, rtol=1e-9)

    def test_log_prob_shapes(self):
        q = make("random", 6)
        z = q.sample(10, seed=1)
        flat = q.log_prob(z)
        assert flat.shape == (10,)
        assert q.log_prob(z[0]).shape == ()
        assert q.log_prob(z[0]) == flat[0]
        assert np.array_equal(q.log_prob(z.reshape(2, 5, 6, 3)), flat.reshape(2, 5))
        assert q.log_prob(z[:0]).shape == (0,)

    def test_independent_vertices(self):
        q = Posterior(np.zeros((3, 2)), np.full((3, 2), 2.0))
        assert q.log_prob(np.zeros((3, 2))) == pytest.approx(-6 * np.log(2 * np.sqrt(2 * np.pi)))

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_covariance_of_200_000_samples(self, dtype):
        size = 200_000
        q = make("many trees", 8, d=2, seed=3, nasty=0.1, dtype=dtype)
        assert 0 < len(q.forest) < 7  # more than one component
        z = q.sample(size, seed=5)
        assert z.shape == (size, 8, 2)
        assert z.dtype == np.dtype(dtype)
        _, correlation = dense(q)
        standard = (z - q.mean) / q.std
        # Var of a product of standard normals with correlation r is 1 + r², of one normal 1.
        found = np.einsum("sik,sjl->ikjl", standard, standard, dtype=np.float64) / size
        for k in range(2):
            for other in range(2):
                exact = correlation[:, :, k] if k == other else np.zeros((8, 8))
                error = np.abs(found[:, k, :, other] - exact) / np.sqrt((1 + exact**2) / size)
                assert error.max() <= 5
        assert np.abs(standard.mean(axis=0, dtype=np.float64)).max() <= 5 / np.sqrt(size)

    def test_samples_give_the_expected_distances(self):
        q = make("random", 10, seed=4)
        z = q.sample(50_000, seed=0)
        i, j = np.triu_indices(10, 1)
        squares = ((z[:, i] - z[:, j]) ** 2).sum(axis=2)
        error = np.abs(squares.mean(axis=0) - q.pair_distance(i, j)) / (squares.std(axis=0) / np.sqrt(50_000))
        assert error.max() <= 5

    def test_same_seed_same_samples(self):
        q = make("random", 15)
        assert np.array_equal(q.sample(3, seed=2), q.sample(3, seed=2))
        assert not np.array_equal(q.sample(3, seed=2), q.sample(3, seed=3))
        assert np.array_equal(q.sample(3), q.sample(3, seed=0))
        generator = np.random.default_rng(2)
        assert np.array_equal(q.sample(3, seed=generator), q.sample(3, seed=2))
        assert not np.array_equal(q.sample(3, seed=generator), q.sample(3, seed=2))  # it has moved on
        assert q.sample(0).shape == (0, 15, 3)
        assert q.sample().shape == (1, 15, 3)


class TestCondition:
    def check(self, q, observed):
        """Means, standard deviations and all pair correlations against the dense Gaussian."""
        seen = np.array(list(observed), dtype=np.int64)
        rest = np.setdiff1d(np.arange(q.n_vertices), seen)
        found = q.condition(observed)
        assert np.array_equal(found.original_ids, rest)
        assert found.n_vertices == len(rest)
        i, j = np.indices((len(rest), len(rest)))
        correlation = found.pair_correlation(i, j)
        for k, (mean, covariance) in enumerate(dense_joint(q)):
            points = np.array([observed[v][k] for v in observed])
            gain = np.linalg.solve(covariance[np.ix_(seen, seen)], covariance[np.ix_(seen, rest)]).T
            left = covariance[np.ix_(rest, rest)] - gain @ covariance[np.ix_(seen, rest)]
            np.testing.assert_allclose(
                found.mean[:, k], mean[rest] + gain @ (points - mean[seen]), rtol=0, atol=1e-8
            )
            std = np.sqrt(np.diag(left))
            np.testing.assert_allclose(found.std[:, k], std, rtol=0, atol=1e-8)
            np.testing.assert_allclose(
                correlation[:, :, k] * np.outer(found.std[:, k], found.std[:, k]), left, rtol=0, atol=1e-8
            )
        return found

    @pytest.mark.parametrize("count", [1, 5, 19])
    @pytest.mark.parametrize("shape", oracles.SHAPES)
    def test_agrees_with_the_dense_gaussian(self, shape, count):
        q = make(shape, 20, nasty=0.0)
        z = q.sample(1, seed=3)[0]
        self.check(q, {int(v): z[v] for v in np.random.default_rng(4).permutation(20)[:count]})

    def test_trees_fall_apart(self):
        q = make("star", 9)
        center = int(np.bincount(q.forest.ravel()).argmax())
        found = q.condition({center: q.mean[center]})
        assert len(found.forest) == 0
        assert found.has_joint

    def test_step_by_step_is_all_at_once(self):
        q = make("random", 15, nasty=0.0)
        z = q.sample(1, seed=1)[0]
        first = q.condition({3: z[3], 8: z[8]})
        second = first.condition({int(np.flatnonzero(first.original_ids == 5)[0]): z[5]})
        at_once = q.condition({3: z[3], 5: z[5], 8: z[8]})
        assert np.array_equal(second.original_ids, at_once.original_ids)
        for name in ("mean", "std", "forest"):
            np.testing.assert_allclose(getattr(second, name), getattr(at_once, name), atol=1e-12)
        np.testing.assert_allclose(second.joint.correlation, at_once.joint.correlation, atol=1e-12)

    def test_chain_rule(self):
        """log p(all) = log p(observed) + log p(rest | observed)."""
        q = make("random", 12, nasty=0.0)
        z = q.sample(1, seed=2)[0]
        seen = [2, 7]
        rest = np.setdiff1d(np.arange(12), seen)
        conditional = q.condition({v: z[v] for v in seen}).log_prob(z[rest])
        marginal = sum(
            multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)]).logpdf(z[seen, k])
            for k, (mean, covariance) in enumerate(dense_joint(q))
        )
        assert q.log_prob(z) == pytest.approx(conditional + marginal, rel=1e-9)

    def test_nothing_and_everything(self):
        q = make("random", 6)
        same = q.condition({})
        np.testing.assert_allclose(same.mean, q.mean, rtol=1e-15)
        np.testing.assert_allclose(same.joint.correlation, q.joint.correlation, rtol=1e-12, atol=1e-15)
        nobody = q.condition({v: q.mean[v] for v in range(6)})
        assert nobody.n_vertices == 0
        assert nobody.original_ids.shape == (0,)

    def test_numpy_ids_tensors_and_the_dtype_is_kept(self):
        q = make("random", 6, dtype="float32")
        found = q.condition({np.int64(2): torch.tensor(q.mean[2]), 4: q.mean[4].tolist()})
        assert found.mean.dtype == found.joint.correlation.dtype == np.float32
        assert found.original_ids.tolist() == [0, 1, 3, 5]
        assert q.original_ids.tolist() == list(range(6))

    @pytest.mark.parametrize(
        ("observed", "telling"),
        [
            ([1, 2], "needs a dict from vertex ids to embeddings, not list"),
            ({9: [0, 0]}, "ids must lie in 0…2, got 9…9"),
            ({-1: [0, 0]}, "ids must lie in 0…2"),
            ({"numpy": [0, 0]}, "must be integers.*graph.index"),
            ({0: [0, 0, 0]}, "embedding of vertex 0 must be 2 numbers, got 3"),
            ({0: 1.0}, r"embedding of vertex 0 must have shape \(n, d\)"),
            ({0: [0, np.nan]}, "embedding of vertex 0 has nan"),
            ({0: ["a", "b"]}, "embedding of vertex 0 must be numbers"),
        ],
    )
    def test_bad_observations(self, observed, telling):
        with pytest.raises(PosteriorError, match=telling):
            Posterior(ONES, ONES, PATH, HALF).condition(observed)
