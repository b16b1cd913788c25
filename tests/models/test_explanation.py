"""What an explanation says of itself; that its figures are right is tested with GraphGaussian."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from acvae import Graph, GraphGaussian
from acvae.links.head import Head, start
from acvae.models import explanation
from acvae.models.explanation import Explanation, shapley_values

STATISTICS = [(f"statistic {k}", float(k), 0.1 * k) for k in range(1, 8)]  # add 0.1 … 0.7, 2.8 in all


def made(statistics=(), features=(), paths=(), linked=False):
    return Explanation("a", "b", 0.25, 0.01, list(statistics), list(features), list(paths), linked)


def test_the_strongest_statistics_are_listed_and_the_others_added_up():
    lines = str(made(STATISTICS)).splitlines()
    assert lines[0] == "a – b: probability of a link 0.25"
    assert [line.split(" = ")[0].strip() for line in lines[1:6]] == [
        f"statistic {k}" for k in range(7, 2, -1)
    ]
    assert lines[6] == "  the 2 others in .statistics: adds 0.30 together"
    assert len(lines) == 7


def test_what_takes_away_is_said_to():
    assert "  x = 2 takes 0.50" in str(made([("x", 2.0, -0.5)])).splitlines()


def test_a_link_that_is_there_already_is_told():
    assert "They are linked already" in str(made(linked=True))


def test_features_known_by_number_are_called_features():
    assert made(features=[(3, 2.0), (1, 1.0)]).words() == ["both have features 3, 1"]
    assert made(features=[(3, 2.0), (1, 1.0)]).words(["t", "u", "v", "w"]) == ["both have w, u"]
    assert made(features=[("tea", 2.0)] * 7).words(most=2) == ["both have tea, tea and 5 more"]


def test_a_neighbour_of_both_is_named_once():
    paths = [("a", "u", 0.5), ("b", "u", 0.4), ("b", "w", 0.3), ("a", "x", 0.001)]
    assert made(paths=paths).words() == [
        "correlation flows through u (linked to both, 50%), w (linked to b, 30%)"
    ]


class TestShapleyValues:
    """Against what follows from their definition, and the exact ones against the sampled."""

    def head(self, count, seed=0):
        """A network of no order that would make it easy."""
        rng = np.random.default_rng(seed)
        p = start(count, 16, seed=seed)
        p = p._replace(linear=rng.normal(size=count), last=rng.normal(size=16))
        network = type(p)(*(array.astype(np.float32) for array in p))
        return Head(np.zeros(count, np.float32), np.ones(count, np.float32), (network,))

    @pytest.mark.parametrize("count", [3, explanation.MOST_EXACT, explanation.MOST_EXACT + 1, 27])
    def test_products_of_two_are_shared_by_both(self, count):
        rng = np.random.default_rng(count)
        pair, typical, alone = rng.normal(size=(3, count)).astype(np.float32).astype(np.float64)

        def head(x):
            x = x.astype(np.float64)
            return x @ alone + x[:, 0] * x[:, 2]

        gap, sums = pair - typical, pair + typical
        expected = alone * gap
        expected[[0, 2]] += gap[[0, 2]] * sums[[2, 0]] / 2  # of a·b − c·d, whoever of both comes first
        np.testing.assert_allclose(shapley_values(head, pair, typical), expected, atol=1e-9)

    @pytest.mark.parametrize("count", [15, 17, 27])
    def test_they_add_up(self, count):
        head, (pair, typical) = self.head(count), np.random.default_rng(1).normal(size=(2, count))
        whole, nothing = head(np.stack([pair, typical]).astype(np.float32)).astype(np.float64)
        assert shapley_values(head, pair, typical).sum() == pytest.approx(whole - nothing, abs=1e-5)

    def test_sampled_ones_are_the_exact_ones_within_their_error(self):
        head, (pair, typical) = self.head(10), np.random.default_rng(2).normal(size=(2, 10))
        exact = shapley_values(head, pair, typical)
        found = np.stack(
            [explanation._of_some_orders(head, pair, typical, orders=60, seed=s) for s in range(30)]
        )
        error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
        assert (np.abs(found.mean(axis=0) - exact) <= 5 * error + 1e-6).all()
        assert (error > 0).any()  # or nothing was tested
        np.testing.assert_array_equal(found[0], explanation._of_some_orders(head, pair, typical, 60))

    def test_memory_stays_small(self):
        head, (pair, typical) = self.head(61), np.random.default_rng(3).normal(size=(2, 61))
        tracemalloc.start()
        shapley_values(head, pair, typical)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 50e6  # all mixtures of 27 would be 29 GB


N = 30


class TestSharedFeatures:
    """Of a ring, where each vertex has a feature with the next two."""

    GRAPH = Graph(N, [(i, (i + step) % N) for i in range(N) for step in (1, 2)])
    X = (np.subtract.outer(np.arange(N), np.arange(N)) % N < 3).astype(float)
    OBSERVED = np.arange(N) % 5 > 1  # not 0, 1, 5, 6 …

    def shared(self, features, i, j):
        model = GraphGaussian(latent_dim=4, scales=(2.0,), progress=False)
        return model.fit(features, self.GRAPH, observed=self.OBSERVED).explain(i, j).shared_features

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
    @pytest.mark.parametrize("unseen", [1.0, 1e12, np.inf])
    def test_rows_that_are_not_observed_share_none(self, form, unseen):
        features = form(np.where(self.OBSERVED[:, None], self.X, unseen))
        assert self.shared(features, 0, 1) == []
        assert self.shared(features, 1, 2) == []
        assert {name for name, _ in self.shared(features, 3, 4)} == {2, 3}


SIZE = 150


@pytest.fixture(scope="module", params=[0.0, 3.0])
def models(request):
    """Exact and local, on a graph whose weights have logs of this standard deviation."""
    rng = np.random.default_rng(0)
    edges = np.unique(np.sort(rng.integers(0, SIZE, (450, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] < edges[:, 1]]
    graph = Graph(SIZE, edges, weights=rng.lognormal(0, request.param, len(edges)))
    options = {"scales": (15.0,), "latent_dim": 4, "progress": False}
    x = np.eye(SIZE)[:, :20]
    return [GraphGaussian(solver=solver, **options).fit(x, graph) for solver in ("exact", "local")]


class TestPaths:
    """Of the local solver beside those of the exact one."""

    def test_shares_are_those_of_the_exact_solver(self, models):
        exact, local = models
        pairs = np.random.default_rng(1).permutation(SIZE)[:30].reshape(15, 2)
        told = 0
        for i, j in [*pairs, *exact.graph_.edges[:5]]:
            real = {path[:2]: path[2] for path in exact.explain(i, j).paths}
            found = {path[:2]: path[2] for path in local.explain(i, j).paths}
            assert found.keys() == real.keys()
            for path, share in found.items():
                assert share <= 1
                assert abs(share) <= abs(real[path]) + 1e-6
                assert share == pytest.approx(real[path], abs=1e-3)
                told += share > 0.1
        assert told > 10  # or nothing was tested

    def test_of_many_neighbours_those_are_told_that_hand_it_most(self, models, monkeypatch):
        exact, local = models
        i, j = np.argsort(-exact.graph_.degrees, kind="stable")[:2].tolist()
        real = {path[:2]: path[2] for path in exact.explain(i, j).paths}
        monkeypatch.setattr(explanation, "MOST_PUSHED", 3)
        assert len(exact.explain(i, j).paths) == len(real) > 6
        found = local.explain(i, j).paths
        gaussian = exact.posterior_.joint.gaussians[0]
        for of, to, row in zip((i, j), (j, i), gaussian.rows(np.array([j, i])), strict=True):
            handed = {}
            for (u, v), a in zip(gaussian.edges.tolist(), gaussian.strength, strict=True):
                if of in (u, v):
                    handed[u + v - of] = a * row[u + v - of]
            own = {by for end, by, _ in found if end == of and by != to}
            best = sorted(handed, key=lambda by: -handed[by])[:3]
            assert own == set(best) - {to}
        for of, by, share in found:
            assert share == pytest.approx(real[of, by], abs=1e-3)
