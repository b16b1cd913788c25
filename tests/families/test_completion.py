"""Expected features against the dense Gaussian, and against refitting without a vertex's features."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.exceptions import FeatureError
from acvae.families import completion
from acvae.families.completion import Completion, choose_completion
from acvae.gaussian.graph.solver import ExactSolver, LocalSolver

N, D = 40, 5


@pytest.fixture
def edges():
    rng = np.random.default_rng(0)
    pairs = np.unique(np.sort(rng.integers(0, N - 2, (90, 2)), axis=1), axis=0)  # two vertices have no edge
    return pairs[pairs[:, 0] < pairs[:, 1]]


@pytest.fixture
def features():
    return np.random.default_rng(1).normal(size=(N, D)) * [1, 10, 0.1, 1, 1] + [0, 5, 1, 0, 100]


SEEN = np.arange(N) % 3 > 0
NOISE = np.random.default_rng(5).normal(size=200)
SMOOTH = np.sin(np.arange(200) * 2 * np.pi / 200) + 0.1 * np.random.default_rng(4).normal(size=200)
SMOOTH_SEEN = np.random.default_rng(6).random(200) < 0.7


def dense(edges, strength, diagonal):
    precision = np.diag(diagonal.astype(float))
    for (i, j), a in zip(edges, strength, strict=True):
        precision[[i, j], [i, j]] += a
        precision[[i, j], [j, i]] -= a
    return np.linalg.inv(precision)


def expected(edges, strength, c, features, seen):
    """By the definition, one dense inverse."""
    mean = features[seen].mean(axis=0)
    covariance = dense(edges, strength, 1 + c * seen)
    return mean + covariance @ (c * seen[:, None] * (np.where(seen[:, None], features, 0) - mean)), covariance


@pytest.mark.parametrize("make", [ExactSolver, LocalSolver])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("rows", [np.array([3]), np.arange(N)])
def test_expectations_are_the_dense_conditional(edges, features, make, sparse, rows):
    strength, c = np.linspace(0.2, 2, len(edges)), 4.0
    features[~SEEN] = np.nan  # not looked at
    given = sp.csr_array(features) if sparse else features
    found = Completion(make(N, edges).gaussian(1 + c * SEEN, strength), c, given, SEEN)(rows)[0]
    np.testing.assert_allclose(found, expected(edges, strength, c, features, SEEN)[0][rows], rtol=1e-8)


def test_what_is_left_out_is_what_a_fit_without_it_expects(edges, features):
    strength, c = np.full(len(edges), 0.7), 3.0
    made = Completion(ExactSolver(N, edges).gaussian(1 + c * SEEN, strength), c, features, SEEN)
    ids = np.flatnonzero(SEEN)
    found, variance = made._without_own(ids)
    mean = features[SEEN].mean(axis=0)
    for at, i in enumerate(ids):
        others = SEEN & (np.arange(N) != i)
        covariance = dense(edges, strength, 1 + c * others)
        refitted = mean + covariance[i] @ (c * others[:, None] * (features - mean))
        np.testing.assert_allclose(found[at] + made._columns.level, refitted, rtol=1e-9)
        np.testing.assert_allclose(variance[at], covariance[i, i] + 1 / c, rtol=1e-9)


def test_the_spread_is_that_of_what_is_drawn_from_the_model(edges):
    """Features drawn as the model says, half of them hidden: residuals over spreads have unit variance."""
    rng = np.random.default_rng(2)
    strength, c, width = np.full(len(edges), 1.5), 2.0, 3000
    covariance = dense(edges, strength, np.ones(N))
    scale = np.exp(rng.normal(size=width))
    x = np.linalg.cholesky(covariance) @ rng.normal(size=(N, width)) + rng.normal(size=(N, width)) / np.sqrt(
        c
    )
    x = 7 + scale * x
    made = Completion(ExactSolver(N, edges).gaussian(1 + c * SEEN, strength), c, x, SEEN)
    found, spread = made(np.flatnonzero(~SEEN))
    ratio = np.sqrt(((x[~SEEN] - found) ** 2).mean(axis=1) / (spread**2).mean(axis=1))
    np.testing.assert_allclose(ratio, 1, atol=0.2)  # the mean of few vertices stands for 7


def test_a_feature_that_never_varies_has_no_spread(edges, features):
    features[:, 2] = 4
    made = Completion(
        ExactSolver(N, edges).gaussian(1 + 1.0 * SEEN, np.ones(len(edges))), 1.0, features, SEEN
    )
    found, spread = made(np.arange(N))
    np.testing.assert_allclose(found[:, 2], 4)
    np.testing.assert_allclose(spread[:, 2], 0, atol=1e-6)


class TestChoice:
    def ring(self, n=200):
        return np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1)

    def test_smooth_features_are_heard_from_neighbours_and_noise_is_not(self):
        n, rng = 200, np.random.default_rng(0)
        ring, seen = self.ring(n), rng.random(n) < 0.7
        angle = 2 * np.pi * np.arange(n) / n
        smooth = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        noise = rng.normal(size=(n, 2))
        solver, weights = ExactSolver(n, ring), np.ones(n)
        heard = choose_completion(solver, weights, smooth, seen)
        deaf = choose_completion(solver, weights, noise, seen)
        assert heard.gaussian.strength[0] * heard.precision > 10 * deaf.gaussian.strength[0] * deaf.precision
        assert np.abs(heard(np.flatnonzero(~seen))[0] - smooth[~seen]).max() < 0.1
        assert np.abs(deaf(np.flatnonzero(~seen))[0] - noise[seen].mean(axis=0)).max() < 1

    def test_it_is_the_least_error_of_its_neighbours_on_the_grid(self, edges, features):
        solver, weights = ExactSolver(N, edges), np.ones(len(edges))
        chosen = choose_completion(solver, weights, features, SEEN)
        for c in completion.PRECISIONS:
            if 0.3 < c / chosen.precision < 4:
                other = Completion(solver.gaussian(1 + c * SEEN, chosen.gaussian.strength), c, features, SEEN)
                assert chosen.error <= other.error * (1 + 1e-12)

    def heard(self, features):
        """What is expected of the vertices without features of a ring, by what is chosen."""
        n = len(SMOOTH)
        made = choose_completion(ExactSolver(n, self.ring(n)), np.ones(n), features, SMOOTH_SEEN)
        return made, made(np.flatnonzero(~SMOOTH_SEEN))

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
    @pytest.mark.parametrize("value", [7.0, 0.1, -1e9, 0.0, 1e9 + 1e-8 * NOISE])
    def test_features_that_do_not_vary_have_no_part_in_it(self, form, value):
        alone, expected = self.heard(SMOOTH[:, None])
        both = np.stack([SMOOTH, np.broadcast_to(value, SMOOTH.shape)], axis=1)
        made, found = self.heard(form(both))
        assert made.error == pytest.approx(alone.error, rel=1e-9)
        np.testing.assert_allclose(found[0][:, :1], expected[0], rtol=1e-9)
        np.testing.assert_allclose(found[0][:, 1], both[SMOOTH_SEEN, 1].mean(), rtol=1e-15)
        assert (found[1][:, 1] == 0).all()

    def test_those_of_a_set_that_all_have_have_no_part_in_it(self):
        sets = (np.random.default_rng(3).random((len(SMOOTH), 12)) < 0.2).astype(float)
        alone = self.heard(sets)[0].error
        assert self.heard(np.insert(sets, 4, 1.0, axis=1))[0].error == pytest.approx(alone, rel=1e-9)

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
    @pytest.mark.parametrize(("level", "size"), [(1e8, 1.0), (1e9, 1e-4), (-1e6, 1e-3)])
    def test_features_far_from_zero_are_expected_as_those_near_it(self, form, level, size):
        """Where zero lies is no matter, and the values of these are known to that many spreads."""
        exact = 16 * np.spacing(abs(level)) / size
        near = np.stack([SMOOTH, NOISE], axis=1)
        of_near, expected = self.heard(near)
        of_far, found = self.heard(form(near * [1, size] + [0, level]))
        assert of_far.error == pytest.approx(of_near.error, rel=max(exact, 1e-9))
        np.testing.assert_allclose(found[0][:, 0], expected[0][:, 0], rtol=1e-8)
        np.testing.assert_allclose((found[0][:, 1] - level) / size, expected[0][:, 1], atol=exact)

    def test_sets_are_judged_by_their_order(self):
        relevant = np.array([[True, False, True], [False, False, False], [False, True, False]])
        values = np.array([[3.0, 2.0, 1.0], [1, 2, 3], [5.0, 4.0, 3.0]])
        by_hand = [(1 + 1 / 2) / (1 + 1 / np.log2(3)), 1 / np.log2(3)]
        np.testing.assert_allclose(completion._ndcg(values, relevant), by_hand)

    @pytest.mark.parametrize("few", [0, 1, 5])
    def test_with_few_vertices_or_no_edges_nothing_is_tried(self, edges, features, few, monkeypatch):
        monkeypatch.setattr(Completion, "error", property(lambda self: pytest.fail("tried")))
        none = np.empty((0, 2), dtype=np.int64)
        seen = np.arange(N) < max(few, 1)
        given, weights = (edges, np.ones(len(edges))) if few else (none, np.empty(0))
        made = choose_completion(ExactSolver(N, given), weights, features, SEEN if few == 0 else seen)
        assert np.isfinite(made(np.arange(N))[0]).all()

    def test_large_graphs_are_not_factorised_while_trying(self, edges, features, monkeypatch):
        solver, weights = ExactSolver(N, edges), np.ones(len(edges))
        exact = choose_completion(solver, weights, features, SEEN)
        monkeypatch.setattr(completion, "FACTORISED", 10)
        made = []
        monkeypatch.setattr(
            solver, "gaussian", lambda *a: made.append(a) or ExactSolver(N, edges).gaussian(*a)
        )
        local = choose_completion(solver, weights, features, SEEN)
        assert len(made) == 1
        np.testing.assert_allclose(local(np.arange(N))[0], exact(np.arange(N))[0], rtol=1e-9)


def test_more_rows_than_there_is_memory_for_are_refused(edges, features, monkeypatch):
    made = Completion(ExactSolver(N, edges).gaussian(1 + SEEN, np.ones(len(edges))), 1.0, features, SEEN)
    monkeypatch.setattr(completion, "available_memory", lambda: 1000)
    with pytest.raises(FeatureError, match="ask for fewer rows at a time"):
        made(np.arange(N))
