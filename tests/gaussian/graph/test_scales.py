"""Groups of dimensions on one graph, against the dense Gaussian."""

import copy
import pickle

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from acvae import Graph, Posterior
from acvae.exceptions import PosteriorError
from acvae.gaussian.graph.scales import ScalesJoint

N, GROUP = 9, np.array([0, 1, 0, 1, 1])


def make(seed=0):
    """A joint with a bridge, a leaf, two components and an isolated vertex, and its dense covariances."""
    rng = np.random.default_rng(seed)
    graph = Graph(N, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (5, 6), (6, 7), (5, 7)])
    strength = rng.uniform(0.1, 5, (2, graph.n_edges))
    diagonal = rng.uniform(1, 3, (2, N))
    covariance = []
    for a, h in zip(strength, diagonal, strict=True):
        precision = np.diag(h)
        for (i, j), s in zip(graph.edges, a, strict=True):
            precision[[i, j], [i, j]] += s
            precision[[i, j], [j, i]] -= s
        covariance.append(np.linalg.inv(precision))
    joint = ScalesJoint(graph.edges, strength, diagonal, GROUP)
    mean = rng.normal(size=(N, len(GROUP)))
    return Posterior.from_correlations(mean, joint.std, joint, dtype="float64"), [
        covariance[g] for g in GROUP
    ]


def test_correlations_and_distances():
    q, covariance = make()
    i, j = np.mgrid[:N, :N]
    std = np.stack([np.sqrt(np.diag(c)) for c in covariance], axis=1)
    np.testing.assert_allclose(q.std, std, rtol=1e-12)
    rho = np.stack([c / np.outer(s, s) for c, s in zip(covariance, std.T, strict=True)], axis=-1)
    np.testing.assert_allclose(q.pair_correlation(i, j), rho, atol=1e-12)
    gap = ((q.mean[:, None] - q.mean) ** 2).sum(-1)
    spread = sum(np.add.outer(np.diag(c), np.diag(c)) - 2 * c for c in covariance)
    np.testing.assert_allclose(q.distances(np.arange(N)), gap + spread, atol=1e-10)


def test_density_entropy_and_divergence():
    q, covariance = make()
    z = np.random.default_rng(1).normal(size=(3, N, len(GROUP)))
    dense = [multivariate_normal(q.mean[:, k], c) for k, c in enumerate(covariance)]
    expected = [sum(d.logpdf(point[:, k]) for k, d in enumerate(dense)) for point in z]
    np.testing.assert_allclose(q.log_prob(z), expected, rtol=1e-10)
    assert q.entropy() == pytest.approx(sum(d.entropy() for d in dense), rel=1e-10)
    other, others = make(seed=5)
    kl = 0.0
    for k, (a, b) in enumerate(zip(covariance, others, strict=True)):
        gap = other.mean[:, k] - q.mean[:, k]
        solved = np.linalg.solve(b, a)
        kl += 0.5 * (np.trace(solved) + gap @ np.linalg.solve(b, gap) - N - np.linalg.slogdet(solved)[1])
    assert q.kl_divergence(other) == pytest.approx(kl, rel=1e-9)
    assert q.kl_divergence(q) == pytest.approx(0, abs=1e-9)


def test_draws_have_the_joints_covariance():
    q, covariance = make()
    z = q.sample(40_000, seed=0)
    for k, c in enumerate(covariance):
        drawn = np.cov(z[:, :, k].T)
        np.testing.assert_allclose(drawn, c, atol=6 * c.max() / np.sqrt(len(z)))


