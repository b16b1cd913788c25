"""A strategy of one's own takes one class, and everything but training works with it."""

import numpy as np
import pytest

import acvae
from acvae.exceptions import OptionError, PosteriorError, SavedModelError
from acvae.gaussian import ForestJoint, register
from acvae.gaussian.registry import _REGISTERED, pack_joint, unpack_joint

N, D = 5, 2


class Equal:
    """The same correlation between all pairs."""

    def __init__(self, n, d, rho):
        self.n, self.d, self.rho = n, d, rho

    def pairs(self, i, j):
        return np.repeat(np.where(i == j, 1.0, self.rho)[:, None], self.d, axis=1)

    def distance_blocks(self, mean, std):
        self.columns, self.marginals = np.arange(self.n), (mean, std)
        return self

    def blocks(self, rows, block_rows):
        mean, std = self.marginals
        for at in np.split(rows, range(block_rows, len(rows), block_rows)):
            square = ((mean[at, None] - mean) ** 2 + std[at, None] ** 2 + std**2).sum(-1)
            rho = np.where(at[:, None] == self.columns, 1.0, self.rho)
            yield at, (square - 2 * rho * (std[at] @ std.T)).astype(mean.dtype)

    def pack(self):
        return {"rho": np.array([self.rho])}

    @classmethod
    def unpack(cls, arrays, n, d):
        if arrays["rho"].shape != (1,):
            raise PosteriorError("one correlation is needed.")
        return cls(n, d, float(arrays["rho"][0]))


@pytest.fixture
def kinds(monkeypatch):
    """What is registered here is forgotten afterwards."""
    before = dict(_REGISTERED)
    yield
    _REGISTERED.clear()
    _REGISTERED.update(before)


def posterior():
    rng = np.random.default_rng(0)
    return acvae.Posterior.from_correlations(
        rng.normal(size=(N, D)), rng.uniform(1, 2, (N, D)), Equal(N, D, 0.5)
    )


@pytest.mark.usefixtures("kinds")
class TestOfOnesOwn:
    def test_it_is_saved_and_comes_back(self, tmp_path):
        register("equal", Equal)
        q = posterior()
        q.save(tmp_path / "q")
        back = acvae.Posterior.load(tmp_path / "q")
        assert type(back.joint) is Equal
        np.testing.assert_array_equal(back.distances(range(N)), q.distances(range(N)))
        np.testing.assert_allclose(q.distances([1])[0], q.pair_distance(1, np.arange(N)), atol=1e-5)
        assert repr(q) == "Posterior(n_vertices=5, latent_dim=2, Equal)"
        assert acvae.cluster(back, k=2).shape == (N,)
        graph = acvae.Graph(N, [(0, 1), (2, 3)])
        assert 0 <= acvae.metrics.ncrr(back, graph, acvae.Graph(N, [(1, 2)])).test <= 1
        assert len(back.to_pandas(table="forest")) == 0

    def test_before_it_is_registered(self, tmp_path):
        with pytest.raises(OptionError, match=r"on Equal cannot be saved.*register\(kind, cls\)"):
            posterior().save(tmp_path / "q")
        assert list(tmp_path.iterdir()) == []

    def test_a_file_of_an_unknown_kind(self, tmp_path):
        register("equal", Equal)
        posterior().save(tmp_path / "q")
        del _REGISTERED["equal"]
        with pytest.raises(SavedModelError, match="unknown kind 'equal'; if that is yours"):
            acvae.Posterior.load(tmp_path / "q")

    def test_again_and_twice(self):
        register("equal", Equal)
        register("equal", Equal)
        with pytest.raises(OptionError, match="'forest' is ForestJoint's already"):
            register("forest", Equal)

    @pytest.mark.parametrize("kind", ["", "a b", 3, None, "../x"])
    def test_odd_kinds(self, kind):
        with pytest.raises(OptionError, match="a kind is a short word"):
            register(kind, Equal)

    @pytest.mark.parametrize("odd", [int, Equal(2, 2, 0.1), None])
    def test_odd_classes(self, odd):
        with pytest.raises(OptionError, match="only a class with pack"):
            register("odd", odd)


def test_a_subclass_does_not_pass_for_its_parent():
    class Mine(ForestJoint):
        pass

    with pytest.raises(OptionError, match="on Mine cannot be saved"):
        pack_joint(Mine(2, np.array([[0, 1]]), np.array([[0.5]])))


@pytest.mark.parametrize("kind", [None, 3, [], "forst"])
def test_unknown_kinds(kind):
    with pytest.raises(PosteriorError, match="unknown kind"):
        unpack_joint(kind, {}, 2, 2)