def test_conditioning():
    q, covariance = make()
    given = {2: np.arange(5.0), 6: -np.ones(5)}
    left = q.condition(given)
    kept = [0, 1, 3, 4, 5, 7, 8]
    assert left.original_ids.tolist() == kept
    for k, c in enumerate(covariance):
        known = [2, 6]
        gain = c[np.ix_(kept, known)] @ np.linalg.inv(c[np.ix_(known, known)])
        values = np.array([given[2][k], given[6][k]])
        np.testing.assert_allclose(
            left.mean[:, k], q.mean[kept, k] + gain @ (values - q.mean[known, k]), atol=1e-10
        )
        rest = c[np.ix_(kept, kept)] - gain @ c[np.ix_(known, kept)]
        np.testing.assert_allclose(left.std[:, k] ** 2, np.diag(rest), rtol=1e-10)
        i, j = np.mgrid[:7, :7]
        rho = left.pair_correlation(i, j)[..., k]
        np.testing.assert_allclose(rho, rest / np.sqrt(np.outer(np.diag(rest), np.diag(rest))), atol=1e-10)


@pytest.mark.parametrize("solver", ["exact", "local"])
def test_once_all_is_observed_nothing_is_left(solver):
    q, _ = make()
    own = q.joint
    joint = ScalesJoint(own.links, own.strength, own.diagonal, own.group, solver=solver)
    whole = Posterior.from_correlations(q.mean, joint.std, joint, dtype="float64")
    left = whole.condition(dict(enumerate(q.mean)))
    assert left.mean.shape == left.std.shape == (0, len(GROUP))
    assert left.original_ids.tolist() == []
    assert left.distances([]).shape == (0, 0)
    assert left.pair_correlation([], []).shape == (0, len(GROUP))
    if solver == "exact":
        assert left.sample(3).shape == (3, 0, len(GROUP))
        assert left.log_prob(np.zeros((3, 0, len(GROUP)))).tolist() == [0, 0, 0]  # of nothing, for certain


def test_packed_and_unpacked():
    q, _ = make()
    joint = q.joint
    back = ScalesJoint.unpack(joint.pack(), N, len(GROUP))
    np.testing.assert_array_equal(back.along_links(), joint.along_links())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("group", np.array([0, 1, 0, 1, 2])),
        ("links", np.array([[0, 99]] * 8)),
        ("diagonal", np.full((2, N), np.nan)),
        ("strength", np.ones((3, 8))),
    ],
)
def test_files_are_not_believed(name, value):
    q, _ = make()
    with pytest.raises(PosteriorError, match=name):
        ScalesJoint.unpack({**q.joint.pack(), name: value}, N, len(GROUP))


@pytest.mark.parametrize("solver", ["exact", "local"])
@pytest.mark.parametrize("asked", [False, True])
def test_copies_leave_out_what_can_be_computed_again(solver, asked):
    made, _ = make()
    own = made.joint
    joint = ScalesJoint(own.links, own.strength, own.diagonal, own.group, solver=solver)
    before = len(pickle.dumps(joint))
    if asked:
        joint.std  # noqa: B018
        assert len(pickle.dumps(joint)) < before + own.diagonal.nbytes + 500
    i, j = np.mgrid[:N, :N]
    for other in (copy.deepcopy(joint), pickle.loads(pickle.dumps(joint))):
        assert other.solver == solver
        np.testing.assert_array_equal(other.std, joint.std)
        np.testing.assert_array_equal(other.pairs(i.ravel(), j.ravel()), joint.pairs(i.ravel(), j.ravel()))


def test_a_precision_that_is_not_positive_is_refused():
    q, _ = make()
    arrays = q.joint.pack()
    negative = {**arrays, "strength": -9 * arrays["strength"]}  # more than any diagonal
    joint = ScalesJoint.unpack(negative, N, len(GROUP))
    with pytest.raises(PosteriorError, match="not positive definite"):
        joint.along_links()
    local = {"solver": np.array(2), "variance": np.ones((2, N))}
    with pytest.raises(PosteriorError, match="not positive"):
        ScalesJoint.unpack(negative | local, N, len(GROUP))
    none = {"diagonal": np.zeros((0, N)), "strength": np.zeros((0, 8))}
    with pytest.raises(PosteriorError, match="no scales"):
        ScalesJoint.unpack(arrays | none, N, len(GROUP))
